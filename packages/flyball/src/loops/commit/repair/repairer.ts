import { ConfigError } from '../../../core/errors.js';
import { blocked, done } from '../../../core/outcome.js';
import type { Agent, Run } from '../../../core/run.js';
import type { Session } from '../../../core/session.js';
import { textSimilarity } from '../../../core/text-similarity.js';
import type { Defect } from '../../../core/work.js';
import type { Test } from '../../../kit/tested.js';
import { reflexion } from '../../../revision/reflexion.js';
import type { Escalation } from '../contracts.js';
import { escalationFor, partialIsUseful } from './escalation.js';
import { expandedQueries } from './expanded-queries.js';
import type { RepairInput, RepairParts, RepairResult } from './repair-contracts.js';
import { DEFAULT_LOOP, sameRounds, textsOf, WAYS_OUT, type WayOut, wayOutOf } from './repair-memory.js';
import { type Attempt, RepairRound } from './repair-round.js';
import { STRATEGIES } from './strategy.js';
import { DEFAULT_RADIUS } from './window.js';

/** What is decided before anything is generated: it ends here, or this is how it goes on. */
type Course = { readonly end: RepairResult } | { readonly way?: WayOut };

/**
 * One REPAIR phase: the worst defect first, each with the cheapest strategy that is strong enough, each verified again on
 * its own, within what repairs may cost over the whole loop. A defect that survives gets a stronger strategy next.
 */
export function repairer(parts: RepairParts): (run: Run, given: RepairInput) => Promise<RepairResult> {
  const settings = { ...parts, radius: parts.radius ?? DEFAULT_RADIUS, loop: parts.loop ?? DEFAULT_LOOP };
  checkSettings(settings);
  const mend = mending(settings);
  return async (run, given) => {
    const round = new RepairRound(run, settings, given);
    const course = decide(run, settings, given, round);
    if ('end' in course) return course.end;
    for (let [next] = round.open(); next !== undefined; [next] = round.open()) {
      if (await round.isGone(next)) continue;
      if (round.isSpent()) return exhausted(settings, given, round);
      await mend(run, { round, way: course.way });
      if (round.isTooLarge) return divided(round);
    }
    return round.result('repaired');
  };
}

/** What the attempts at one defect go by. */
interface Mending {
  readonly round: RepairRound;
  readonly way: WayOut | undefined;
}

/**
 * Attempts at one defect until it is gone, each with what did not help before it: R7, whose test looks at this defect alone
 * and whose critic is code. The round keeps what the attempts came to.
 */
function mending(parts: Settings): Agent<Mending, Attempt> {
  const attempt: Agent<Mending, Attempt> = async (run, { round, way }) => {
    const [next] = round.open();
    if (next === undefined) return blocked('nothing is left to repair');
    const isStronger = parts.stronger !== undefined && (way === 'escalate' || next.cause === 'capability-limit');
    const session = isStronger ? (parts.stronger ?? parts.session) : parts.session;
    const isPerturbed = way === 'perturb';
    const settings = { session: isPerturbed ? perturbed(session) : session, isStronger, isPerturbed };
    return done(await round.attempt(run, next, settings));
  };
  const test: Test<Mending, Attempt> = async (run, { strategy }, { round }) =>
    (await round.isResolved(run)) ? { ok: true } : { ok: false, because: `${strategy} did not remove the defect` };
  return reflexion(
    attempt,
    { test, critic: ({ input: { round }, value }) => round.lesson(value) },
    { maxAttempts: STRATEGIES.length },
  );
}

/** The order matters: what must not be spent, what must not be generated at all, then what would be generated in vain. */
function decide(run: Run, parts: Settings, given: RepairInput, round: RepairRound): Course {
  if (round.isSpent() && round.open().length > 0) return { end: exhausted(parts, given, round) };
  if (round.open().some(({ cause }) => cause === 'complexity-exceeded')) return { end: divided(round) };
  const way = loopIn(run, parts, given, round);
  const gaps = round.open().filter(({ cause }) => cause === 'retrieval-gap');
  const lacking = way === 'fresh-evidence' ? round.open() : gaps;
  const queries = freshQueries(
    given,
    lacking.map(({ defect }) => defect),
  );
  if (queries.length > 0) return { end: round.result('retrieval-gap', { queries }) };
  // with nothing left to ask for, the way out after that one is next
  if (way === 'fresh-evidence' || way === 'escalate') return escalated(run, parts, given, round);
  return way === undefined ? {} : { way };
}

function loopIn(run: Run, parts: Settings, given: RepairInput, round: RepairRound): WayOut | undefined {
  const { similarity = textSimilarity, loop } = parts;
  const now = textsOf(given.subject.outputs, given.diagnosis);
  const same = sameRounds(now, given.history, { ...loop, similarity });
  if (same.length === 0) return undefined;
  round.wayOut++;
  const way = wayOutOf(round.wayOut);
  if (way === 'switch-strategy') round.avoidAll(same.flatMap(({ strategies }) => strategies));
  run.note({ kind: 'repair-loop', wayOut: way, n: round.wayOut });
  return way;
}

/** To the stronger model once, then to a person. */
function escalated(run: Run, parts: Settings, given: RepairInput, round: RepairRound): Course {
  const isLeft = parts.stronger !== undefined && !given.history.some(({ stronger }) => stronger);
  round.wayOut = Math.max(round.wayOut, WAYS_OUT.length);
  if (isLeft) return { way: 'escalate' };
  run.note({ kind: 'repair-escalated', escalation: 'human-review', why: 'repairs go round in circles' });
  return { end: round.result('exhausted', { escalation: 'human-review' }) };
}

function freshQueries(given: RepairInput, defects: readonly Defect[]): readonly string[] {
  if (defects.length === 0 || given.mayRetrieve === false) return [];
  const asked = given.history.flatMap(({ queries }) => queries);
  return expandedQueries(defects, given.subject, asked);
}

const HOTTER = 0.4;
const HOTTEST = 1;

/** Another temperature and another seed; the prompt changes its order and words beside it. */
function perturbed(session: Session): Session {
  const { temperature = 0.3, seed } = session.sampling ?? {};
  const sampling = {
    ...session.sampling,
    temperature: Math.min(HOTTEST, temperature + HOTTER),
    ...(seed === undefined ? {} : { seed: seed + 1 }),
  };
  return { ...session, sampling };
}

function exhausted(parts: Settings, given: RepairInput, round: RepairRound): RepairResult {
  return round.result('exhausted', { escalation: escalation(parts, given, round) });
}

function divided(round: RepairRound): RepairResult {
  return round.result('complexity', { escalation: 're-decompose' });
}

function escalation(parts: Settings, given: RepairInput, round: RepairRound): Escalation {
  const defects = round.remaining();
  return escalationFor(defects, {
    hasStronger: parts.stronger !== undefined && !round.hasAskedStronger(),
    scores: given.diagnosis.scores,
    partialIsUseful: partialIsUseful({
      outputs: round.outputs,
      scores: given.diagnosis.scores,
      schemaOk: !defects.some(({ cause }) => cause === 'schema-violation'),
      defects,
    }),
  });
}

export type Settings = RepairParts & Required<Pick<RepairParts, 'radius' | 'loop'>>;

function checkSettings({ budget, radius, loop }: Settings): void {
  const amounts = { ...budget, radius, 'loop.window': loop.window };
  for (const [name, amount] of Object.entries(amounts))
    if (!(Number.isFinite(amount) && amount >= 0))
      throw new ConfigError(`${name} of a repairer must be a finite number of at least 0, got ${amount}.`);
  if (!(loop.threshold > 0 && loop.threshold <= 1))
    throw new ConfigError(`loop.threshold must lie above 0 and at most at 1, got ${loop.threshold}.`);
}
