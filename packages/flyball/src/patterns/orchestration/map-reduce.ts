import { keyOf, majority } from '../../checks/voting.js';
import { askUntil, type Read } from '../../core/ask-until.js';
import type { BudgetSlice } from '../../core/budget.js';
import type { ChildSlice } from '../../core/child-slice.js';
import { ConfigError } from '../../core/errors.js';
import { blocked, degraded, done, type Outcome } from '../../core/outcome.js';
import type { Agent, Entered, Run } from '../../core/run.js';
import type { Session } from '../../core/session.js';
import { type Filled, isFilled, type Slot, slotsOf } from '../../core/slot.js';
import { checkCounts, checkGiven } from '../../kit/options.js';
import { pattern, sessionsIn } from '../../kit/pattern.js';
import { runPart } from '../../kit/seat.js';
import { shown } from '../../kit/shown.js';
import { type Described, isSession, partOf } from '../use.js';

/** Who takes part in `mapReduce`. */
export interface MapReduceParts<I, T, R, O> {
  /** Divides the input into tasks that need nothing of each other. Code, so that it is known before anybody works. */
  readonly split: (input: I) => readonly T[];
  /** Does one task, in a context of its own. */
  readonly worker: Agent<T, R>;
  /** Makes one result of all slots, which stand in the order of the tasks; empty ones say why. */
  readonly join: (slots: readonly Slot<R>[]) => O;
}

/** Who takes part where the results stand for the same thing, and one of them is chosen. */
export interface VoteParts<I, T, R> extends Omit<MapReduceParts<I, T, R, R>, 'join'> {
  /** `majority` counts equal results. A session chooses the best of open-ended ones, word for word. */
  readonly join: 'majority' | Session;
}

/** Options of `mapReduce`. */
export interface MapReduceOptions {
  /** Tasks that are worked on. Those beyond it are refused: their slots say so. */
  readonly maxWorkers: number;
  /** Workers at the same time; all of them where it is absent. */
  readonly width?: number;
  /** How many slots have to be filled for a result: all where it is absent. */
  readonly quorum?: 'all' | number;
  /** What each worker has of the budget; equal parts where it is absent. */
  readonly slice?: ChildSlice;
}

type Join<R, O> = MapReduceParts<never, never, R, O>['join'] | 'majority' | Session;

/**
 * Splits the input, works side by side, joins by a fixed rule.
 *
 * Model calls: `tasks × worker`, and one or two more where a session chooses. Below the quorum nothing is joined: it ends
 * `blocked` with reason `quorum`. Not where one task needs what another found, or where the tasks are only known while
 * they are worked on: then somebody has to plan.
 *
 * @pattern O4
 * @example
 * ```ts
 * const reviewed = mapReduce(
 *   { split: filesOf, worker: reviewer, join: (slots) => slots.flatMap(({ value }) => value ?? []) },
 *   { maxWorkers: 10, quorum: 8 },
 * );
 * ```
 */
export function mapReduce<I, T, R>(parts: VoteParts<I, T, R>, options: MapReduceOptions): Described<Agent<I, R>>;
export function mapReduce<I, T, R, O>(
  parts: MapReduceParts<I, T, R, O>,
  options: MapReduceOptions,
): Described<Agent<I, O>>;
export function mapReduce<I, T, R, O>(
  { split, worker, join }: Omit<MapReduceParts<I, T, R, O>, 'join'> & { readonly join: Join<R, O> },
  { maxWorkers, width = maxWorkers, quorum = 'all', slice }: MapReduceOptions,
): Described<Agent<I, O>> {
  checkGiven('mapReduce (O4)', { split, worker, join });
  checkCounts('mapReduce (O4)', { maxWorkers, width, ...(quorum === 'all' ? {} : { quorum }) });
  if (quorum !== 'all' && quorum > maxWorkers)
    throw new ConfigError(
      `mapReduce (O4) has a quorum of ${quorum} and at most ${maxWorkers} workers, so it can never be reached.`,
    );
  const judge = typeof join === 'object' ? join : undefined;
  if (typeof join !== 'function') checkVotes(worker);
  const about = {
    id: 'O4',
    name: 'mapReduce',
    params: { maxWorkers, width, quorum },
    parts: { worker, judge },
    apart: [['judge', 'worker']],
    provides: ['O17'],
    calls: {
      sum: [
        { times: [{ fact: 'tasks', least: 0, most: { param: 'maxWorkers' } }, { part: 'worker' }] },
        { times: [{ fact: 'judged', least: 0, most: judge === undefined ? 0 : 2 }, { part: 'judge' }] },
      ],
    },
  } as const;
  return pattern(about, async (run, input: I): Promise<Outcome<O>> => {
    const items = split(input);
    const worked = items.slice(0, maxWorkers);
    run.learned({ tasks: worked.length, judged: 0 });
    const part: ChildSlice = slice ?? ({ of: Math.max(1, worked.length) } satisfies BudgetSlice);
    const child = Object.defineProperty((own: Run, item: T) => runPart(own, worker, item), 'name', { value: 'worker' });
    const branches = worked.map((item) => (branch: Run) => branch.spawn<T, R>(child, item, part));
    const refused: Slot<R> = {
      stop: 'blocked',
      because: `refused: there are ${items.length} tasks, and maxWorkers is ${maxWorkers}`,
    };
    const slots = [...(await slotsOf(run, branches, { width })), ...items.slice(maxWorkers).map(() => refused)];
    const short = missed<R, O>(run, slots, quorum === 'all' ? items.length : quorum);
    if (short !== undefined) return short;
    if (typeof join === 'function') return done(join(slots));
    return (await chosen(run, slots, judge)) as Outcome<never>; // R and O are one where somebody chooses
  });
}

/** One model that always says the same has one vote, however often it is asked. */
function checkVotes(worker: object): void {
  const sessions = sessionsIn(partOf(worker).part);
  const isFrozen = sessions.length > 0 && sessions.every(({ temperature }) => temperature === 0);
  if (isFrozen && new Set(sessions.map(({ model }) => model)).size === 1)
    throw new ConfigError(
      'mapReduce (O4) needs votes that can differ, and its worker has one model at temperature 0. Raise the temperature, or use several models.',
    );
}

function missed<R, O>(run: Entered, slots: readonly Slot<R>[], need: number): Outcome<O> | undefined {
  const filled = slots.flatMap((slot, index) => (isFilled(slot) ? [index] : []));
  const missing = slots.flatMap((slot, index) =>
    isFilled(slot) ? [] : [{ index, because: slot.because ?? slot.stop }],
  );
  run.learned({ filled, missing });
  if (filled.length >= need) return undefined;
  const [first] = missing;
  return blocked(
    `${filled.length} of ${slots.length} tasks have a result, and ${need} are needed. Task ${(first?.index ?? 0) + 1}: ${first?.because ?? 'there are fewer tasks'}`,
    { reason: { code: 'quorum', data: { need, got: filled.length } } },
  );
}

async function chosen<R>(run: Entered, slots: readonly Slot<R>[], judge: Session | undefined): Promise<Outcome<R>> {
  if (judge !== undefined && isSession(judge)) return judged(run, slots.filter(isFilled), judge);
  const ballots = slots.map((slot) => (isFilled(slot) ? keyOf(slot.value) : undefined));
  const vote = majority(ballots, (key) => key);
  const winner = vote === undefined ? undefined : slots[vote.best];
  if (vote === undefined || winner === undefined || !isFilled(winner)) return noCandidate('nobody voted');
  const { score: agreement, margin, tie } = vote;
  run.learned({ agreement, margin, tie });
  if (!tie) return done(winner.value);
  return degraded(winner.value, 'another result has as many votes', { code: 'uncertain', data: { agreement } });
}

const CHOOSING =
  'Several candidates for one result follow. Choose the best one as it stands; you cannot change or combine them. Reply with its number alone, or with NO_CANDIDATE if none of them will do.';

async function judged<R>(run: Entered, candidates: readonly Filled<R>[], judge: Session): Promise<Outcome<R>> {
  const listed = candidates.map(({ value }, n) => `<candidate n="${n + 1}">\n${shown(value)}\n</candidate>`);
  const read = ({ text }: { readonly text: string }): Read<number | undefined> => {
    if (text.trim() === 'NO_CANDIDATE') return { ok: true, value: undefined };
    const number = /^\d+$/.test(text.trim()) ? Number(text) : 0;
    if (number >= 1 && number <= candidates.length) return { ok: true, value: number };
    return { ok: false, problem: `Reply with a number from 1 to ${candidates.length}, or with NO_CANDIDATE.` };
  };
  const asked = await askUntil(run, judge, `${CHOOSING}\n\n${listed.join('\n')}`, read, 1);
  run.learned({ judged: asked.tries });
  if (!asked.ok) return noCandidate(`no choice could be read: ${asked.problem}`);
  const choice = asked.value === undefined ? undefined : candidates[asked.value - 1];
  return choice === undefined ? noCandidate('the judge took none of the candidates') : done(choice.value);
}

function noCandidate<R>(why: string): Outcome<R> {
  return blocked(why, { reason: { code: 'no-match', data: { label: 'NO_CANDIDATE' } } });
}
