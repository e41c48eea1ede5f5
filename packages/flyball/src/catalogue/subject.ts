import type { Session } from '../core/session.js';
import {
  type OpaquePart,
  type Part,
  type PatternId,
  type SeatedSession,
  sessionOf,
  type Use,
  useOf,
  usesOf,
} from '../core/use.js';
import type { FactName, Profile, QuestionId } from './types.js';

/** What is known about a tool beside its schema. */
export interface ToolFacts {
  readonly name: string;
  readonly effect?: 'pure' | 'idempotent' | 'undoable' | 'irreversible';
  readonly legs?: readonly ('private' | 'untrusted' | 'outbound')[];
  readonly privileged?: boolean;
  /** How it runs programs: a list of arguments, a string in a shell, or generated code. */
  readonly runs?: 'arguments' | 'shell-string' | 'code';
  readonly sandboxed?: boolean;
  /** What it lists: what is allowed, or what is not. */
  readonly lists?: 'allowed' | 'denied';
  /** A person agrees before each call. The runtime asks about every tool that cannot be undone. */
  readonly asks?: boolean;
  /** It says how its errors appear. */
  readonly mapsErrors?: boolean;
}

/** What is known about an agent beside its composition. */
export interface AgentFacts {
  readonly owner?: string;
  readonly policy?: string;
  readonly traced?: boolean;
  /** Nothing calls it. */
  readonly unused?: boolean;
  readonly description?: string;
  readonly instructionTokens?: number;
  /** How many kinds of task its instructions cover. */
  readonly taskTypes?: number;
  readonly readsParentHistory?: boolean;
  /** What the conformance test found: false where equal input gave different output. */
  readonly isPure?: boolean;
  readonly role?: 'planner' | 'worker' | 'editor' | 'judge' | 'router';
}

/** A piece of the prompt, in its order. */
export interface SegmentFacts {
  readonly name: string;
  readonly varies: 'never' | 'user' | 'call';
  readonly holdsTimeOrId?: boolean;
  readonly cached?: boolean;
  /** It is sent on every turn. */
  readonly everyTurn?: boolean;
  /** The menu of a decision that has been made. */
  readonly decided?: boolean;
  /** Text of identity, persona or template. */
  readonly text?: string;
}

/** How an agent of another system is used. */
export interface DelegateFacts {
  readonly name: string;
  readonly url?: string;
  readonly card?: 'verified' | 'none';
  readonly cardTtlMs?: number;
  readonly wallMs?: number;
  readonly idleMs?: number;
  readonly cancels?: boolean;
  readonly handlesEnd?: boolean;
  readonly maxDepth?: number;
  readonly traced?: boolean;
}

/**
 * What is known beside the patterns. Tools, instructions, owners, descriptions and windows are read off the agents; the rest
 * is stated, and a statement counts more than what was read. Everything is optional: what nobody knows is not judged.
 */
export interface System {
  readonly agents?: Readonly<Record<string, AgentFacts>>;
  readonly edges?: readonly {
    readonly from: string;
    readonly to: string;
    readonly trust?: string;
    readonly guards?: readonly PatternId[];
  }[];
  readonly tools?: readonly ToolFacts[];
  /** Tokens of all schemas as a share of the window. */
  readonly schemaShare?: number;
  readonly discovers?: boolean;
  readonly servers?: readonly { readonly name: string; readonly tokens?: number; readonly filtered?: boolean }[];
  readonly segments?: readonly SegmentFacts[];
  readonly instructionLimit?: number;
  /** Where text crosses a boundary, and which of them have a guard. */
  readonly crossings?: Readonly<Partial<Record<'input' | 'call' | 'result' | 'output', boolean>>>;
  readonly actions?: Readonly<
    Record<
      string,
      {
        readonly gate?: 'V1' | 'V2';
        readonly irreversible?: boolean;
        readonly novel?: boolean;
        readonly blastRadius?: number;
      }
    >
  >;
  readonly evals?: {
    readonly changedAt?: number;
    readonly passedAt?: number;
    readonly suites?: readonly { readonly cases: 'real' | 'synthetic' }[];
  };
  readonly sinks?: number;
  /** Modules beside adapters that use types of a provider or framework. */
  readonly foreignTypes?: readonly string[];
  readonly foreignLoop?: string;
  readonly steps?: readonly { readonly name: string; readonly needs: readonly string[]; readonly after?: string }[];
  /** Edges of a plan that decide something. */
  readonly decidingEdges?: readonly string[];
  readonly delegates?: readonly DelegateFacts[];
  readonly identityFields?: readonly string[];
  readonly styleFields?: readonly string[];
  readonly relationship?: Readonly<
    Partial<Record<'outputGuard' | 'retention' | 'depthLimit' | 'consent' | 'erasure', boolean>>
  >;
  readonly principles?: {
    readonly needsVerdict?: boolean;
    readonly signer?: 'person' | 'model';
    readonly approvalRate?: number;
  };
  readonly trackRecord?: { readonly decays?: boolean; readonly incomplete?: number };
  readonly selfTuning?: Readonly<Partial<Record<'surface' | 'gate' | 'reviewer' | 'wayBack' | 'caps', boolean>>> & {
    readonly proposerReadsCases?: boolean;
    readonly sharesData?: boolean;
  };
}

/** What a field of `System` has to be, in words that a message may quote. */
export type FieldShape =
  | 'a record'
  | 'a record of records'
  | 'a list of records'
  | 'a list of texts'
  | 'a number'
  | 'true or false'
  | 'a text';

/** What can be stated. */
export const SYSTEM_FIELDS: Readonly<Record<keyof System, FieldShape>> = {
  agents: 'a record of records',
  edges: 'a list of records',
  tools: 'a list of records',
  schemaShare: 'a number',
  discovers: 'true or false',
  servers: 'a list of records',
  segments: 'a list of records',
  instructionLimit: 'a number',
  crossings: 'a record',
  actions: 'a record of records',
  evals: 'a record',
  sinks: 'a number',
  foreignTypes: 'a list of texts',
  foreignLoop: 'a text',
  steps: 'a list of records',
  decidingEdges: 'a list of texts',
  delegates: 'a list of records',
  identityFields: 'a list of texts',
  styleFields: 'a list of texts',
  relationship: 'a record',
  principles: 'a record',
  trackRecord: 'a record',
  selfTuning: 'a record',
};

/** What a person decided: `flyball.decisions.yaml`. */
export interface Decisions {
  readonly questions?: Readonly<Partial<Record<QuestionId, boolean>>>;
  readonly facts?: Readonly<Partial<Record<FactName, boolean>>>;
  /** Findings that were looked at, by rule or by rule and place, each with the reason. */
  readonly accepted?: Readonly<Record<string, string>>;
}

/** What the linter reads. */
export interface Composition {
  /** Agents by name: functions that a pattern made, or descriptions. */
  readonly agents: Readonly<Record<string, unknown>>;
  /** Guards of the host. */
  readonly seams?: unknown;
  /** What the host brings: what its seams say where this is absent. */
  readonly host?: readonly PatternId[];
  readonly profile?: readonly Profile[];
  readonly decisions?: Decisions;
  /** The budget of a run. `width` is 16 where it is not given, as in `budget()`. */
  readonly budget?: { readonly modelCalls?: number; readonly width?: number };
  readonly system?: System;
}

/** What Flyball's runtime is by construction: bounds, resumable runs, replay, and a journal. */
export const RUNTIME_PATTERNS: readonly PatternId[] = ['V9', 'V10', 'V12', 'V14'];

/** What a runtime brings: what it always does, and what its seams add where they say so. */
export function hostOf(seams?: unknown): readonly PatternId[] {
  const parts = typeof seams === 'object' && seams !== null ? Object.values(seams).flat() : [];
  const uses = [seams, ...parts].flatMap(usesOf);
  return [...new Set([...RUNTIME_PATTERNS, ...uses.flatMap(({ id, provides }) => [id, ...provides])])];
}

/** One use in a composition: where it is, and which task it works on. */
export interface Placed {
  readonly use: Use;
  /** `support > router (O3) > to > reAct (R4)`. */
  readonly at: string;
  readonly agent: string;
  /** Uses with the same task are given the same work. */
  readonly task: string;
  readonly ancestors: readonly Use[];
  readonly opaque: readonly string[];
}

/** Roles whose parts get a piece of the work each: what is in one does not meet what is in another. */
const OWN_TASK: ReadonlySet<string> = new Set([
  'to',
  'workers',
  'worker',
  'children',
  'owners',
  'specialists',
  'peers',
  'agents',
  'stages',
  'steps',
  'otherwise',
  'fallbacks',
  'lookup',
  'bidders',
]);
/** Roles that code fills: a plain function there is no agent that hides something. */
const CODE: ReadonlySet<string> = new Set(['test', 'same', 'lookup', 'fallbacks', 'window', 'isDone', 'score']);

/** Every use of a composition, with its place. */
export function placedIn(agents: Composition['agents']): readonly Placed[] {
  return Object.entries(agents).flatMap(([name, agent]) => {
    const use = describedBy(agent);
    return use === undefined ? [] : placedBelow(use, { at: name, agent: name, task: name, ancestors: [] });
  });
}

/** Agents that say nothing about themselves, at the top or inside. */
export function opaqueIn(agents: Composition['agents']): readonly string[] {
  const top = Object.entries(agents).flatMap(([name, agent]) => (describedBy(agent) === undefined ? [name] : []));
  return [...top, ...placedIn(agents).flatMap(({ at, opaque }) => opaque.map((name) => `${at} > ${name}`))];
}

/** A description, or what carries one: an agent, a definition of one, or an agent with its version. */
export function describedBy(agent: unknown): Use | undefined {
  if (typeof agent === 'object' && agent !== null && 'calls' in agent && 'parts' in agent) return agent as Use;
  const own = useOf(agent);
  if (own !== undefined || typeof agent !== 'object' || agent === null) return own;
  return 'agent' in agent ? useOf(agent.agent) : undefined;
}

function placedBelow(use: Use, where: Pick<Placed, 'at' | 'agent' | 'task' | 'ancestors'>): readonly Placed[] {
  const at = `${where.at} > ${use.name} (${use.id})`;
  const roles = Object.entries(use.parts).map(([role, parts]) => ({ role, parts: [parts].flat() as readonly Part[] }));
  const opaque = roles.flatMap(({ role, parts }) =>
    CODE.has(role) ? [] : parts.filter(isOpaque).map((part) => part.opaque),
  );
  const below = roles.flatMap(({ role, parts }) =>
    parts.filter(isUse).flatMap((part, index) =>
      placedBelow(part, {
        at: `${at} > ${role}`,
        agent: where.agent,
        task: OWN_TASK.has(role) ? `${at}/${role}.${index}` : where.task,
        ancestors: [...where.ancestors, use],
      }),
    ),
  );
  const tools = toolUses(use).map((own) => ({
    use: own,
    at: `${at} > tools > ${own.name} (${own.id})`,
    agent: where.agent,
    task: where.task,
    ancestors: [...where.ancestors, use],
    opaque: [],
  }));
  return [{ use, at, agent: where.agent, task: where.task, ancestors: where.ancestors, opaque }, ...below, ...tools];
}

/** Tools that are more than a function for a model (I2), which a seat with tools says already. */
function toolUses(use: Use): readonly Use[] {
  const tools = seatedSessions(use).flatMap(({ tools: own = [] }) => own);
  return [...new Set(tools.flatMap(usesOf))].filter(({ id }) => id !== 'I2');
}

/** The sessions themselves that sit in a use, where it was made by a pattern. */
export function seatedSessions(use: Use): readonly Session<unknown>[] {
  return sessionsBy(use).flatMap(({ session }) => sessionOf(session) ?? []);
}

const isUse = (part: Part): part is Use => 'parts' in part;
const isOpaque = (part: Part): part is OpaquePart => 'opaque' in part;

/** Sessions that sit in a use itself, by role. */
export function sessionsBy(use: Use): readonly { readonly role: string; readonly session: SeatedSession }[] {
  return Object.entries(use.parts).flatMap(([role, parts]) =>
    ([parts].flat() as readonly Part[]).flatMap((part) => ('session' in part ? [{ role, session: part }] : [])),
  );
}
