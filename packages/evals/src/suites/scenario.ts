import { ConfigError } from 'flyball';
import { canonicalJson, sha256 } from 'flyball/internal';
import { type Persona, readPersona } from '../users/persona.js';
import { leakedTo, type Secret, userView, viewPrompt } from '../users/user-view.js';
import { type Fault, faultProblems } from './fault.js';

/** The categories of scenarios. */
export const SCENARIO_CATEGORIES = ['happy', 'failure-injection', 'adversarial', 'load', 'long-horizon'] as const;
/** The category of a scenario. */
export type ScenarioCategory = (typeof SCENARIO_CATEGORIES)[number];

/** What a right course looks like: for the judge and for code, never for the user. */
export interface Expected {
  /** In words, for the judge. */
  readonly outcome: string;
  /** Calls that have to be made; the arguments named have to have these values. */
  readonly calls?: readonly { readonly name: string; readonly with?: Readonly<Record<string, unknown>> }[];
  /** Tools that must not be called. */
  readonly neverCalls?: readonly string[];
  /** Parts of the agent's words, whatever the case of letters. */
  readonly says?: readonly string[];
  readonly neverSays?: readonly string[];
  /** More turns or money than this are a failure too. */
  readonly turns?: number;
  readonly costUsd?: number;
}

/** A goal that a simulated user pursues, and what is expected of the agent. */
export interface Scenario {
  readonly id: string;
  readonly goal: string;
  readonly persona: Persona;
  readonly category: ScenarioCategory;
  readonly faults?: readonly Fault[];
  readonly expected: Expected;
  /** Messages of the user; the conversation ends there, and is scored as it stands. */
  readonly maxTurns: number;
  /** How many of them at once, in category `load`: 1. */
  readonly copies?: number;
}

/** Scenarios that are run and judged together. */
export interface ScenarioSuite {
  readonly name: string;
  readonly version: string;
  readonly owner: string;
  /** How often each scenario is run. All of them count. */
  readonly repetitions: number;
  readonly scenarios: readonly Scenario[];
}

/** The hash of a suite: it changes with everything that could change a result. */
export function scenariosHash(suite: ScenarioSuite): string {
  return sha256(canonicalJson(suite));
}

/** What must stay unknown to a scenario's user. */
export function secretsOf({ expected }: Scenario, rubric: readonly string[] = []): readonly Secret[] {
  const { outcome, calls = [], says = [] } = expected;
  return [
    { name: 'the expected outcome', text: outcome },
    ...calls.map(({ name }) => ({ name: `the expected call ${name}`, text: name })),
    ...says.map((text) => ({ name: `the expected words "${text}"`, text })),
    ...rubric.map((text) => ({ name: 'the rubric', text })),
  ];
}

/** What is wrong with a suite before anything is simulated; each problem names its scenario. */
export function lintScenarios(suite: ScenarioSuite, rubric: readonly string[] = []): readonly string[] {
  const ids = suite.scenarios.map(({ id }) => id);
  return [
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `scenario "${id}" is there twice`),
    ...(suite.scenarios.some(({ category }) => category !== 'happy')
      ? []
      : ['it has only happy paths: add failures, adversaries or long conversations']),
    ...(suite.owner.trim() === '' ? ['it names no owner'] : []),
    ...(Number.isInteger(suite.repetitions) && suite.repetitions > 0 ? [] : ['repetitions must be 1 or more']),
    ...suite.scenarios.flatMap((scenario) =>
      problemsOf(scenario, rubric).map((problem) => `scenario "${scenario.id}": ${problem}`),
    ),
  ];
}

/** Returns the suite, or throws ConfigError if it cannot be run. */
export function checkScenarios(suite: ScenarioSuite, rubric: readonly string[] = []): ScenarioSuite {
  const problems = lintScenarios(suite, rubric);
  if (problems.length > 0)
    throw new ConfigError(
      `The suite "${suite.name}" cannot be simulated: ${problems.join('; ')}. Fix it and run again.`,
    );
  return suite;
}

const MOST_TURNS = 200;
const MOST_COPIES = 1000;

function problemsOf(scenario: Scenario, rubric: readonly string[]): readonly string[] {
  const { category, faults = [], maxTurns, copies = 1, goal, expected } = scenario;
  const isCount = (value: number, most: number): boolean => Number.isInteger(value) && value >= 1 && value <= most;
  return [
    ...(SCENARIO_CATEGORIES.includes(category) ? [] : [`its category is not one of ${SCENARIO_CATEGORIES.join(', ')}`]),
    ...(goal.trim() === '' ? ['it has no goal'] : []),
    ...(expected.outcome.trim() === '' ? ['it does not say what is expected'] : []),
    ...(isCount(maxTurns, MOST_TURNS) ? [] : [`maxTurns must be 1 to ${MOST_TURNS}`]),
    ...(isCount(copies, MOST_COPIES) ? [] : [`copies must be 1 to ${MOST_COPIES}`]),
    ...(category === 'failure-injection' && faults.length === 0 ? ['no fault is configured, so nothing can fail'] : []),
    ...faultProblems(faults),
    ...personaProblems(scenario, rubric),
  ];
}

function personaProblems(scenario: Scenario, rubric: readonly string[]): readonly string[] {
  try {
    readPersona(scenario.persona);
  } catch (error) {
    if (error instanceof ConfigError) return [error.message];
    throw error;
  }
  return leakedTo([viewPrompt(userView(scenario))], secretsOf(scenario, rubric)).map(
    (name) => `its user can read ${name}`,
  );
}
