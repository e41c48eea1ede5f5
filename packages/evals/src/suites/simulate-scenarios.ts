import type { Outcome } from 'flyball';
import { type Budget, budget, ConfigError } from 'flyball';
import { canonicalJson, described, openRuntime, rubricHash, sha256, useFrom } from 'flyball/internal';
import { guardDecisionsOf } from 'flyball/views';
import { type Drivers, driveRun, SIMULATION } from '../experiment/drive-run.js';
import type { ExperimentOptions } from '../experiment/experiment.js';
import { readFinished } from '../experiment/finished-course.js';
import { type TrajectoryJudgeParts, trajectoryJudge } from '../judging/trajectory-judge.js';
import type { TrajectoryVerdict } from '../judging/trajectory-verdict.js';
import { trialSeeds } from '../metrics/trial-seeds.js';
import type { UserSim } from '../users/user-sims.js';
import { FAULT_GUARD } from './fault.js';
import type { Baseline, GateReport, Measurement, Tolerances } from './gate.js';
import { checkScenarios, type Scenario, type ScenarioSuite, scenariosHash } from './scenario.js';
import { scenarioAgent } from './scenario-agent.js';
import { measuredScenarios, scenarioGate } from './scenario-gate.js';
import type { ScenarioRun } from './scenario-run.js';
import { scoreScenario } from './score-scenario.js';
import type { AgentUnderTest, WorldSim } from './under-test.js';

/** Options of simulating scenarios. */
export interface SimulationOptions {
  readonly suite: ScenarioSuite;
  readonly agent: AgentUnderTest;
  /** `configurationHash` of the agent that is in production: nothing else is simulated. */
  readonly production: string;
  readonly user: UserSim;
  readonly world: WorldSim;
  readonly judge: TrajectoryJudgeParts;
  readonly baseline?: Baseline;
  readonly tolerances?: Tolerances;
  readonly seed: number;
  /** Scenarios at once; the copies of a load scenario are all at once. */
  readonly concurrency: number;
  readonly runtime: ExperimentOptions['runtime'];
  /** Errors of tools that end a conversation: 10. */
  readonly maxErrors?: number;
  /** Of one scenario. */
  readonly budget?: Partial<Budget>;
  onRun?(run: ScenarioRun): void;
}

/** The results of simulated scenarios, with the verdict of the gate. */
export interface SimulationReport {
  readonly gate: GateReport;
  readonly measurement: Measurement;
  readonly runs: readonly ScenarioRun[];
  readonly invalid: number;
}

/**
 * Plays the whole agent against simulated people and tools, as often as the suite says; judges each whole conversation, and
 * compares with the baseline.
 *
 * Model calls: those of the agent, of simulated users and of the judge, for each scenario and repetition. Not for single
 * answers with a known check: `runSuite` is cheaper.
 *
 * @pattern V18
 */
export async function simulateScenarios(options: SimulationOptions): Promise<SimulationReport> {
  const { suite, judge } = options;
  checkScenarios(
    suite,
    judge.rubric.dimensions.map(({ description }) => description),
  );
  if (!(Number.isInteger(options.concurrency) && options.concurrency >= 1))
    throw new ConfigError(`concurrency must be at least 1, got ${options.concurrency}.`);
  const pins = pinsOf(options);
  const simulator = openSimulator(options, pins);
  try {
    const runs = (await pooled(jobsOf(options), options.concurrency, simulator.play)).flat();
    const about = { name: suite.name, version: suite.version, hash: scenariosHash(suite) };
    const measurement = measuredScenarios(about, pins, suite.scenarios, runs);
    const gate = scenarioGate(measurement, runs, options.baseline, options.tolerances);
    const invalid = runs.filter(({ result }) => result.kind === 'invalid').length;
    const params = { suite: about, seed: options.seed, pins };
    const calls = { fact: 'asked', least: 0, most: Number.POSITIVE_INFINITY } as const;
    const use = useFrom({ id: 'V18', name: 'simulateScenarios', params, parts: { judge: judge.session }, calls });
    return described({ gate, measurement, runs, invalid }, use);
  } finally {
    await simulator.close();
  }
}

interface Job {
  readonly scenario: Scenario;
  readonly repetition: number;
  readonly seed: number;
}

/** The copies of a load scenario belong together: they run side by side, each with a seed of its own. */
function jobsOf({ suite, seed }: SimulationOptions): readonly (readonly Job[])[] {
  return suite.scenarios.flatMap((scenario) =>
    Array.from({ length: suite.repetitions }, (_, round) => {
      const copies = scenario.copies ?? 1;
      const seeds = trialSeeds(seed, suite.repetitions * copies).slice(round * copies, (round + 1) * copies);
      return seeds.map((one, copy) => ({ scenario, repetition: round * copies + copy, seed: one }));
    }),
  );
}

function openSimulator(options: SimulationOptions, pins: Measurement['pins']) {
  const { suite, runtime: parts } = options;
  const runtime = openRuntime({
    ...parts,
    agents: {
      [SIMULATION]: scenarioAgent({
        ...options,
        scenarios: suite.scenarios,
        judge: trajectoryJudge(options.judge),
        maxErrors: options.maxErrors ?? 10,
      }),
    },
    options: { ...parts.options, worker: false },
  });
  const key = sha256(canonicalJson([scenariosHash(suite), pins, options.seed])).slice(0, 12);
  const drivers: Drivers = { runtime, engine: parts.engine, clock: parts.clock, budget: budgetOf(options) };
  const one = async ({ scenario, repetition, seed }: Job): Promise<ScenarioRun> => {
    const runId = `scenario-${key}-${scenario.id}-${repetition}-${seed}`;
    const input = { condition: suite.name, task: scenario.id, trial: repetition, seed };
    const outcome = await driveRun(drivers, runId, input);
    const decided = guardDecisionsOf(await runtime.entries(runId));
    const fired = [
      ...new Set(decided.flatMap(({ guard, rule }) => (guard === FAULT_GUARD && rule !== undefined ? [rule] : []))),
    ];
    const about = { scenario: scenario.id, category: scenario.category, repetition, seed, runId, fired };
    const run = { ...about, result: resultOf(outcome, scenario, fired, pins) };
    options.onRun?.(run);
    return run;
  };
  return {
    play: (jobs: readonly Job[]) => Promise.all(jobs.map(one)),
    close: () => runtime.close({ drainMs: 1_000 }),
  };
}

function resultOf(
  outcome: Outcome<unknown>,
  scenario: Scenario,
  fired: readonly string[],
  pins: Measurement['pins'],
): ScenarioRun['result'] {
  if (outcome.stop === 'failed' && outcome.failure.code === 'CONFIG_INVALID') throw new ConfigError(outcome.because);
  if (outcome.stop !== 'done' || typeof outcome.value !== 'string')
    return {
      kind: 'invalid',
      because: `the simulation ended ${outcome.stop}${'because' in outcome ? `: ${outcome.because}` : ''}`,
    };
  const { course, info, startedAt, endedAt } = readFinished(outcome.value);
  const verdict = info['verdict'] as TrajectoryVerdict;
  const silent = (scenario.faults ?? []).filter(({ id, drawn }) => drawn !== true && !fired.includes(id));
  if (silent.length > 0)
    return { kind: 'invalid', because: `the fault ${silent.map(({ id }) => id).join(', ')} never fired` };
  if (verdict.model !== pins['judge'])
    return { kind: 'invalid', because: `${verdict.model} judged, and ${pins['judge']} is pinned` };
  const score = scoreScenario(scenario.expected, course, verdict);
  return { kind: 'scored', course, verdict, score, durationMs: endedAt - startedAt };
}

function pinsOf({ agent, production, user, world, judge }: SimulationOptions): Measurement['pins'] {
  return {
    agent: agent.model,
    configuration: production,
    user: user.pin,
    world: world.pin,
    judge: judge.session.model.id,
    rubric: rubricHash(judge.rubric),
  };
}

function budgetOf({ suite, budget: given }: SimulationOptions): Budget {
  const moves = Math.max(...suite.scenarios.map(({ maxTurns }) => maxTurns)) * 100;
  const wide = { iterations: moves, modelCalls: moves, toolCalls: moves, noProgress: moves };
  return budget({ ...wide, tokensIn: 50_000_000, tokensOut: 5_000_000, costUsd: 10, wallMs: 3_600_000, ...given });
}

/** In the order of the items, at most so many at a time. */
async function pooled<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results = new Map<number, R>();
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results.set(at, await work(items[at] as T));
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
  return items.map((_, index) => results.get(index) as R);
}
