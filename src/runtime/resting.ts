import type { Attempt } from './attempt.js';

/** Unloads a run that only waits: the journal has everything, so this life can simply be forgotten. */
export async function suspend(attempt: Attempt): Promise<void> {
  if (attempt.dead || attempt.resting || !attempt.onlyWaits()) return;
  await attempt.writer.flush();
  // the flush took a turn: something may have moved meanwhile
  if (attempt.dead || attempt.resting || !attempt.onlyWaits() || attempt.writer.hasUnwritten) return;
  const waiting = attempt.waiting();
  const dues = waiting.flatMap((item) => (item.until === undefined ? [] : [item.until]));
  const deadline = attempt.time.nextDeadline();
  if (deadline !== undefined) dues.push(deadline);
  attempt.unload();
  await attempt.host.release(attempt, {
    status: 'suspended',
    ...(dues.length > 0 ? { wakeAt: Math.min(...dues) } : {}),
    waiting: waiting.filter((item) => item.kind !== 'sleep').map((item) => item.name),
  });
  attempt.host.ended(attempt, { stop: 'suspended', waiting, usage: attempt.usage() });
}

/** Rests at a safe point until somebody resumes the run. */
export async function pause(attempt: Attempt): Promise<void> {
  const last = attempt.pauses.at(-1);
  if (attempt.dead || attempt.resting || last === undefined) return;
  attempt.resting = true;
  const waiting = attempt.waiting();
  attempt.inbox.close(); // what arrives from here on is for the next life
  attempt.push({ type: 'run-pause', by: last.from });
  for (const { number } of attempt.pauses) attempt.writer.take(number);
  await attempt.barrier();
  attempt.unload();
  await attempt.host.release(attempt, { status: 'paused' });
  attempt.host.ended(attempt, { stop: 'suspended', waiting, paused: true, usage: attempt.usage() });
}

/** Lets what is in flight end, then gives the run back for another process to go on with. */
export async function giveBack(attempt: Attempt): Promise<void> {
  attempt.stopping ??= 'give-back';
  // a run that is finishing ends by itself
  while (!attempt.dead && (attempt.open.areActing() || attempt.settlement !== undefined))
    await new Promise((resolve) => setImmediate(resolve));
  if (attempt.dead || attempt.resting) return;
  attempt.resting = true;
  attempt.inbox.close();
  await attempt.barrier();
  attempt.unload();
  await attempt.host.release(attempt, { status: 'pending' });
}
