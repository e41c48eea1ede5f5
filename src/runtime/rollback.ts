import { failureOf } from '../core/errors.js';
import type { EffectId, EventOf, SagaEntry } from '../core/events.js';
import type { RollbackEntry, RollbackReport } from '../core/outcome.js';
import type { Attempt } from './attempt.js';
import { isUnder } from './recorded.js';

const COMPENSATION_TIMEOUT_MS = 60_000;

/**
 * Undoes what was done below `path`, newest first. Each compensation is an effect of its own: INTENT, a key that stays
 * the same, and an end in the journal, so that a crash inside a rollback repeats nothing that was already undone.
 */
export async function rollback(attempt: Attempt, path: string, why: string): Promise<RollbackReport> {
  const todo = attempt.saga.filter(({ effect, generation }) => (generation === attempt.generation ? isUnder(effect, path) : path === '')).reverse();
  const open = todo.filter((entry) => !attempt.isUndoneElsewhere(entry, path));
  if (open.length === 0) return { success: true, entries: [] };
  if (!attempt.rollbackAnnounced(path)) attempt.push({ type: 'rollback-start', scope: path, why, entries: open });
  const entries: RollbackEntry[] = [];
  for (const entry of open) entries.push(await undo(attempt, entry));
  const success = entries.every((entry) => entry.status === 'COMPENSATED');
  const report: RollbackReport = success ? { success, entries } : { success, entries, attention: 'requires manual intervention' };
  if (path === '') attempt.push({ type: 'rollback-end', scope: path, report });
  return report;
}

async function undo(attempt: Attempt, entry: SagaEntry): Promise<RollbackEntry> {
  const id: EffectId = `${entry.generation}:${entry.effect}!undo`;
  const intent = await attempt.intentOf(entry);
  const name = intent?.name ?? entry.effect;
  const base = { effect: entry.effect, name };
  if (intent === undefined || intent.undo === undefined) {
    const note = intent?.class === 'irreversible' ? 'irreversible: it cannot be undone' : 'it declares no compensation';
    return { ...base, status: 'CANNOT_ROLLBACK', note: `${note}; requires manual intervention` };
  }
  const ended = attempt.undoEnd(id);
  if (ended?.type === 'complete') return { ...base, status: 'COMPENSATED' };
  if (ended?.type === 'abort') return { ...base, status: 'COMPENSATION_FAILED', note: ended.failure.message };
  return compensate(attempt, entry, id, intent);
}

async function compensate(attempt: Attempt, entry: SagaEntry, id: EffectId, intent: EventOf<'intent'>): Promise<RollbackEntry> {
  const base = { effect: entry.effect, name: intent.name };
  const key = `${intent.key}!undo`;
  attempt.pushUndo({
    type: 'intent',
    id,
    fp: intent.fp,
    of: 'undo',
    name: intent.name,
    class: 'idempotent',
    key,
    input: { effect: entry.effect, generation: entry.generation },
    deadline: attempt.host.clock.now() + COMPENSATION_TIMEOUT_MS,
    reserved: {},
    attempt: 1,
    owner: attempt.host.me,
  });
  await attempt.barrier();
  const problem = await tryCompensation(attempt, entry, key);
  if (problem === undefined) {
    attempt.pushUndo({ type: 'complete', id, result: null });
    await attempt.barrier();
    return { ...base, status: 'COMPENSATED' };
  }
  attempt.pushUndo({ type: 'abort', id, failure: failureOf(problem) });
  attempt.push({ type: 'operator-alert', alert: 'compensation_failed', effect: entry.effect, why: failureOf(problem).message });
  await attempt.barrier();
  return { ...base, status: 'COMPENSATION_FAILED', note: `${failureOf(problem).message}; requires manual intervention` };
}

/** Undefined when it worked. A compensation asserts a state, so trying it again is safe. */
async function tryCompensation(attempt: Attempt, entry: SagaEntry, key: string): Promise<unknown> {
  const compensation = await compensatorOf(attempt, entry);
  if (compensation === undefined) return new Error('the code that knew how to undo it is not there any more');
  let problem: unknown;
  for (let nth = 1; nth <= attempt.host.options.compensationAttempts; nth++) {
    const controller = new AbortController();
    const cancel = attempt.host.clock.after(COMPENSATION_TIMEOUT_MS, () => controller.abort(new Error(`no end within ${COMPENSATION_TIMEOUT_MS} ms`)));
    try {
      await Promise.race([attempt.inEffect(() => compensation({ key, signal: controller.signal })), aborted(controller.signal)]);
      return undefined;
    } catch (error) {
      problem = error;
    } finally {
      cancel();
    }
  }
  return problem;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

/** Known from this life, or learnt again by replaying the generation that made the effect. */
async function compensatorOf(attempt: Attempt, entry: SagaEntry) {
  const name = `${entry.generation}:${entry.effect}`;
  const known = attempt.compensators.get(name);
  if (known !== undefined) return known;
  for (const [id, learnt] of await attempt.host.harvest(attempt, entry.generation)) {
    if (!attempt.compensators.has(id)) attempt.compensators.set(id, learnt);
  }
  return attempt.compensators.get(name);
}
