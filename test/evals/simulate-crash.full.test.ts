import { type SimulationReport, simulateScenarios, trajectoryHash, trajectoryOf } from '@flyball/evals';
import { type Clock, type Engine, memoryEngine } from 'flyball';
import { autoClock, type CrashPlan, crashingEngine, testHost } from 'flyball/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agentModel, down, happy, options, patient, suiteOf } from './scenario-stage.js';

/** A service that is down, and money that is given back although the answer is lost. */
const SUITE = suiteOf(happy, {
  ...down,
  faults: [
    { id: 'down', tool: 'get_order', kind: '5xx', onCall: 1 },
    { id: 'lost', tool: 'refund_order', kind: 'timeout', onCall: 1, tookPlace: true },
  ],
});

/** Whatever a report says but times. */
const told = ({ gate, measurement, runs, invalid }: SimulationReport) => ({
  passed: gate.passed,
  because: gate.because,
  outcomes: measurement.outcomes.map(({ id, runs: made, passes }) => [id, made, passes]),
  invalid,
  runs: runs.map(({ scenario, fired, result }) =>
    result.kind === 'scored'
      ? [scenario, fired, trajectoryHash(trajectoryOf(result.course)), result.verdict, result.score]
      : [scenario, result.because],
  ),
});

function ticking(): Clock {
  const clock = autoClock({ idleTurns: 40 });
  onTestFinished(() => clock.stop());
  return clock;
}

/** One life of the process that simulates, over an engine that outlives it. */
function life(engine: Engine, clock: Clock, gone: Set<string>, crash: CrashPlan = () => false) {
  const crashing = crashingEngine(engine, crash);
  const host = testHost(`life-${gone.size}`, gone);
  const given = options(agentModel(patient), { suite: SUITE, concurrency: 1 });
  const report = simulateScenarios({ ...given, runtime: { engine: crashing.engine, clock, host } });
  return { report, host, crashing };
}

describe('a simulation that crashes at every write', () => {
  it('goes on to the same trajectories, scores and verdict [V18.crash]', async () => {
    const straight = life(memoryEngine(), ticking(), new Set());
    const expected = told(await straight.report);
    expect(expected.runs.map(([, fired]) => fired)).toEqual([[], ['down', 'lost']]);
    const { points } = straight.crashing;
    expect(points.length).toBeGreaterThan(60);
    for (const { n, when } of points) {
      const [engine, clock, gone] = [memoryEngine(), ticking(), new Set<string>()];
      const first = life(engine, clock, gone, { at: n, when });
      await Promise.race([first.report, first.crashing.crashed]);
      expect(first.crashing.isDead(), `${when} write ${n}`).toBe(true);
      first.host.die();
      const second = life(engine, clock, gone);
      expect(told(await second.report), `${when} write ${n}`).toEqual(expected);
    }
  });
});
