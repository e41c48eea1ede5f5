import type { Waiting } from '../core/outcome.js';
import type { Attempt } from './attempt.js';
import { until } from './until.js';

/** Unloads a run that only waits: the journal has everything, so this life can simply be forgotten. */
export async function suspend(attempt: Attempt): Promise<void> {
  if (!onlyWaits(attempt)) return;
  await attempt.inbox.hasRead();
  await attempt.journal.writer.flush();
  // that took a turn: something may have moved meanwhile
  if (!onlyWaits(attempt) || attempt.journal.writer.hasUnwritten) return;
  const waiting = waitingOf(attempt);
  const dues = duesOf(attempt);
  attempt.life.unload();
  await attempt.host.release(attempt, {
    status: 'suspended',
    ...(dues.length > 0 ? { wakeAt: Math.min(...dues) } : {}),
    waiting: waiting.filter((item) => item.kind !== 'sleep').map((item) => item.name),
  });
  attempt.host.ended(attempt, { stop: 'suspended', waiting, usage: attempt.effects.usage() });
}

/**
 * Nothing but a message or a time that lies ahead can move it. One whose time has come was woken for that: unloaded before
 * it has got anywhere, it would be woken again and again.
 */
function onlyWaits(attempt: Attempt): boolean {
  const { life, delivery, clock } = attempt;
  if (life.isDead || life.isResting || !delivery.onlyWaits) return false;
  return duesOf(attempt).every((due) => clock.msUntil(due) > 0);
}

/** When it moves by itself. */
function duesOf(attempt: Attempt): readonly number[] {
  const dues = waitingOf(attempt).flatMap(({ until }) => (until === undefined ? [] : [until]));
  const deadline = attempt.life.time.nextDeadline();
  return deadline === undefined ? dues : [...dues, deadline];
}

/** Rests at a safe point until somebody resumes the run. */
export async function pause(attempt: Attempt): Promise<void> {
  const last = attempt.life.pauses.at(-1);
  if (attempt.life.isDead || attempt.life.isResting || last === undefined) return;
  attempt.life.rest();
  const waiting = waitingOf(attempt);
  attempt.inbox.close(); // what arrives from here on is for the next life
  attempt.journal.push({ type: 'run-pause', by: last.from });
  for (const { number } of attempt.life.pauses) attempt.journal.writer.take(number);
  await attempt.journal.barrier();
  attempt.life.unload();
  await attempt.host.release(attempt, { status: 'paused' });
  attempt.host.ended(attempt, { stop: 'suspended', waiting, paused: true, usage: attempt.effects.usage() });
}

/** Lets what is in flight end, then gives the run back for another process to go on with. */
export async function giveBack(attempt: Attempt): Promise<void> {
  attempt.life.giveBack();
  // a run that is finishing ends by itself
  const isBusy = (): boolean => attempt.effects.open.areActing() || attempt.life.settlement !== undefined;
  await until(() => attempt.life.isDead || !isBusy(), attempt.clock);
  if (attempt.life.isDead || attempt.life.isResting) return;
  attempt.life.rest();
  attempt.inbox.close();
  await attempt.journal.barrier();
  attempt.life.unload();
  await attempt.host.release(attempt, { status: 'pending', inLine: true });
}

function waitingOf({ effects, inbox }: Attempt): Waiting[] {
  return effects.open.all().flatMap((pending) => inbox.waitingOf(pending));
}
