import { type Asking, needsOf } from '../../core/approval.js';
import { fingerprint, strictJson } from '../../core/codec.js';
import { ConfigError, EffectError } from '../../core/errors.js';
import type { EffectId, EventOf } from '../../core/events.js';
import { through } from '../../core/join-seams.js';
import type { Heard, SignalSpec } from '../../core/run.js';
import { jsonSchemaOf, type StandardSchema } from '../../core/schema.js';
import { isAskedName, waitToken } from '../../core/waits.js';
import type { Attempt } from '../attempt.js';
import { type Pending, type Scope, subsOf } from '../open-effects.js';
import { provenanceOfRequest } from './act-provenance.js';
import { ask } from './effect.js';

/** Waits for a signal by name: durable, so nobody holds a process open for it. */
export function wait<T, R>(
  attempt: Attempt,
  scope: Scope,
  spec: SignalSpec<T>,
  as: (heard: Heard<T>) => R,
): Promise<R | 'timed-out'> {
  if (typeof spec.name !== 'string' || spec.name === '') throw new ConfigError('A signal needs a name.');
  if (spec.approval === undefined && isAskedName(spec.name))
    throw new ConfigError(
      `"${spec.name}" cannot be the name of a signal: what begins with approve:, answer: or doubt: is asked of people. Choose another name.`,
    );
  for (const time of [spec.timeoutMs, spec.deadline]) {
    if (time !== undefined && !Number.isFinite(time))
      throw new ConfigError(
        `The timeout of a wait must be a finite number, got ${time}. Omit it to wait without a limit.`,
      );
  }
  strictJson(spec.request);
  const jsonSchema =
    spec.jsonSchema ?? (spec.schema === undefined ? undefined : jsonSchemaOf(spec.schema as StandardSchema));
  return ask<R | 'timed-out'>(attempt, scope, {
    kind: 'wait',
    fp: fingerprint('wait', spec.name, null),
    name: spec.name,
    want: {},
    drive: async (pending) => {
      if (scope.world !== undefined) return notAsked(attempt, pending, spec.name);
      await openWait(attempt, pending, pending.id, {
        kind: spec.approval === undefined ? 'signal' : 'approval',
        asking: spec.approval,
        name: spec.name,
        timeoutMs: spec.timeoutMs,
        deadline: spec.deadline,
        request: spec.approval === undefined ? spec.request : grounded(attempt, pending, spec.request),
        isInput: spec.isInput,
        schema: spec.schema as StandardSchema | undefined,
        jsonSchema,
      });
    },
    answer: (end) => {
      if (end.type === 'abort') return new EffectError(end.failure);
      const waited = end as EventOf<'wait-end'>;
      if (waited.timedOut === true) return 'timed-out';
      return as({ value: waited.payload as T, from: waited.from ?? 'anonymous' });
    },
  });
}

/** A simulated child waits for nobody: nobody knows of it. */
function notAsked(attempt: Attempt, { id, fp }: Pending, name: string): void {
  const message = `Nobody can send "${name}": this child is simulated.`;
  const failure = { code: 'NOT_SIMULATED', message, retryable: false } as const;
  attempt.delivery.record({ type: 'abort', id, fp, name, failure });
}

/** Whoever decides is told what it rests on, by the kernel: the code that asks cannot leave it out or say otherwise. */
function grounded(attempt: Attempt, pending: Pending, request: unknown): unknown {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) return request;
  return { ...request, provenance: provenanceOfRequest(attempt, pending, request) };
}

export interface WaitPlan {
  readonly kind: EventOf<'wait-start'>['kind'];
  readonly name: string;
  readonly timeoutMs?: number | undefined;
  readonly deadline?: number | undefined;
  readonly request?: unknown;
  readonly schema?: StandardSchema | undefined;
  readonly jsonSchema?: EventOf<'wait-start'>['schema'] | undefined;
  readonly isInput?: true | undefined;
  readonly admitted?: EventOf<'wait-start'>['admitted'] | undefined;
  /** Who may answer. Anybody where it is absent; an approval, not whoever asked for the act. */
  readonly asking?: Asking | undefined;
  readonly acts?: readonly string[];
}

/** Opens a wait, or opens it again under the token it already has. */
export async function openWait(attempt: Attempt, pending: Pending, id: EffectId, plan: WaitPlan): Promise<void> {
  const recorded = attempt.recorded.starts.get(id)?.findLast((entry) => entry.inherited === undefined)?.event;
  const known = recorded?.type === 'wait-start' ? recorded : undefined;
  if (known !== undefined && !attempt.recorded.openWaits.has(id)) {
    attempt.journal.push(known); // a bound had closed it, and no longer holds
    await attempt.journal.barrier();
  }
  const start = known ?? (await startWait(attempt, pending, id, plan));
  if (start === undefined || isAbandoned(pending)) return attempt.effects.drop(pending);
  pending.phase = 'waiting';
  attempt.effects.open.parked();
  if (start.due !== undefined) {
    attempt.life.timers.set(`due:${id}`, attempt.clock.msUntil(start.due), () => {
      if (!isAbandoned(pending)) expire(attempt, pending, id).catch((error: unknown) => attempt.life.fail(error));
    });
  }
  if (!pending.intended) {
    pending.onAbort = () => {
      attempt.inbox.removeWaiter(id);
      attempt.life.timers.clear(`due:${id}`);
    };
  }
  attempt.inbox.addWaiter({ id, start, pending, schema: plan.schema, isInput: plan.isInput === true, busy: false });
  attempt.delivery.kick();
}

/** Its time is over. What came before that is heard, also where this process learns of it only now. */
async function expire(attempt: Attempt, pending: Pending, id: EffectId): Promise<void> {
  pending.phase = 'running'; // the run is not unloaded while we look
  attempt.life.busy();
  await attempt.inbox.catchUp();
  if (attempt.life.isDead) return;
  if (isAbandoned(pending)) return attempt.effects.drop(pending);
  pending.phase = 'waiting';
  if (attempt.inbox.expire(id)) attempt.delivery.record({ type: 'wait-end', id, timedOut: true });
}

async function startWait(
  attempt: Attempt,
  pending: Pending,
  id: EffectId,
  plan: WaitPlan,
): Promise<EventOf<'wait-start'> | undefined> {
  const ctx = attempt.guards.context(id);
  const publish = through(attempt.host.seams, 'outbound', async ({ request }) => request);
  const request =
    plan.request === undefined ? undefined : await publish({ name: plan.name, request: plan.request }, ctx);
  const needs = await neededFor(attempt, plan);
  if (isAbandoned(pending)) return undefined;
  const dues = [plan.deadline, plan.timeoutMs === undefined ? undefined : attempt.clock.dueIn(plan.timeoutMs)].filter(
    (at) => at !== undefined,
  );
  const start: EventOf<'wait-start'> = {
    type: 'wait-start',
    id,
    fp: pending.id === id ? pending.fp : fingerprint('wait', plan.name, null),
    kind: plan.kind,
    name: plan.name,
    token: waitToken(attempt.runId, { generation: attempt.generation, id }),
    ...(dues.length > 0 ? { due: Math.min(...dues) } : {}),
    ...(plan.jsonSchema === undefined ? {} : { schema: plan.jsonSchema }),
    ...(request === undefined ? {} : { request }),
    ...(plan.admitted === undefined ? {} : { admitted: plan.admitted }),
    ...(needs === undefined ? {} : { needs }),
    ...(plan.acts === undefined ? {} : { acts: plan.acts }),
  };
  attempt.journal.push(start);
  await attempt.journal.barrier();
  return start;
}

const ANYBODY: Asking = { scopes: [], notBy: [] };

/** What a person is asked for their own part, or about what nobody had to approve, whoever asked for the run may answer too. */
async function neededFor(attempt: Attempt, { kind, asking }: WaitPlan): Promise<EventOf<'wait-start'>['needs']> {
  const { requesterDecides: may } = attempt.host.options;
  const isApproval = kind === 'approval' || (kind === 'doubt' && asking !== undefined);
  const requesterDecides = !isApproval || (typeof may === 'function' ? await may() : may);
  return needsOf(asking ?? ANYBODY, { requesters: attempt.journal.state.askedBy, requesterDecides });
}

/** Nobody waits for it and it changed nothing. What has an INTENT is seen to its end all the same. */
function isAbandoned(pending: Pending): boolean {
  return pending.closedBy !== undefined && !pending.intended;
}

/** A wait inside another effect: a gate or a doubt. Answered from history where it already ended. */
export function subWait(
  attempt: Attempt,
  pending: Pending,
  id: EffectId,
  plan: WaitPlan,
): Promise<EventOf<'wait-end'>> {
  const subs = subsOf(pending);
  const ended = subs.ended.get(id);
  if (ended !== undefined) return Promise.resolve(ended);
  return new Promise((resolve, reject) => {
    subs.waiters.set(id, (end) => {
      pending.phase = 'running';
      pending.onAbort = undefined;
      resolve(end);
    });
    openWait(attempt, pending, id, plan).catch(reject);
  });
}

export function sleep(attempt: Attempt, scope: Scope, ms: number): Promise<void> {
  if (!(ms >= 0 && Number.isFinite(ms))) throw new ConfigError(`sleep takes milliseconds of at least 0, got ${ms}.`);
  return ask<void>(attempt, scope, {
    kind: 'sleep',
    fp: fingerprint('sleep', '', ms),
    want: {},
    drive: async (pending) => {
      const recorded = attempt.recorded.starts.get(pending.id)?.at(-1)?.event;
      const due = recorded?.type === 'sleep-start' ? recorded.due : attempt.clock.dueIn(ms);
      if (recorded === undefined) {
        attempt.journal.push({ type: 'sleep-start', id: pending.id, fp: pending.fp, due });
        await attempt.journal.barrier();
      }
      if (pending.closedBy !== undefined) return attempt.effects.drop(pending);
      const isLate = recorded !== undefined && attempt.clock.msUntil(due) <= 0;
      waitUntil(attempt, pending, due, () => {
        const end = (): void => attempt.delivery.record({ type: 'sleep-end', id: pending.id });
        if (!isLate) return end();
        // nobody was there when it was over: what was sent before that comes first
        attempt.inbox.catchUp().then(
          () => (pending.closedBy === undefined ? end() : attempt.effects.drop(pending)),
          (error: unknown) => attempt.life.fail(error),
        );
      });
    },
    answer: () => undefined,
  });
}

/** Parks an effect until a time; the run may be unloaded meanwhile and wakes for it. */
export function waitUntil(attempt: Attempt, pending: Pending, due: number, then: () => void): void {
  pending.phase = 'waiting';
  attempt.effects.open.parked();
  pending.wakeAt = due;
  if (!pending.intended) pending.onAbort = () => attempt.life.timers.clear(`due:${pending.id}`);
  attempt.life.timers.set(`due:${pending.id}`, attempt.clock.msUntil(due), () => {
    if (isAbandoned(pending)) return;
    pending.phase = 'running';
    pending.wakeAt = undefined;
    pending.onAbort = undefined;
    attempt.life.busy();
    then();
  });
  attempt.delivery.kick();
}
