import { type Entry, isNote, type NoteKinds, type Outcome } from 'flyball';
import {
  type AskKind,
  bareActs,
  type ChildKind,
  type ControlKind,
  type LifeKind,
  type PatternKind,
  passOver,
  type RollbackKind,
  UsageFold,
  type WaitKind,
} from 'flyball/internal';
import { requestsIn } from 'flyball/people';
import type { Principal } from '../access/principal.js';
import type { ServedAgent } from '../agents/served-agent.js';
import type { Invoked } from '../contract/invocations.js';
import type { JsonAnswer } from '../contract/route.js';
import type { Parts } from '../parts.js';
import { becauseOf, failureWords } from './failure-words.js';

/** One invocation whose run was started. */
export interface Invocation {
  readonly agent: ServedAgent;
  readonly as: 'once' | 'iterative';
  readonly runId: string;
  readonly model: string | undefined;
  readonly principal: Principal;
}

/** What a client is told about it: the answer, or how far it came. */
export async function invocationAnswer(
  parts: Parts,
  invocation: Invocation,
  outcome: Outcome<unknown> | undefined,
): Promise<JsonAnswer> {
  const { agent, as, runId, model, principal } = invocation;
  const card = await parts.feed.card(await parts.fleet.get(runId));
  const value = outcome !== undefined && 'value' in outcome ? outcome.value : undefined;
  const result = (typeof value === 'object' && value !== null ? value : {}) as Result;
  const ownShape = typeof result.rawText === 'string' && typeof result.tokens === 'number';
  const body: Invoked = {
    agent: agent.name,
    output: (ownShape ? (result.output ?? result.rawText) : value) ?? null,
    tokens_used: (card.usage['tokensIn']?.spent ?? 0) + (card.usage['tokensOut']?.spent ?? 0),
    model: (ownShape ? result.model : undefined) ?? model ?? agent.model ?? '',
    run_id: runId,
    stop: outcome?.stop ?? 'running',
    ...failureWords(principal, { stop: outcome?.stop ?? '', because: becauseOf(outcome) }),
    ...actFields(outcome),
    ...(card.waiting.length === 0 || outcome?.stop !== 'suspended' ? {} : { waiting_for: card.waiting }),
  };
  const headers = { location: `/v1/runs/${encodeURIComponent(runId)}` };
  const entries = await parts.fleet.entries(runId);
  const loop = as === 'once' ? {} : loopFields(result, entries);
  return { status: statusOf(outcome), body: { ...body, ...askedFields(runId, entries), ...loop }, headers };
}

/** What stands between the client and its answer, and where somebody can say something about it. */
export function askedFields(runId: string, entries: readonly Entry[]): Pick<Invoked, 'approvals'> {
  const open = requestsIn(runId, entries).filter(({ status }) => status === 'open');
  if (open.length === 0) return {};
  const url = (id: string): string => `/v1/approvals/${encodeURIComponent(id)}`;
  return { approvals: open.map(({ id, kind, about }) => ({ id, kind, about, url: url(id) })) };
}

function actFields(outcome: Outcome<unknown> | undefined): Pick<Invoked, 'acts' | 'acts_left_out'> {
  if (outcome?.acts === undefined) return {};
  const acts = bareActs(outcome.acts).map(({ class: effectClass, ...act }) => ({ ...act, effect_class: effectClass }));
  return outcome.actsLeftOut === undefined ? { acts } : { acts, acts_left_out: outcome.actsLeftOut };
}

interface Result {
  readonly output?: unknown;
  readonly rawText?: unknown;
  readonly tokens?: unknown;
  readonly model?: string;
  readonly iterations?: number;
  readonly toolCalls?: number;
  readonly toolsUsed?: readonly string[];
  readonly termination?: string;
}

/** A loop that was stopped, or is not over, leaves no result, but its journal says how far it came. */
function loopFields(result: Result, entries: readonly Entry[]) {
  const told: NoteKinds['loop-end'] =
    entries.flatMap(({ event }) => (isNote(event, 'loop-end') ? [event.event] : [])).at(-1) ?? {};
  return {
    iterations: result.iterations ?? told.iterations ?? iterationsIn(entries),
    tool_calls_made: result.toolCalls ?? told.toolCalls ?? callsIn(entries),
    tools_used: result.toolsUsed ?? toolsIn(entries),
    termination_reason: result.termination ?? told.reason ?? '',
  };
}

function iterationsIn(entries: readonly Entry[]): number {
  return entries.filter(({ event }) => isNote(event, 'iteration')).length;
}

/** As everywhere: a call counts from the moment its body begins. */
function callsIn(entries: readonly Entry[]): number {
  const usage = new UsageFold();
  for (const entry of entries) usage.apply(entry);
  return usage.spent.toolCalls;
}

/** Those that were let begin, whatever became of them. */
function toolsIn(entries: readonly Entry[]): readonly string[] {
  const names = entries.flatMap(({ event }) => {
    switch (event.type) {
      case 'call-start':
        return [event.name];
      case 'intent':
      case 'complete':
        return event.of === 'call' && event.name !== undefined ? [event.name] : [];
      case 'abort':
        return event.of === 'call' && event.name !== undefined && event.ran === true ? [event.name] : [];
      default:
        passOver<
          | LifeKind
          | AskKind
          | ChildKind
          | WaitKind
          | ControlKind
          | RollbackKind
          | PatternKind
          | 'doubt'
          | 'note'
          | 'pin'
          | 'post'
        >(event);
        return [];
    }
  });
  return [...new Set(names)];
}

function statusOf(outcome: Outcome<unknown> | undefined): number {
  switch (outcome?.stop) {
    case 'done':
    case 'degraded':
      return 200;
    case undefined:
    case 'suspended':
      return 202;
    default:
      return 422;
  }
}
