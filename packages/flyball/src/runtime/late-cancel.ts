import { FlyballError } from '../core/errors.js';
import type { Engine } from '../ports/engine.js';

/**
 * Puts a run in line again that was given back at a bound, or set aside, where a cancellation came that no life of it has
 * heard: whoever sent it saw a run at work, and left the rest to whoever works on it.
 */
export async function carryOutLateCancel(engine: Pick<Engine, 'inbox' | 'requeue'>, runId: string): Promise<void> {
  const messages = await engine.inbox(runId, 0);
  if (messages.some(({ kind }) => kind === 'cancel')) await engine.requeue(runId).catch(unlessOver);
}

/** Somebody else put it in line for the same cancellation, which has been carried out since. */
function unlessOver(error: unknown): void {
  if (!(error instanceof FlyballError && error.code === 'ALREADY_TERMINAL')) throw error;
}
