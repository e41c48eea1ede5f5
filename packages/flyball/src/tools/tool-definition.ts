import type { ApprovalRules, Review } from '../core/approval.js';
import type { Amounts } from '../core/budget.js';
import type { EffectKind } from '../core/effect-kind.js';
import type { ArgsFromJson } from '../core/json-type.js';
import type { Content } from '../core/parts.js';
import type { Question } from '../core/question.js';
import type { JsonSchema, StandardSchema } from '../core/schema.js';
import type {
  Changed,
  Delegation,
  EffectClass,
  EffectContext,
  EffectRules,
  InvocationPolicy,
  Tool,
  Touch,
  TrifectaLeg,
} from '../core/tool.js';

/** A schema of a library that speaks Standard Schema (zod 4, valibot, arktype), or plain JSON Schema of an object. */
export type ToolInput = StandardSchema | JsonSchema;

/** What `execute` gets: the schema's output. */
export type ArgsOf<S> = S extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : S extends JsonSchema
    ? ArgsFromJson<S>
    : never;

/** What a caller gives: the schema's input, in which fields with defaults may be missing. */
export type GivenOf<S> = S extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly input: infer Input }
    ? Input
    : unknown
  : ArgsOf<S>;

/** A tool as its author writes it. Everything that a plain effect kind needs stands beside it. */
export type ToolDefinition<S extends ToolInput, T> = ToolParts<S, T> & EffectPart<ArgsOf<S>, NoInfer<T>>;

// methods rather than function properties, as in Tool: an annotated `execute` may ask for more than the compiler knows
/** What `tool` needs to define a tool. */
export interface ToolParts<S extends ToolInput, T> {
  /** At most 64 letters, digits, `_` and `-`, which every provider accepts. */
  readonly name: string;
  /** Written for the model: what it does, when to use it and when not to. */
  readonly description: string;
  /** Without it, the tool takes no arguments. */
  readonly input?: S;
  /** For a schema library that cannot describe itself as JSON Schema. */
  readonly inputJsonSchema?: JsonSchema;
  readonly legs?: readonly TrifectaLeg[];
  /** True if the tool polls: repeated calls with the same result are normal, and loop detection ignores them. */
  readonly polls?: boolean;
  readonly scopes?: readonly string[];
  readonly timeoutMs?: number;
  readonly retry?: Partial<InvocationPolicy>;
  /** Words by which a view of the registry picks tools. */
  readonly tags?: readonly string[];
  /** How many tools can be reached through this one: what it counts for in the tool budget. */
  readonly surface?: number;
  /** What it is, where others decide that: an approval holds for a tool with the same hash only. */
  readonly hash?: string;
  /** Who has to approve a call, if approval is required. */
  readonly approval?: Partial<ApprovalRules>;
  reserve?(args: ArgsOf<S>): Partial<Amounts>;
  touches?(args: ArgsOf<S>): Touch;
  /** Makes it a tool that asks a person. Such a tool is pure, and `execute` is never called. */
  asks?(args: ArgsOf<S>): Question;
  /** Makes it a tool that another agent works for; such a tool is pure, and `execute` is never called. */
  delegates?(args: ArgsOf<S>): Delegation<T>;
  /** Makes it a tool that hands over to somebody else; such a tool is pure, and `execute` is never called. */
  transfers?(args: ArgsOf<S>): T;
  /** For the person who approves a call: what it will do, how to undo it, and alternatives. */
  review?(args: ArgsOf<S>): Review;
  /** What the model reads of the result: text, or parts with images, sounds and files. */
  present?(value: NoInfer<T>): Content;
  /** Does the work. Write it before `compensate`, `verify` and `present`, so that their types can be inferred. */
  execute(args: ArgsOf<S>, how: EffectContext): Promise<T | Changed<T>>;
}

type Nothing<K extends string> = { readonly [Name in K]?: never };

/** A plain kind with its rules beside it, or the whole class as one object. */
export type EffectPart<A, T> =
  | ({ readonly effect: 'pure' } & Nothing<'why' | 'verify' | 'compensate' | 'simulate'>)
  | ({ readonly effect: 'idempotent' } & Omit<EffectRules<A, T>, 'timeoutMs'> & Nothing<'why'>)
  | ({ readonly effect: 'undoable' } & Omit<EffectRules<A, T>, 'timeoutMs' | 'compensate'> &
      Required<Pick<EffectRules<A, T>, 'compensate'>> &
      Nothing<'why'>)
  | ({ readonly effect: 'irreversible'; readonly why?: string } & Omit<EffectRules<A, T>, 'timeoutMs' | 'compensate'> &
      Nothing<'compensate'>)
  | ({ readonly effect: Exclude<EffectClass<A, T>, string> } & Nothing<'why' | 'verify' | 'compensate' | 'simulate'>);

/** A tool made ready, which is given `G`: its arguments are checked, and the schema that models are shown is worked out once. */
export interface DefinedTool<A = never, T = unknown, G = unknown> extends Tool<A, T> {
  readonly input: StandardSchema<G, unknown>;
  readonly inputJsonSchema: JsonSchema;
  readonly tags?: readonly string[];
  readonly surface?: number;
}

/** A definition as it may come from JavaScript or YAML: nothing about it is believed yet. */
export interface LooseDefinition
  extends Partial<Omit<ToolParts<ToolInput, unknown>, 'execute'>>,
    Omit<EffectRules<never, never>, 'timeoutMs'> {
  readonly effect?: EffectKind | EffectClass<never, never>;
  readonly why?: string;
  readonly execute?: (args: never, how: EffectContext) => unknown;
}
