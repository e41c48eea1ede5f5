import type { PyDict, PyValue } from '../tau2/python/value.js';
import type { Requestor, SimMessage } from './message.js';

/** A part of the reward. */
export type RewardBasis = 'DB' | 'ENV_ASSERTION' | 'ACTION' | 'COMMUNICATE' | 'NL_ASSERTION';

/** A call that a right course makes. */
export interface GoldAction {
  readonly actionId: string;
  readonly requestor: Requestor;
  readonly name: string;
  readonly arguments: PyDict;
  readonly info: string | null;
  /** Arguments that are compared; null: those that the predicted call has. */
  readonly compareArgs: readonly string[] | null;
}

/** A function of the environment that is called by name: to set it up, or to assert something about its end. */
export interface EnvFunction {
  readonly side: Requestor;
  readonly name: string;
  readonly arguments: PyDict;
}

/** Something that must be true of the environment at the end. */
export interface EnvAssertion extends EnvFunction {
  readonly assertValue: boolean;
  readonly message: string | null;
}

/** What the environment holds when a task begins. */
export interface InitialState {
  readonly agentData: PyValue | null;
  readonly userData: PyValue | null;
  readonly actions: readonly EnvFunction[] | null;
  readonly history: readonly SimMessage[] | null;
}

/** How a simulation of a task is graded. */
export interface Criteria {
  readonly actions: readonly GoldAction[] | null;
  readonly envAssertions: readonly EnvAssertion[] | null;
  readonly communicateInfo: readonly string[] | null;
  readonly nlAssertions: readonly string[] | null;
  readonly rewardBasis: readonly RewardBasis[];
}

/** One case of a domain. */
export interface Task {
  readonly id: string;
  readonly persona: PyValue | null;
  /** What the user is told to want and to be: text, or the structure that some domains use. */
  readonly instructions: PyValue;
  readonly initialState: InitialState | null;
  /** Null: nothing is checked and every end is right. */
  readonly criteria: Criteria | null;
  /** Tools the user may use; null: all of the domain. */
  readonly userTools: readonly string[] | null;
  readonly requiredDocuments: readonly string[];
  /** The file's own record: written back as it came, and hashed to tell whether a task was changed. */
  readonly record: PyDict;
}
