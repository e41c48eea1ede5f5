import type { Needs, Risk, Verdict } from '../core/approval.js';
import type { EffectId, Entry, EventOf } from '../core/events.js';
import type { JsonSchema } from '../core/schema.js';
import { type Effect, EffectFold } from '../views/effects.js';
import { isInside } from '../views/paths.js';

/** How a request stands. Withdrawn: the run was cancelled, bounded or ended around it, so that nobody needs an answer. */
export type RequestStatus = 'open' | 'decided' | 'timed-out' | 'withdrawn';

/** What one person said, and when. */
export interface PersonDecision {
  readonly by: string;
  readonly at: number;
  /** Of an approval. */
  readonly verdict?: Verdict['verdict'];
  readonly reason?: string;
  /** The answer to a question, or what an approval was modified to. */
  readonly value?: unknown;
}

/** Something that a run asks of people, as its journal tells it. */
export interface PersonRequest {
  /** Sorts by the time it was asked; the same whoever folds the journal. */
  readonly id: string;
  readonly run: string;
  readonly agent: string;
  readonly tenant: string;
  readonly kind: 'approval' | 'question';
  readonly effect: EffectId;
  readonly name: string;
  /** What the answer is sent to. */
  readonly token: string;
  /** The tool or action it is about. */
  readonly about: string;
  readonly why?: string;
  readonly risk?: Risk;
  /** An ApprovalRequest or a QuestionRequest, as the run published it. */
  readonly request: unknown;
  /** JSON Schema of the answer. */
  readonly answer?: JsonSchema;
  /** Scopes, any one of which lets a person answer; empty: anybody may. */
  readonly scopes: readonly string[];
  /** Further lists: one scope of each of them is needed as well. */
  readonly alsoScopes?: readonly (readonly string[])[];
  /** People who have agreed already: another one is needed. */
  readonly notBy: readonly string[];
  readonly askedAt: number;
  readonly due?: number;
  readonly status: RequestStatus;
  readonly decision?: PersonDecision;
}

/** Everything that a run asked of people, oldest first. */
export function requestsIn(runId: string, entries: readonly Entry[]): readonly PersonRequest[] {
  const effects = new EffectFold();
  for (const entry of entries) effects.apply(entry);
  const start = entries.find((entry): entry is Entry<EventOf<'run-start'>> => entry.event.type === 'run-start')?.event;
  const run = { id: runId, agent: start?.agent ?? '', tenant: start?.tenant ?? 'default' };
  const isLost = lostIn(entries);
  return effects.all().flatMap((effect) => requestOf(run, effect, isLost(effect)) ?? []);
}

/**
 * Nobody hears the answer any more: the branch that asked lost and what it did was taken back, or the run went on in a
 * later generation.
 */
function lostIn(entries: readonly Entry[]): (effect: Effect) => boolean {
  const generation = entries.at(-1)?.generation ?? 0;
  const lost = entries.flatMap(({ generation: of, event }) =>
    event.type === 'rollback-start' && event.scope !== '' ? [{ of, scope: event.scope }] : [],
  );
  return (effect) =>
    effect.generation < generation ||
    lost.some(({ of, scope }) => of === effect.generation && isInside(effect.scope, scope));
}

interface Asking {
  readonly id: string;
  readonly agent: string;
  readonly tenant: string;
}

function requestOf({ id: run, agent, tenant }: Asking, effect: Effect, isLost: boolean): PersonRequest | undefined {
  const { start, startedAt } = effect;
  if (start?.type !== 'wait-start' || (start.kind !== 'approval' && start.kind !== 'question')) return undefined;
  const { kind, name, token, due, schema } = start;
  const needs: Needs | undefined = start.needs;
  const decision = decisionOf(start.kind, effect);
  return {
    id: `${String(startedAt).padStart(15, '0')}~${token}`,
    run,
    agent,
    tenant,
    kind,
    effect: effect.id,
    name,
    token,
    ...shownIn(start),
    request: start.request ?? null,
    ...(schema === undefined ? {} : { answer: schema }),
    scopes: needs?.scopes ?? [],
    ...(needs?.alsoScopes === undefined ? {} : { alsoScopes: needs.alsoScopes }),
    notBy: needs?.notBy ?? [],
    askedAt: startedAt,
    ...(due === undefined ? {} : { due }),
    status: statusOf(effect, isLost),
    ...(decision === undefined ? {} : { decision }),
  };
}

function statusOf({ status, dropped, end }: Effect, isLost: boolean): RequestStatus {
  if (dropped === true) return 'withdrawn';
  if (status === 'open') return isLost ? 'withdrawn' : 'open';
  return end?.type === 'wait-end' && end.timedOut === true ? 'timed-out' : 'decided';
}

const RISKS: readonly Risk[] = ['low', 'medium', 'high', 'critical'];

function shownIn({ name, kind, request }: EventOf<'wait-start'>): Pick<PersonRequest, 'about' | 'why' | 'risk'> {
  const { action, tool, why, prompt, risk } = (request ?? {}) as Readonly<Record<string, unknown>>;
  const about = kind === 'approval' ? action : tool;
  const reason = kind === 'approval' ? why : prompt;
  const known = RISKS.find((one) => one === risk);
  return {
    about: typeof about === 'string' ? about : name,
    ...(typeof reason === 'string' ? { why: reason } : {}),
    ...(known === undefined ? {} : { risk: known }),
  };
}

function decisionOf(kind: 'approval' | 'question', { end, endedAt }: Effect): PersonDecision | undefined {
  if (end?.type !== 'wait-end' || end.timedOut === true) return undefined;
  const said = { by: end.from ?? 'somebody', at: endedAt ?? 0 };
  if (kind === 'question') return { ...said, value: end.payload ?? null };
  const { verdict, reason, value } = (end.payload ?? {}) as Partial<Record<'reason' | 'value', unknown>> &
    Partial<Pick<Verdict, 'verdict'>>;
  return {
    ...said,
    ...(verdict === undefined ? {} : { verdict }),
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(value === undefined ? {} : { value }),
  };
}
