import { ConfigError } from 'flyball';
import { described, useFrom } from 'flyball/internal';
import { type CaseJudge, scoreCase } from './check-case.js';
import type { CaseOutcome, Measurement, Pins } from './gate.js';
import { checkSuite, type GoldenCase, type GoldenSet, leakedCases, suiteHash } from './golden-set.js';

/** The system under test: what is asked a case's input. It does not know which case it is. */
export type UnderTest = (input: unknown) => Promise<{
  readonly answer: unknown;
  readonly costUsd: number | null;
  readonly latencyMs: number;
}>;

/** What running a suite needs. */
export interface SuiteRun {
  /** Read again after every case: a suite that is edited under way measures nothing. */
  load(): Promise<GoldenSet>;
  readonly underTest: UnderTest;
  /** What the system is given anyway: prompts, examples, indexed documents. */
  readonly given?: readonly { readonly name: string; readonly text: string }[];
  readonly judge?: CaseJudge;
  readonly pins: Pins;
  onCase?(outcome: CaseOutcome, done: number, total: number): void;
}

/**
 * Runs every case as often as the suite says. A failure is a result; nothing is run again because of one.
 *
 * Model calls: those of the system under test, and one for each case that a judge scores. Not for what only live traffic
 * shows: `onlineEval` watches that.
 *
 * @pattern V16
 */
export async function runSuite(given: SuiteRun): Promise<Measurement> {
  const suite = checkSuite(await given.load());
  const hash = suiteHash(suite);
  refuseLeaks(suite, given.given ?? []);
  const outcomes: CaseOutcome[] = [];
  for (const one of suite.cases) {
    const outcome = await runCase(one, suite.repetitions, given);
    outcomes.push(outcome);
    given.onCase?.(outcome, outcomes.length, suite.cases.length);
    if (suiteHash(await given.load()) !== hash)
      throw new ConfigError(`The suite "${suite.name}" was changed while it ran. Run it again.`);
  }
  const about = { name: suite.name, version: suite.version, hash };
  const params = { suite: about, pins: given.pins };
  const use = useFrom({ id: 'V16', name: 'runSuite', params, parts: {}, calls: JUDGED });
  return described({ suite: about, pins: given.pins, outcomes }, use);
}

function refuseLeaks(suite: GoldenSet, given: NonNullable<SuiteRun['given']>): void {
  const leaked = leakedCases(suite, given);
  if (leaked.length === 0) return;
  const where = leaked.map(({ id, where: name }) => `${id} in ${name}`).join(', ');
  throw new ConfigError(`Cases of "${suite.name}" are in what the system is given: ${where}. Take them out.`);
}

/** Whom it asks is the caller's affair: it only counts. */
const JUDGED = { fact: 'asked', least: 0, most: Number.POSITIVE_INFINITY } as const;

async function runCase(one: GoldenCase, repetitions: number, given: SuiteRun): Promise<CaseOutcome> {
  const failures: string[] = [];
  const costs: (number | null)[] = [];
  const latencies: number[] = [];
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const { answer, costUsd, latencyMs } = await given.underTest(one.input);
    const score = await scoreCase(one.check, one.input, answer, given.judge);
    if (!score.passed) failures.push(score.because);
    costs.push(costUsd);
    latencies.push(latencyMs);
  }
  return {
    id: one.id,
    category: one.category,
    runs: repetitions,
    passes: repetitions - failures.length,
    ...(failures[0] === undefined ? {} : { because: failures[0] }),
    costUsd: sumOf(costs),
    latencyMs: latencies.reduce((sum, value) => sum + value, 0) / repetitions,
  };
}

function sumOf(costs: readonly (number | null)[]): number | null {
  return costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
}
