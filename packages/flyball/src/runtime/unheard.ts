import { type RunState, rejectionIn } from '../core/run-state.js';
import { isAsked, type Wait, waitsIn } from '../core/waits.js';
import type { Engine, RunRecord, StoredMessage } from '../ports/engine.js';
import type { Attempt } from './attempt.js';
import { forkParent } from './fork-parent.js';
import { load, readAll } from './load.js';
import { stateAfter } from './state-fold.js';

/**
 * Answers that were accepted and that no life of the run has heard: it is paused or asleep, or what asked was closed at
 * that moment. The engine took them while the question was open, and whoever sent them was told so: they count.
 */
interface Unheard {
  readonly wait: Wait;
  readonly message: StoredMessage;
}

async function unheardBy(engine: Engine, record: RunRecord): Promise<readonly Unheard[]> {
  const answers = (await engine.inbox(record.id, 0)).filter(({ kind }) => kind === 'answer');
  if (answers.length === 0) return [];
  const asked = new Map(waitsIn(await readAll(engine, record)).map((wait) => [wait.start.token, wait]));
  return answers.flatMap((message) => {
    const wait = asked.get(message.name);
    return wait === undefined ? [] : [{ wait, message }];
  });
}

/** Before the run ends: what was answered before its question was closed is written down as what was said. */
export async function keepUnheard(attempt: Attempt): Promise<void> {
  // once this is durable, nobody can answer what was closed: what lies in the inbox then is all there is
  if (attempt.journal.openWaits.haveClosed) await attempt.journal.barrier();
  for (const { wait, message } of await unheardBy(attempt.host.engine, attempt.claim.record)) {
    if (wait.status !== 'closed' || !isAsked(wait.start) || wait.generation !== attempt.generation) continue;
    const { id, from } = message;
    attempt.journal.push({
      type: 'wait-end',
      id: wait.start.id,
      signal: id,
      from,
      ...payloadOf(message),
      unheard: true,
    });
    attempt.journal.writer.take(message.number);
  }
}

type Rejections = RunState['rejections'];

/** Nos that stand for forks of a run and are not in its journal: those it has not heard, and those of where it comes from. */
export async function rejectionsBeside(
  engine: Engine,
  record: RunRecord,
  below: readonly string[] = [],
): Promise<Rejections> {
  const unheard: Record<string, Rejections[string]> = {};
  for (const { wait, message } of await unheardBy(engine, record)) {
    const no = rejectionIn({ ...payloadOf(message), from: message.from, at: message.at });
    if (no !== undefined) for (const act of wait.start.acts ?? []) unheard[act] = no;
  }
  if (record.fork === undefined) return unheard;
  const origin = await forkParent(engine, record, { fork: record.fork, below });
  return { ...(await rejectionsOf(engine, origin, [...below, record.id])), ...unheard };
}

async function rejectionsOf(engine: Engine, record: RunRecord, below: readonly string[]): Promise<Rejections> {
  const beside = await rejectionsBeside(engine, record, below);
  const { entries } = await load(engine, record, record.generation);
  return { ...beside, ...stateAfter(entries).rejections };
}

function payloadOf({ body }: StoredMessage): { readonly payload?: unknown } {
  return body === '' ? {} : { payload: JSON.parse(body) };
}
