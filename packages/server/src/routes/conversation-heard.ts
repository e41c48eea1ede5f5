import type { Outcome, RunHandle } from 'flyball';
import { FlyballError } from 'flyball';
import { type Heard, heardIn, turnsIn } from '../agents/turns.js';
import type { Parts } from '../parts.js';
import { Problem } from '../problem.js';
import { untilRest } from './until-rest.js';

/** Another process may drive the run, and is not heard here: its journal is looked at again after so long. */
const LOOK_MS = 250;

export interface SaidMessage {
  readonly runId: string;
  /** The id it was sent under. */
  readonly message: string;
  readonly signal: AbortSignal;
}

/**
 * Stays until the conversation has dealt with this message: true then, false when it goes on without the client or
 * waits for somebody else. What the run itself refuses (a guard of its agents may) is refused here as well.
 */
export async function untilHeard(parts: Parts, { runId, message, signal }: SaidMessage): Promise<boolean> {
  const { clock, settings, fleet } = parts;
  const until = clock.monotonic() + settings.requestTimeoutMs;
  let handle = await woken(parts, runId);
  for (;;) {
    const outcome = await untilRest(handle, { clock, ms: Math.max(0, until - clock.monotonic()), signal });
    if (outcome === undefined) return false;
    const entries = await fleet.entries(runId);
    const heard = heardIn(entries, message);
    if (isAnswered(heard, outcome)) return true;
    if (await restsForOthers(parts, runId, turnsIn(entries).listens)) return false;
    await pause(parts, signal);
    handle = fleet.handle(runId);
  }
}

/** Whoever has just posted wants the run to go on here and now, unless it goes on elsewhere or has ended meanwhile. */
async function woken({ fleet }: Parts, runId: string): Promise<RunHandle> {
  return fleet.wake(runId).catch((error: unknown) => {
    if (error instanceof FlyballError && ELSEWHERE.has(error.code)) return fleet.handle(runId);
    throw error;
  });
}

const ELSEWHERE: ReadonlySet<string> = new Set(['JOURNAL_CONFLICT', 'ALREADY_TERMINAL', 'AGENT_UNKNOWN']);

function isAnswered(heard: Heard, outcome: Outcome<unknown>): boolean {
  if (typeof heard === 'object')
    throw new Problem(403, 'DENIED', `The message was refused: ${heard.refused}.`, {
      next: 'Rephrase the message; the conversation continues.',
    });
  if (heard === 'answered') return true;
  if (outcome.stop === 'suspended') return false;
  if (heard === 'at-work') return true; // it ended over this message
  throw new Problem(409, 'ALREADY_TERMINAL', 'The conversation ended before it received this message.', {
    next: 'Start a new one.',
  });
}

async function restsForOthers({ fleet }: Parts, runId: string, listens: boolean): Promise<boolean> {
  const { status } = await fleet.get(runId);
  if (status === 'suspended') return !listens; // one that listens has the message in its inbox, and is about to take it
  return status !== 'running' && status !== 'pending';
}

function pause({ clock }: Parts, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(LOOK_MS, done, { keepAlive: false });
    signal.addEventListener('abort', done, { once: true });
  });
}
