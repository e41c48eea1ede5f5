import type { RewardInfo } from '../grading/reward.js';
import type { Termination } from '../simulation/party.js';
import type { PyDict, PyValue } from '../tau2/python/value.js';
import type { SimMessage } from '../world/message.js';
import type { Task } from '../world/task.js';

/** One finished simulation, as the results file holds it. */
export interface SimulationRecord {
  readonly id: string;
  readonly taskId: string;
  readonly trial: number;
  readonly seed: number | null;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly seconds: number;
  readonly termination: Termination;
  readonly agentCost: number | null;
  readonly userCost: number | null;
  readonly reward: RewardInfo | null;
  readonly messages: readonly SimMessage[];
  /** Per task, where the retrieval configuration makes it so. */
  readonly policy: string | null;
  /** Ours, kept in `info` of the file: response-type violations, refused calls, retrieval recall, run id. */
  readonly info: Readonly<Record<string, unknown>> | null;
  /** The file's own record, where it came from one: fields that are not named above are written back from it. */
  readonly rest?: PyDict;
}

/** A results file in memory. Fields that only the reference uses are kept in `rest` and written back. */
export interface Results {
  readonly timestamp: string;
  readonly info: ExperimentInfo;
  readonly tasks: readonly Task[];
  readonly simulations: readonly SimulationRecord[];
  /** Fields of the file beside these. */
  readonly rest?: PyDict;
}

/** The settings of an experiment, as they are recorded with its results. */
export interface ExperimentInfo {
  readonly domain: string;
  readonly trials: number;
  readonly maxSteps: number;
  readonly maxErrors: number;
  readonly seed: number | null;
  readonly agent: { readonly implementation: string; readonly llm: string | null; readonly llmArgs: PyValue };
  readonly user: {
    readonly implementation: string;
    readonly llm: string | null;
    readonly llmArgs: PyValue;
    readonly guidelines: string | null;
  };
  readonly policy: string;
  readonly retrieval: string | null;
  readonly retrievalOptions: PyValue;
  readonly gitCommit: string;
  /** The file's own record, written back with what is not named above. */
  readonly rest: PyValue;
}
