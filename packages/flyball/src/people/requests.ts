import type { Risk, Verdict } from '../core/approval.js';
import type { EffectId, Entry, EventOf } from '../core/events.js';
import type { JsonSchema } from '../core/schema.js';
import { type Wait, type WaitStatus, waitsIn } from '../core/waits.js';

/** How a request stands. Withdrawn: the run was cancelled, bounded or ended around it, so that nobody needs an answer. */
export type RequestStatus = 'open' | 'decided' | 'timed-out' | 'withdrawn';

/** What one person said, and when. */
export interface PersonDecision {
  readonly by: string;
  readonly at: number;
  /** Of an approval. */
  readonly verdict?: Verdict['verdict'];
  readonly reason?: string;
  /** Of an approval: it was of what was recommended instead. */
  readonly recommended?: true;
  /** The answer to a question or a doubt, or what an approval was modified to. */
  readonly value?: unknown;
}

/** Something that a run asks of people, as its journal tells it. */
export interface PersonRequest {
  /** Sorts by the time it was asked; the same whoever folds the journal. */
  readonly id: string;
  readonly run: string;
  readonly agent: string;
  readonly tenant: string;
  /** A doubt asks whether an action that was cut off took place. */
  readonly kind: 'approval' | 'question' | 'doubt';
  readonly effect: EffectId;
  readonly name: string;
  /** What the answer is sent to. */
  readonly token: string;
  /** The tool or action it is about. */
  readonly about: string;
  readonly why?: string;
  readonly risk?: Risk;
  /** An ApprovalRequest, a QuestionRequest or a DoubtRequest, as the run published it. */
  readonly request: unknown;
  /** JSON Schema of the answer. */
  readonly answer?: JsonSchema;
  /** Scopes, any one of which lets a person answer; empty: anybody may. */
  readonly scopes: readonly string[];
  /** Further lists: one scope of each of them is needed as well. */
  readonly alsoScopes?: readonly (readonly string[])[];
  /** People who have agreed already: another one is needed. */
  readonly notBy: readonly string[];
  /** Those who asked for what is decided about, where they may not decide themselves. */
  readonly requesters?: readonly string[];
  readonly askedAt: number;
  readonly due?: number;
  readonly status: RequestStatus;
  readonly decision?: PersonDecision;
}

/** All requests of a run to people, oldest first. */
export function requestsIn(runId: string, entries: readonly Entry[]): readonly PersonRequest[] {
  const start = entries.find((entry): entry is Entry<EventOf<'run-start'>> => entry.event.type === 'run-start')?.event;
  const run = { id: runId, agent: start?.agent ?? '', tenant: start?.tenant ?? 'default' };
  return waitsIn(entries).flatMap((wait) => requestOf(run, wait) ?? []);
}

interface Asker {
  readonly id: string;
  readonly agent: string;
  readonly tenant: string;
}

const STATUS_OF: Readonly<Record<WaitStatus, RequestStatus>> = {
  open: 'open',
  answered: 'decided',
  'timed-out': 'timed-out',
  closed: 'withdrawn',
};

function requestOf({ id: run, agent, tenant }: Asker, wait: Wait): PersonRequest | undefined {
  const { start, startedAt, status } = wait;
  const { kind, id: effect, name, token, due, schema, needs } = start;
  if (kind === 'signal') return undefined;
  const decision = decisionOf(kind, wait);
  return {
    id: `${String(startedAt).padStart(15, '0')}~${token}`,
    run,
    agent,
    tenant,
    kind,
    effect,
    name,
    token,
    ...shownIn(start),
    request: start.request ?? null,
    ...(schema === undefined ? {} : { answer: schema }),
    scopes: needs?.scopes ?? [],
    ...(needs?.alsoScopes === undefined ? {} : { alsoScopes: needs.alsoScopes }),
    notBy: needs?.notBy ?? [],
    ...(needs?.requesters === undefined ? {} : { requesters: needs.requesters }),
    askedAt: startedAt,
    ...(due === undefined ? {} : { due }),
    status: STATUS_OF[status],
    ...(decision === undefined ? {} : { decision }),
  };
}

const RISKS: readonly Risk[] = ['low', 'medium', 'high', 'critical'];

function shownIn({ name, kind, request }: EventOf<'wait-start'>): Pick<PersonRequest, 'about' | 'why' | 'risk'> {
  const { action, tool, why, prompt, risk } = (request ?? {}) as Readonly<Record<string, unknown>>;
  const about = kind === 'question' ? tool : action;
  const reason = kind === 'question' ? prompt : why;
  const known = RISKS.find((one) => one === risk);
  return {
    about: typeof about === 'string' ? about : name,
    ...(typeof reason === 'string' ? { why: reason } : {}),
    ...(known === undefined ? {} : { risk: known }),
  };
}

function decisionOf(kind: PersonRequest['kind'], { end, endedAt }: Wait): PersonDecision | undefined {
  if (end === undefined || end.timedOut === true) return undefined;
  const said = { by: end.from ?? 'somebody', at: endedAt ?? 0 };
  if (kind !== 'approval') return { ...said, value: end.payload ?? null };
  const { verdict, reason, value, recommended } = (end.payload ?? {}) as Partial<
    Record<'reason' | 'value' | 'recommended', unknown>
  > &
    Partial<Pick<Verdict, 'verdict'>>;
  return {
    ...said,
    ...(verdict === undefined ? {} : { verdict }),
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(value === undefined ? {} : { value }),
    ...(recommended === true ? { recommended } : {}),
  };
}
