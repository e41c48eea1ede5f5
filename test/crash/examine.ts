import { type Budget, type Engine, type Entry, type EventType, messagesOf, type RunEvent } from 'flyball';
import type { Case } from './case.js';
import { isOfAnOldTurn } from './deadlines.js';
import { type About, type Driven, drive } from './drive.js';
import { type Forked, forksOf } from './forks.js';
import { detailOf, type End, endName } from './journey.js';
import { forgottenTime } from './killed.js';
import type { Place } from './place.js';
import { holds } from './program.js';
import { replayed } from './replayed.js';
import { brokenRules } from './rules.js';
import { marksOf } from './things.js';
import type { Violation } from './world.js';

export interface Examined {
  readonly violations: readonly Violation[];
  readonly lives: number;
  readonly stop: string;
  /** The run and its forks. */
  readonly runs: readonly Pick<Driven, 'runId' | 'entries'>[];
}

/** Plays a case with everything that happens in it, and says which rules were broken. */
export async function examine(given: Case, engine: Engine, about: About = {}): Promise<Examined> {
  const driven = await drive(given, engine, about);
  const { place, end, entries, journey, runId } = driven;
  const { world } = place;
  try {
    const stray = otherVersion(driven);
    if (stray.length > 0) return { violations: stray, lives: place.lives, stop: end.stop, runs: [driven] };
    const violations = [
      ...unexpectedEnd(driven),
      ...forgottenTime(driven.killed, entries),
      ...brokenRules({ given, runId, entries, inherited: [], world, journey, stop: end.stop }),
      ...(await lostParts(place, runId, entries)),
    ];
    if (end.stop === 'done') violations.push(...(await replayed(driven, about.patienceMs)));
    const forks = await forksOf(driven, about.patienceMs);
    for (const forked of forks) {
      violations.push(
        ...unexpectedForkEnd(driven, forked),
        ...brokenRules({ ...forked, given, world, stop: forked.end.stop }),
      );
    }
    return {
      violations: [...world.violations, ...violations],
      lives: place.lives,
      stop: end.stop,
      runs: [driven, ...forks],
    };
  } finally {
    place.clock.stop();
  }
}

/** A process with another version of the agent leaves the run alone: what follows where it did not is its doing. */
function otherVersion({ place: { world }, entries }: Driven): readonly Violation[] {
  const stalled = world.violations.filter(({ rule }) => rule === 'version:stalled');
  const isTaken = entries.some(({ event }) => event.type === 'complete' && event.name === 'checked');
  return isTaken ? [...stalled, { rule: 'version:taken', detail: 'version 2 worked on a run of version 1' }] : stalled;
}

/** A program ends as it says, whatever happened on the way: unless somebody cancelled it, or it was left at a bound. */
function unexpectedEnd({ end, entries, isCancelled, place: { given } }: Driven): readonly Violation[] {
  if (isItsOwnEnd(given, end)) return [];
  if (end.stop === 'cancelled' && isCancelled) return [];
  const isTime = end.stop === 'bounded' && (end.bound === 'wallMs' || end.bound === 'deadline');
  if (end.stop === 'bounded' && !given.enlarges && !isTime) return [];
  if (end.stop === 'bounded' && end.bound === 'deadline' && isPast(given)) return [];
  if (hasGivenAllAway(entries, end)) return [];
  return [{ rule: `end:${endName(end)}`, detail: detailOf(end) }];
}

/**
 * Equal parts come to the whole: whoever asks for something beside them stands at a bound, however large the budget is. A
 * part is given back when its end is delivered, and that is not before something else moves the code after it, nor before the
 * process has repeated its past. What was open where the bound was told counts: an end that the code got on its way out
 * made no room before.
 */
export function hasGivenAllAway(entries: readonly Entry[], end: End): boolean {
  if (end.stop !== 'bounded') return false;
  const axis = end.bound as keyof Budget;
  const equal = new Set<string>();
  const open = new Map<string, number>();
  const ending = new Set<string>();
  const begun = new Set<string>();
  const paths = new Map<string, string>();
  const told = entries.findLastIndex(
    ({ event }) => event.type === 'trip' && event.node === '' && event.bound === axis && event.limit === end.limit,
  );
  const repeating = whileRepeating(entries);
  for (const [place, { generation, event }] of (told === -1 ? entries : entries.slice(0, told)).entries()) {
    if (LEAVES_PARTS.has(event.type) || isBegunAgain(event, generation, begun)) {
      if (event.type === 'spawn-end') ending.add(event.id);
      continue;
    }
    if (event.type === 'note' && isOfAnother(event.path, paths, ending)) continue;
    if (!repeating.has(place)) {
      for (const id of ending) open.delete(id);
      ending.clear();
    }
    if (event.type === 'spawn-start' && event.slice.of !== undefined) {
      equal.add(event.id);
      paths.set(event.id, event.path);
    }
    // one that had ended at a bound gets a part of a larger budget, and goes on
    const isGiven = event.type === 'spawn-start' || event.type === 'slice-change';
    if (isGiven && equal.has(event.id)) open.set(event.id, event.limits[axis] ?? 0);
  }
  const given = [...open.values()].reduce((sum, one) => sum + one, 0);
  return open.size > 1 && given > end.limit * 0.9;
}

/** Code in a part that has not ended tells something: what moved it may have come before the ends of the others. */
function isOfAnother(path = '', paths: ReadonlyMap<string, string>, ending: ReadonlySet<string>): boolean {
  return [...paths].some(([id, part]) => !ending.has(id) && (path === part || path.startsWith(`${part}/`)));
}

/** Entries after which an end that was written before them may still be in line. */
const LEAVES_PARTS: ReadonlySet<EventType> = new Set(['spawn-end', 'trip', 'wait-close', 'run-end']);

/**
 * Places of what a process wrote while it still repeated its past, where it is known: it gives out the parts of a new
 * budget until that past has ended, and delivers no end of its own before.
 */
function whileRepeating(entries: readonly Entry[]): ReadonlySet<number> {
  const places = new Set<number>();
  let repeats = false;
  for (const [place, { event }] of [...entries.entries()].toReversed()) {
    if (event.type === 'slice-change') repeats = true;
    if (event.type === 'attempt-start') repeats = false;
    if (repeats) places.add(place);
  }
  return places;
}

const BEGINS: ReadonlySet<EventType> = new Set(['ask-start', 'intent', 'call-start', 'wait-start']);

/** A process that goes on begins what was under way again before it delivers anything: no end has moved the code to that. */
function isBegunAgain(event: RunEvent, generation: number, begun: Set<string>): boolean {
  if (!BEGINS.has(event.type) || !('id' in event)) return false;
  const effect = `${generation}:${event.id}`;
  if (begun.has(effect)) return true;
  begun.add(effect);
  return false;
}

export function isItsOwnEnd(given: Case, end: End): boolean {
  // what lost a plain race goes on beside the code after it: nobody can tell which of them asked for more after a limit
  const isRefused =
    (end.stop === 'failed' && end.failure.code === 'CONTINUE_REFUSED') ||
    (end.stop === 'stalled' && end.code === 'CONFIG_INVALID');
  if (isRefused)
    return given.generations.some((program) => holds(program, ({ kind }) => kind === 'race' || kind === 'raw'));
  if (given.failsAtEnd) return end.stop === 'failed' && end.because === 'fails at its end';
  return end.stop === 'done';
}

/** So much time passed that a deadline was reached. */
function isPast({ restMs, crashes }: Case): boolean {
  return restMs > 0 || crashes.some(({ then }) => then === 'week');
}

/** A fork ends as its program says too. One with a budget of its own may reach it. */
function unexpectedForkEnd(
  { place: { given } }: Driven,
  { end, plan, entries, inherited, journey }: Forked,
): readonly Violation[] {
  const found: Violation[] = [];
  const isBound = end.stop === 'bounded' && (plan.limits !== undefined || given.budgets.length > 0);
  const hasRested = journey.eras.length > 1 && given.restMs > 0;
  // a child keeps the deadline that it was given itself, and its outcome may be passed on
  const began = entries[0]?.at ?? 0;
  const isLate = ({ event }: Entry): boolean =>
    event.type === 'spawn-start' && (event.slice.deadline ?? Number.POSITIVE_INFINITY) <= began;
  const hasLateChild =
    inherited.some(isLate) ||
    entries.some((one, place) => isLate(one) && isOfAnOldTurn([...inherited, ...entries.slice(0, place + 1)]));
  const isTime =
    end.stop === 'bounded' && (end.bound === 'wallMs' || (end.bound === 'deadline' && !hasRested && !hasLateChild));
  const isPassedOn = end.stop === 'bounded' && end.bound === 'deadline' && hasLateChild;
  if (!isItsOwnEnd(given, end) && !isPassedOn && !(isBound && !isTime))
    found.push({ rule: `fork-end:${endName(end)}`, detail: detailOf(end) });
  // a child that had time enough in the past has it in the fork
  const done = new Map(
    inherited.flatMap(({ event }) => (event.type === 'spawn-start' ? [[event.id, event] as const] : [])),
  );
  for (const { event } of entries) {
    if (event.type !== 'spawn-end' || event.outcome.stop !== 'bounded' || event.outcome.bound !== 'wallMs') continue;
    const { usage, limit } = event.outcome;
    if (done.has(event.id) && (usage?.wallMs ?? limit) < limit)
      found.push({ rule: 'time:child', detail: `${event.id} used ${usage?.wallMs} of ${limit} ms and ended` });
  }
  return found;
}

/** Every image that a model was shown is in the stored prompt of the call, with its bytes. */
async function lostParts(place: Place, runId: string, entries: readonly Entry[]): Promise<readonly Violation[]> {
  const found: Violation[] = [];
  let tips = new Map<string, string>();
  for (const { event } of entries) {
    if (event.type === 'generation-start') tips = new Map();
    if (event.type === 'ask-start') tips.set(event.id, event.tip);
    const said = event.type === 'ask-end' ? /<[^>]*>/.exec(event.reply?.text ?? '')?.[0] : undefined;
    if (event.type !== 'ask-end' || said === undefined) continue;
    const stored = await place
      .look((runtime) => runtime.prompt(runId, tips.get(event.id) ?? ''))
      .then((prompt) => marksOf(messagesOf(prompt)), String);
    if (stored !== said)
      found.push({ rule: 'parts:lost', detail: `${event.id} was shown ${said}, stored is ${stored}` });
  }
  return found;
}
