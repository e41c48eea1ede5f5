import type { Failure } from '../../../flyball/src/core/errors.js';
import type { EffectId, EventOf, GuardDecision } from '../../../flyball/src/core/events.js';
import type { FinishReason, ToolCall } from '../../../flyball/src/core/model.js';
import type { Effect } from '../../../flyball/src/views/effects.js';
import type { Approval } from '../gates/fold-approvals.js';
import { given } from '../plan/fields.js';
import { joinCalls } from './join-calls.js';

/**
 * What became of a tool call that a model proposed. `proposed`: nothing has happened yet, and it still may. `waiting`: a
 * person is asked whether it may be made.
 */
export type CallStatus = 'proposed' | 'waiting' | 'running' | 'ok' | 'failed' | 'refused' | 'not-made';

export interface ToolUse {
  /** Unique in the run. */
  readonly key: string;
  readonly tool: string;
  /** The id that the model gave it. */
  readonly callId: string;
  /** As the model wrote them; parsed where they are JSON. */
  readonly args: unknown;
  /** What it was really called with, where somebody changed it on the way. */
  readonly calledWith?: unknown;
  readonly status: CallStatus;
  readonly result?: unknown;
  readonly failure?: Failure;
  /** How a doubt was resolved, or that it was only simulated. */
  readonly how?: string;
  readonly effect?: EffectId;
  readonly ms?: number;
  readonly decisions: readonly GuardDecision[];
  readonly approvals: readonly Approval[];
}

/** One call of a model, with what came of it. */
export interface Turn {
  readonly key: string;
  readonly n: number;
  readonly generation: number;
  readonly seq: number;
  readonly id: EffectId;
  readonly scope: string;
  readonly phase?: string;
  readonly session: string;
  readonly model: string;
  /** The model that answered, where it is another one. */
  readonly answeredBy?: string;
  readonly tip: string;
  /** Prompt of the call before it in the same session: what is new is what that one did not have. */
  readonly previousTip?: string;
  readonly attempts: number;
  readonly status: 'open' | 'ok' | 'error';
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Prompt tokens that the provider says it had cached; absent where it says nothing. */
  readonly cacheRead?: number;
  readonly costUsd: number;
  readonly finish?: FinishReason;
  readonly text: string;
  readonly reasoning?: string;
  readonly failure?: Failure;
  readonly uses: readonly ToolUse[];
}

/** A call of a model while the run goes on. */
export interface GrowingTurn {
  readonly ask: Effect;
  readonly start: EventOf<'ask-start'>;
  readonly phase: string | undefined;
  readonly previousTip: string | undefined;
  readonly calls: Effect[];
  /** Which of them the model proposed as what; made when the reply is there, and again with every further call. */
  joined?: { readonly of: number; readonly map: ReadonlyMap<ToolCall, Effect> };
  /** Calls that wait for a person before anything of them is in the journal but the question. */
  readonly gates: { readonly id: EffectId; readonly tool: string }[];
  /** Made once nothing about it can change any more: a long run has thousands that are read again at every entry. */
  final?: Turn;
  /** Another reply, or the end of its loop, came after it: what was not called by now never will be. */
  isOver: boolean;
}

/** What is known about effects from elsewhere, by generation and id. */
export interface Known {
  readonly decisions: ReadonlyMap<string, readonly GuardDecision[]>;
  readonly approvals: ReadonlyMap<string, readonly Approval[]>;
  /** The run is over: what was not called by now will not be, unless somebody lets it go on. */
  readonly isEnded: boolean;
}

export function turnOf(turn: GrowingTurn, n: number, known: Known): Turn {
  const { ask, start, phase, previousTip } = turn;
  const end = ask.end?.type === 'ask-end' ? ask.end : undefined;
  const reply = end?.reply;
  return {
    key: keyOf(ask.generation, ask.id),
    n,
    generation: ask.generation,
    seq: ask.seq,
    id: ask.id,
    scope: ask.scope,
    ...given('phase', phase),
    session: start.session,
    model: start.model,
    ...given('answeredBy', reply?.model),
    tip: start.tip,
    ...given('previousTip', previousTip),
    attempts: Math.max(1, ask.starts),
    status: ask.status,
    startedAt: ask.startedAt,
    ...given('endedAt', ask.endedAt),
    tokensIn: end?.spent.tokensIn ?? reply?.usage.input ?? 0,
    tokensOut: end?.spent.tokensOut ?? reply?.usage.output ?? 0,
    ...given('cacheRead', reply?.usage.cacheRead),
    costUsd: reply?.costUsd ?? end?.spent.costUsd ?? 0,
    ...given('finish', reply?.finish),
    text: reply?.text ?? '',
    ...given('reasoning', reply?.reasoning),
    ...given('failure', end?.failure),
    uses: usesOf(turn, reply?.toolCalls ?? [], known),
  };
}

function usesOf(turn: GrowingTurn, proposed: readonly ToolCall[], known: Known): readonly ToolUse[] {
  const joined = joinedIn(turn, proposed);
  const isOver = turn.isOver || known.isEnded;
  const made = new Set(turn.calls.map(({ id }) => id));
  const waiting = turn.gates.filter(({ id }) => !made.has(id));
  return proposed.map((call, index): ToolUse => {
    const effect = joined.get(call);
    const key = `${keyOf(turn.ask.generation, turn.ask.id)}~${index}`;
    const base = { key, tool: call.name, callId: call.id, args: parsed(call.arguments), decisions: [], approvals: [] };
    if (effect === undefined) {
      const gate = waiting.findIndex(({ tool }) => tool === call.name);
      const [asked] = gate === -1 ? [] : waiting.splice(gate, 1);
      if (asked === undefined) return { ...base, status: isOver ? 'not-made' : 'proposed' };
      const own = keyOf(turn.ask.generation, asked.id);
      const met = { decisions: known.decisions.get(own) ?? [], approvals: known.approvals.get(own) ?? [] };
      return { ...base, ...met, effect: asked.id, status: isOver ? 'not-made' : 'waiting' };
    }
    return { ...base, ...becameOf(effect, base.args, known) };
  });
}

function joinedIn(turn: GrowingTurn, proposed: readonly ToolCall[]): ReadonlyMap<ToolCall, Effect> {
  // a pure call shows its fingerprint when it is made, one with an INTENT from the start: neither changes later
  if (turn.joined?.of !== turn.calls.length)
    turn.joined = { of: turn.calls.length, map: joinCalls(proposed, turn.calls) };
  return turn.joined.map;
}

type Became = Omit<ToolUse, 'key' | 'tool' | 'callId' | 'args'>;

function becameOf(effect: Effect, args: unknown, { decisions, approvals }: Known): Became {
  const key = keyOf(effect.generation, effect.id);
  const end = effect.end?.type === 'complete' || effect.end?.type === 'abort' ? effect.end : undefined;
  const input = effect.start?.type === 'intent' ? effect.start.input : undefined;
  const isChanged = input !== undefined && JSON.stringify(input) !== JSON.stringify(args);
  return {
    effect: effect.id,
    status: statusOf(effect, end?.failure),
    ...(isChanged ? { calledWith: input } : {}),
    ...(end?.type === 'complete' && end.failure === undefined ? { result: end.result } : {}),
    ...given('failure', end?.failure),
    ...(end?.type === 'complete' ? given('how', end.how) : {}),
    ...(effect.endedAt === undefined ? {} : { ms: effect.endedAt - effect.startedAt }),
    decisions: decisions.get(key) ?? [],
    approvals: approvals.get(key) ?? [],
  };
}

/** Somebody said no, which is no fault of the tool. */
const REFUSALS: readonly string[] = ['DENIED', 'APPROVAL_REJECTED', 'NOT_SIMULATED'];

function statusOf(effect: Effect, failure: Failure | undefined): CallStatus {
  if (effect.status === 'open') return 'running';
  if (failure !== undefined) return REFUSALS.includes(failure.code) ? 'refused' : 'failed';
  return effect.status === 'ok' ? 'ok' : 'failed';
}

/** What a model wrote need not be JSON: then it is shown as it is. */
function parsed(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

export function keyOf(generation: number, id: EffectId): string {
  return `${generation} ${id}`;
}
