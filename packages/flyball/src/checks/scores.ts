import { ConfigError } from '../core/errors.js';
import type { JudgedClaim } from './contracts.js';

/** How much each level counts in the composite; they sum to 1. */
export interface LevelWeights {
  readonly semantic: number;
  readonly factual: number;
}

/** The weights of verification levels. */
export const LEVEL_WEIGHTS: LevelWeights = { semantic: 0.5, factual: 0.5 };

export function checkWeights({ semantic, factual }: LevelWeights): void {
  if (!(semantic >= 0 && factual >= 0 && Math.abs(semantic + factual - 1) < 1e-9))
    throw new ConfigError(`The weights of the levels must sum to 1, got ${semantic} and ${factual}.`);
}

/** Share of claims that the evidence does not contradict. Nothing claimed shows nothing: 0. */
export function semanticScore(claims: readonly Pick<JudgedClaim, 'verdict'>[]): number {
  return share(claims, ({ verdict }) => verdict !== 'contradict');
}

/** Share of claims that an authority supports. */
export function factualScore(claims: readonly Pick<JudgedClaim, 'isSupported'>[]): number {
  return share(claims, ({ isSupported }) => isSupported);
}

/**
 * 0 where the schema is violated; else the weighted levels. A level that was not run (undefined) counts as `floor`, which
 * whoever calls sets to the lowest score that was measured: what nobody looked at never lifts what was seen.
 */
export function compositeScore(
  schemaOk: boolean,
  semantic: number | undefined,
  factual: number | undefined,
  weights: LevelWeights = LEVEL_WEIGHTS,
  floor = 0,
): number {
  if (!schemaOk) return 0;
  return weights.semantic * (semantic ?? floor) + weights.factual * (factual ?? floor);
}

function share<T>(all: readonly T[], counts: (one: T) => boolean): number {
  return all.length === 0 ? 0 : all.filter(counts).length / all.length;
}
