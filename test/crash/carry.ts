import type { Outcome, RunHandle, Runtime, Waiting } from 'flyball';
import { turns } from 'flyball/testing';
import type { Limits } from './case.js';
import type { End, Journey } from './journey.js';
import { pass } from './jumping-clock.js';
import { respond } from './person.js';
import { type Life, PLENTY, type Place } from './place.js';
import { callsOf } from './world.js';

const MOST_TURNS = 120;

/** Takes a run to its end in this life: starts it or goes on with it, answers what it asks, lets time pass. */
export async function carry(place: Place, life: Life, journey: Journey): Promise<End> {
  const { runtime } = life;
  const { runId } = journey;
  const waiting: string[] = [];
  try {
    await life.ready;
    const known = await runtime.get(runId).catch(() => undefined);
    if (known !== undefined) await forgetUnheard(runtime, journey);
    let handle = known === undefined ? await journey.begin(runtime) : await goOn(runtime, runId);
    for (let turn = 0; turn < MOST_TURNS; turn++) {
      const outcome = await rested(place, handle);
      if (outcome.stop === 'bounded') {
        const next = await enlarge(place, life, journey, outcome);
        if (next === undefined) return outcome;
        handle = next;
      } else if (outcome.stop !== 'suspended') return outcome;
      else if (outcome.waiting.length === 0 && outcome.paused !== true) {
        await turns(); // asked while it was being handed on or set aside: the next answer says which
        handle = runtime.handle(runId);
      } else if (outcome.paused === true) handle = await afterPause(place, life, journey);
      else {
        if (turn > MOST_TURNS - 4) waiting.push(JSON.stringify(outcome.waiting));
        const until = Math.min(...outcome.waiting.map((one) => one.until ?? Number.POSITIVE_INFINITY));
        const hasHelped = await helped(place, life, { runId, waiting: outcome.waiting });
        const isAnswered = (await respond(place, life, journey, outcome.waiting)) || hasHelped;
        if (!isAnswered && until === Number.POSITIVE_INFINITY)
          return { stop: 'hangs', because: JSON.stringify(outcome.waiting) };
        if (!isAnswered) await pass(place.clock, Math.max(until - place.clock.now(), leastPause(place)));
        handle = await goOn(runtime, runId);
      }
    }
    return { stop: 'spins', because: waiting.join('\n') };
  } catch (error) {
    const { code = 'UNKNOWN', message, stack } = error as Error & { readonly code?: string };
    return { stop: 'stalled', code, because: code === 'UNKNOWN' ? (stack ?? '') : message };
  }
}

/**
 * Where the date was set forward, it says that a sleep is over before that much time has passed. A process goes by the time,
 * and whoever dispatches leaves the run alone until then; to wake a run by hand is to go by the date.
 */
function leastPause({ dispatching }: Place): number {
  return dispatching === undefined ? 0 : 1_000;
}

/** It may rest as before where it was only just handed over. */
async function rested({ dispatching }: Place, handle: RunHandle): Promise<Outcome<unknown>> {
  const first = await handle.outcome();
  if (dispatching === undefined) return first;
  await dispatching.settled();
  return handle.outcome();
}

/**
 * Other runs that this one started, or waits for, are taken to their ends, as a worker would. True where one has come to
 * its end. A fork waits for runs that its origin started: one whose process died between its last entry and giving it
 * back is left like that by an origin that was told of the end, and says that it is running until somebody takes it over.
 */
async function helped(
  place: Place,
  { runtime }: Life,
  { runId, waiting }: { readonly runId: string; readonly waiting: readonly Waiting[] },
): Promise<boolean> {
  const { runs } = await runtime.list({ agent: 'helper', limit: 100 });
  const joined = new Set(waiting.map(({ name }) => name));
  let hasHelped = false;
  for (const { id, status, source } of runs) {
    const isItsOwn = source === `run:${runId}` || joined.has(`ended:${id}`);
    if (!isItsOwn || !['pending', 'running', 'suspended'].includes(status)) continue;
    await rested(place, await runtime.wake(id));
    hasHelped = true;
  }
  return hasHelped;
}

/** A run that ended in the life before has nothing to go on with; one at a bound is for its owner to resume. */
export async function goOn(runtime: Runtime, runId: string): Promise<RunHandle> {
  const { status } = await runtime.get(runId);
  if (status === 'bounded' || status === 'paused') return runtime.handle(runId);
  return runtime.wake(runId).catch((error: { readonly code?: string }) => {
    if (error.code === 'ALREADY_TERMINAL') return runtime.handle(runId);
    throw error;
  });
}

/** Time passes before somebody decides. Whoever was to tell a process that died meanwhile tells the next one. */
async function deliberated(place: Place, life: Life): Promise<void> {
  await pass(place.clock, place.given.restMs);
  if (life.isDead()) await new Promise<never>(() => undefined);
}

async function afterPause(place: Place, life: Life, journey: Journey): Promise<RunHandle> {
  await deliberated(place, life);
  const { runtime } = life;
  const limits = journey.later.shift();
  if (limits === undefined) return runtime.resume(journey.runId, { by: 'op' });
  noteEra(place, journey, limits.toolCalls, limits);
  return runtime.resume(journey.runId, { by: 'op', budget: limits });
}

async function enlarge(
  place: Place,
  life: Life,
  journey: Journey,
  { bound, limit }: Outcome<unknown> & { readonly stop: 'bounded' },
): Promise<RunHandle | undefined> {
  if (!place.given.enlarges || bound === 'wallMs' || bound === 'deadline' || journey.hasPlenty) return undefined;
  await deliberated(place, life);
  const next = journey.later.shift();
  const axis = bound as keyof Limits;
  const isEnough = (next?.[axis] ?? 0) > limit;
  const limits = isEnough && next !== undefined ? next : PLENTY;
  noteEra(place, journey, limits.toolCalls ?? 0, isEnough ? next : undefined);
  const handle = await life.runtime.resume(journey.runId, { by: 'op', budget: limits });
  journey.hasPlenty = !isEnough; // not before: the process may die while it says so
  return handle;
}

/** A budget that somebody gave to a process which died before it had written that down never held: it is given again. */
async function forgetUnheard(runtime: Runtime, { eras, later, runId }: Journey): Promise<void> {
  const held = (await runtime.entries(runId)).filter(
    ({ event }) => event.type === 'run-start' || (event.type === 'run-resume' && event.budget !== undefined),
  );
  for (const { given } of eras.splice(held.length).reverse()) if (given !== undefined) later.unshift(given);
}

export function noteEra(place: Place, { eras, runId }: Journey, toolCalls: number, given?: Limits): void {
  eras.push({ toolCalls, before: callsOf(place.world, runId), ...(given === undefined ? {} : { given }) });
}
