import type { TrajectoryVerdict } from '../judging/trajectory-verdict.js';
import type { Course } from '../simulation/party.js';
import type { Scenario } from './scenario.js';
import type { ScenarioScore } from './score-scenario.js';

/** One scenario, simulated once. */
export interface ScenarioRun {
  readonly scenario: string;
  readonly category: Scenario['category'];
  readonly repetition: number;
  readonly seed: number;
  readonly runId: string;
  /** Ids of the faults that fired. */
  readonly fired: readonly string[];
  readonly result:
    | {
        readonly kind: 'scored';
        readonly course: Course;
        readonly verdict: TrajectoryVerdict;
        readonly score: ScenarioScore;
        readonly durationMs: number;
      }
    /** It says nothing about the agent: a fault did not fire, another judge answered, or our own side failed. */
    | { readonly kind: 'invalid'; readonly because: string };
}
