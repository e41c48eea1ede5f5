import { failureOf, JournalConflictError } from '../core/errors.js';
import type { EffectId, EventOf, SagaEntry } from '../core/events.js';
import type { RollbackEntry, RollbackReport } from '../core/outcome.js';
import type { Attempt } from './attempt.js';
import { effectContext } from './effect-context.js';
import { type Compensation, type Done, undoId } from './saga.js';

const MANUAL = 'requires manual intervention';

/**
 * Undoes what was done below `path`, newest first. Each compensation is an effect of its own: INTENT, a key that stays
 * the same, and an end in the journal, so that a crash inside a rollback repeats nothing that was already undone. An
 * undo belongs to one rollback: whoever calls this waits for those that are under way below `path`.
 */
export async function rollback(attempt: Attempt, path: string, why: string): Promise<RollbackReport> {
  const own = attempt.journal.saga.toUndo(path).map((entry) => doneOf(attempt, entry));
  const todo = path === '' ? [...own, ...(await leftBefore(attempt))] : own;
  const open = attempt.effects.open.intended(path);
  if (todo.length === 0 && open.length === 0) return { success: true, entries: [] };
  if (!attempt.journal.saga.isAnnounced(path))
    attempt.journal.push({ type: 'rollback-start', scope: path, why, entries: todo.map(({ entry }) => entry) });
  const entries: RollbackEntry[] = [];
  for (const { id } of open) {
    const { name } = attempt.journal.saga.intents.get(id) ?? { name: id };
    const note = 'it is undone should it turn out to have happened';
    entries.push({ effect: id, generation: attempt.generation, name, status: 'IN_DOUBT', note });
  }
  for (const done of todo) entries.push(await undo(attempt, done));
  const success = entries.every((entry) => entry.status === 'COMPENSATED');
  const report: RollbackReport = { success, entries, ...(success ? {} : { attention: MANUAL }) };
  if (path === '') attempt.journal.push({ type: 'rollback-end', scope: path, report });
  return report;
}

/** What branches that lost turned out to have done after their rollback. */
export async function undoStrays(attempt: Attempt): Promise<void> {
  for (const entry of attempt.journal.saga.strays()) await undo(attempt, doneOf(attempt, entry));
}

function doneOf(attempt: Attempt, entry: SagaEntry): Done {
  return { entry, intent: attempt.journal.saga.intents.get(entry.effect) };
}

/** What earlier generations of this run left to undo, newest first. Read only now: most runs never need it. */
async function leftBefore(attempt: Attempt): Promise<readonly Done[]> {
  const { toUndo } = attempt.journal.state.state();
  const left: Done[] = [];
  for (let generation = attempt.generation - 1; generation >= 0 && left.length < toUndo; generation--)
    left.push(...(await attempt.host.leftBy(attempt, generation)));
  return left;
}

async function undo(attempt: Attempt, { entry, intent }: Done): Promise<RollbackEntry> {
  const { effect, generation } = entry;
  const base = { effect, generation, name: intent?.name ?? effect };
  if (intent?.undo === undefined && entry.unknown) {
    return { ...base, status: 'IN_DOUBT', note: `it may have taken place, and declares no compensation; ${MANUAL}` };
  }
  if (intent?.undo === undefined) {
    const note = intent?.class === 'irreversible' ? 'irreversible: it cannot be undone' : 'it declares no compensation';
    return { ...base, status: 'CANNOT_ROLLBACK', note: `${note}; ${MANUAL}` };
  }
  const ended =
    attempt.journal.saga.undoEnd(undoId(attempt.runId, entry)) ?? (await compensate(attempt, entry, intent));
  if (ended.failure === undefined) return { ...base, status: 'COMPENSATED' };
  const status = ended.type === 'complete' ? 'IN_DOUBT' : 'COMPENSATION_FAILED';
  return { ...base, status, note: `${ended.failure.message}; ${MANUAL}` };
}

async function compensate(
  attempt: Attempt,
  entry: SagaEntry,
  intent: EventOf<'intent'>,
): Promise<EventOf<'complete' | 'abort'>> {
  const id = undoId(attempt.runId, entry);
  const key = `${intent.key}!undo`;
  attempt.journal.push({
    type: 'intent',
    id,
    fp: intent.fp,
    of: 'undo',
    name: intent.name,
    class: 'idempotent',
    key,
    input: { effect: entry.effect, generation: entry.generation },
    deadline: attempt.clock.now() + attempt.host.options.compensationTimeoutMs,
    reserved: {},
    attempt: 1,
  });
  await attempt.journal.barrier();
  const problem = await tryCompensation(attempt, entry, key);
  const end = undoEnd(id, problem, isStillRunning(attempt, entry));
  attempt.journal.push(end);
  if (end.failure !== undefined)
    attempt.journal.push({
      type: 'operator-alert',
      alert: 'compensation_failed',
      effect: entry.effect,
      generation: entry.generation,
      why: end.failure.message,
    });
  await attempt.journal.barrier();
  return end;
}

function undoEnd(id: EffectId, problem: unknown, isRunning: boolean): EventOf<'complete' | 'abort'> {
  if (problem !== undefined) return { type: 'abort', id, failure: failureOf(problem) };
  if (!isRunning) return { type: 'complete', id, result: null };
  const message = 'it was undone while it was still running, and may act after that';
  return { type: 'complete', id, result: null, failure: { code: 'EFFECT_FAILED', message, retryable: false } };
}

function isStillRunning(attempt: Attempt, { effect, generation }: SagaEntry): boolean {
  return generation === attempt.generation && [...attempt.effects.leftBehind.values()].includes(effect);
}

/** Undefined when it worked. A compensation asserts a state, so trying it again is safe. */
async function tryCompensation(attempt: Attempt, entry: SagaEntry, key: string): Promise<unknown> {
  const compensation = await compensationOf(attempt, entry);
  if (compensation === undefined) return new Error('the code to undo it no longer exists');
  let problem: unknown;
  for (let nth = 1; nth <= attempt.host.options.compensationAttempts; nth++) {
    await stillOwned(attempt, entry);
    try {
      await withinTime(attempt, (signal) => compensation({ key, signal, fence: attempt.claim.fence }));
      return undefined;
    } catch (error) {
      problem = error;
    }
  }
  return problem;
}

/** Whoever has lost the run leaves its rollback to its successor. Never resolves then. */
async function stillOwned(attempt: Attempt, { effect }: SagaEntry): Promise<void> {
  if (attempt.life.holdsLease || (await attempt.life.regainsLease())) return;
  attempt.life.fail(new JournalConflictError(attempt.runId, `the lease ended before ${effect} was undone.`));
  await attempt.journal.barrier();
}

async function withinTime(attempt: Attempt, body: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  let cancel = (): void => undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const { compensationTimeoutMs } = attempt.host.options;
    cancel = attempt.clock.after(compensationTimeoutMs, () => {
      const error = new Error(`no end within ${compensationTimeoutMs} ms`);
      controller.abort(error);
      reject(error);
    });
  });
  const inside = { life: attempt.life.tag, inEffect: true, host: false };
  try {
    await Promise.race([effectContext.run(inside, () => body(controller.signal)), late]);
  } finally {
    cancel();
  }
}

/** Known from this life, or learned again by replaying the generation that made the effect. */
async function compensationOf(attempt: Attempt, entry: SagaEntry): Promise<Compensation | undefined> {
  const { compensations } = attempt.journal.saga;
  const name = `${entry.generation}:${entry.effect}`;
  if (!compensations.has(name)) {
    for (const [id, learned] of await attempt.host.harvest(attempt, entry.generation)) {
      if (!compensations.has(id)) compensations.set(id, learned);
    }
  }
  return compensations.get(name);
}
