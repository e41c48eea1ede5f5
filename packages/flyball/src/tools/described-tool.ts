import type { EffectKind } from '../core/effect-kind.js';
import type { JsonSchema, StandardSchema } from '../core/schema.js';
import type { EffectClass, EffectRules, InvocationPolicy, TrifectaLeg } from '../core/tool.js';
import { toolFrom } from './define-tool.js';
import { failure, requireSoundParts } from './definition-checks.js';
import { kindOf } from './effect-of-definition.js';
import { inputOf, type ReadyInput } from './input-schema.js';
import type { DefinedTool } from './tool-definition.js';

/** What a deployment says about a tool beside its code. */
export interface ToolMetadata {
  readonly name: string;
  readonly description?: string;
  /** Shown to models instead of the tool's own, and checked before it. */
  readonly input?: JsonSchema;
  readonly effect?: EffectKind;
  readonly scopes?: readonly string[];
  readonly legs?: readonly TrifectaLeg[];
  readonly timeoutMs?: number;
  readonly retry?: Partial<InvocationPolicy>;
  readonly tags?: readonly string[];
  /** File and line, for messages. */
  readonly source?: string;
}

/**
 * The tool as metadata describes it. Metadata decides what is shown, who may use it and for how long; about what the
 * code does it can only be more careful: legs are added, and the effect can become irreversible, never harmless.
 */
export function describedTool(own: DefinedTool, said: ToolMetadata): DefinedTool {
  const { description, scopes, timeoutMs, retry } = said;
  return toolFrom({
    ...own,
    ...stated({ description, scopes, timeoutMs, retry }),
    ...effectFor(own, said),
    ...inputFor(own, said),
    ...stated({ legs: union(own.legs, said.legs), tags: union(own.tags, said.tags) }),
  });
}

/** Raises what is wrong with metadata by itself, before it is known which tool it is about. */
export function requireSoundMetadata({ effect, input, ...said }: ToolMetadata): void {
  const name = requireSoundParts({ description: said.name, ...said, execute: () => undefined });
  if (effect !== undefined) kindOf(effect, failure(name));
  if (input !== undefined) inputOf(name, { input }, input);
}

function effectFor({ name, effect, retry }: DefinedTool, said: ToolMetadata): object {
  const kind = typeof effect === 'string' ? effect : effect.class;
  if (said.effect === undefined || said.effect === kind) return {};
  if (said.effect !== 'irreversible') {
    failure(name)(
      `${said.source ?? 'its metadata'} calls it ${said.effect}, but its code says ${kind}. Metadata may only make it irreversible, so that a person approves each call.`,
    );
  }
  return {
    effect: { class: 'irreversible', ...looks(effect) },
    // what the code allowed to be repeated is not repeated any more
    ...(said.retry === undefined && retry !== undefined ? { retry: { ...retry, retries: 0 } } : {}),
  };
}

/** What an irreversible effect keeps of another class: how to look whether it happened, and its stand-in. */
function looks(effect: EffectClass<never, unknown>): object {
  if (typeof effect === 'string') return {};
  const { verify, simulate } = effect as EffectRules<never, unknown>;
  return stated({ verify: verify?.bind(effect), simulate: simulate?.bind(effect) });
}

function inputFor(own: DefinedTool, { input }: ToolMetadata): ReadyInput | object {
  if (input === undefined) return {};
  const first = inputOf(own.name, { input }, input);
  return { input: both(first.input, own.input), inputJsonSchema: first.inputJsonSchema };
}

/** The metadata's schema decides what may be asked; the tool's own still makes of it what `execute` takes. */
function both(first: StandardSchema, second: StandardSchema): StandardSchema {
  return {
    '~standard': {
      version: 1,
      vendor: second['~standard'].vendor,
      validate: async (value) => {
        const checked = await first['~standard'].validate(value);
        return checked.issues === undefined ? second['~standard'].validate(checked.value) : checked;
      },
    },
  };
}

function union<W extends string>(a: readonly W[] | undefined, b: readonly W[] | undefined): readonly W[] | undefined {
  return a === undefined && b === undefined ? undefined : [...new Set([...(a ?? []), ...(b ?? [])])];
}

function stated(values: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
