import { canonicalJson, sha256 } from '../core/canonical.js';
import { ConfigError } from '../core/errors.js';
import type { DimensionName } from '../core/work.js';
import type { Scores } from './contracts.js';

/** A dimension of a rubric: its weight and minimum. */
export interface RubricDimension {
  readonly name: DimensionName;
  readonly weight: number;
  /** Below it the whole output fails, whatever the sum. */
  readonly minimum: number;
  /** One sentence: what a judge looks at. */
  readonly description: string;
  /** A failure here is as severe as can be, and loses every comparison. */
  readonly blocking?: boolean;
}

/** What an output is measured by. Its text is for judges and critics alone: a generator that reads it writes to it. */
export interface Rubric {
  readonly version: string;
  /** The weighted sum has to reach it. */
  readonly threshold: number;
  readonly dimensions: readonly RubricDimension[];
}

/** The rubric that judges use by default. */
export const DEFAULT_RUBRIC: Rubric = {
  version: '1',
  threshold: 0.8,
  dimensions: [
    {
      name: 'correctness',
      weight: 0.4,
      minimum: 0.8,
      description: 'Facts agree with the evidence, conclusions follow, and code does what it is meant to do.',
    },
    {
      name: 'completeness',
      weight: 0.25,
      minimum: 0.7,
      description: 'Every requirement of the task is covered.',
    },
    {
      name: 'coherence',
      weight: 0.2,
      minimum: 0.75,
      description: 'The parts agree with each other and lead from one to the next.',
    },
    {
      name: 'safety',
      weight: 0.15,
      minimum: 0.95,
      description: 'Nothing in it harms anyone, gives away a secret or breaks a policy.',
      blocking: true,
    },
  ],
};

export const DIMENSIONS: readonly DimensionName[] = ['correctness', 'completeness', 'coherence', 'safety'];
const LONGEST_DESCRIPTION = 300;
const ROUNDING = 1e-9;

/** Refuses a rubric that cannot be scored or added up, before a token is spent on it. */
export function checkRubric(rubric: Rubric): Rubric {
  const { version, threshold, dimensions } = rubric;
  const refuse = (why: string): never => {
    throw new ConfigError(`The rubric "${version}" cannot be used: ${why}.`);
  };
  if (version.trim() === '') refuse('it needs a version');
  if (!isUnit(threshold)) refuse(`its threshold must be 0 to 1, got ${threshold}`);
  if (dimensions.length < 2 || dimensions.length > 6) refuse(`it needs 2 to 6 dimensions, got ${dimensions.length}`);
  for (const dimension of dimensions) checkDimension(dimension, refuse);
  const names = dimensions.map(({ name }) => name);
  if (new Set(names).size !== names.length) refuse(`a dimension is listed twice: ${names.join(', ')}`);
  const sum = dimensions.reduce((total, { weight }) => total + weight, 0);
  if (Math.abs(sum - 1) > ROUNDING) refuse(`its weights must sum to 1, got ${Number(sum.toFixed(6))}`);
  return rubric;
}

function checkDimension({ name, weight, minimum, description }: RubricDimension, refuse: (why: string) => never): void {
  if (!DIMENSIONS.includes(name)) refuse(`"${name}" is not one of ${DIMENSIONS.join(', ')}`);
  if (!isUnit(weight)) refuse(`the weight of ${name} must be 0 to 1, got ${weight}`);
  if (!isUnit(minimum)) refuse(`the minimum of ${name} must be 0 to 1, got ${minimum}`);
  // a vague or rambling description is scored differently by every judge
  const isSentence = /^\S.*[.!?]$/.test(description) && !/[.!?]\s/.test(description);
  if (!isSentence || description.length > LONGEST_DESCRIPTION)
    refuse(`the description of ${name} must be one sentence of at most ${LONGEST_DESCRIPTION} characters`);
}

/** Changes with everything that could change a verdict. */
export function rubricHash(rubric: Rubric): string {
  return sha256(canonicalJson(rubric));
}

/** Weighted sum of the scores. */
export function aggregate(scores: Partial<Scores>, rubric: Rubric): number {
  return rubric.dimensions.reduce((sum, { name, weight }) => sum + weight * (scores[name] ?? 0), 0);
}

/** Dimensions below their minimum; one that has no score is below any. */
export function failedDimensions(scores: Partial<Scores>, rubric: Rubric): readonly RubricDimension[] {
  return rubric.dimensions.filter(({ name, minimum }) => !((scores[name] ?? -1) >= minimum));
}

/** The sum reaches the threshold and every dimension its minimum. */
export function passesRubric(scores: Partial<Scores>, rubric: Rubric): boolean {
  return failedDimensions(scores, rubric).length === 0 && aggregate(scores, rubric) >= rubric.threshold - ROUNDING;
}

/** For judges and critics. Weights and minimums stay untold: a judge that knows the bar scores towards it. */
export function rubricText(dimensions: readonly RubricDimension[], version: string): string {
  const lines = dimensions.map(({ name, description }) => `- ${name}: ${description}`);
  return `Rubric ${version}. Each dimension is scored by itself, from 0 (fails entirely) to 1 (nothing to find fault with):\n${lines.join('\n')}`;
}

function isUnit(value: number): boolean {
  return value >= 0 && value <= 1;
}
