import type { CritiqueDiagnosis } from '../../../checks/contracts.js';
import type { ExecutionOutputs } from '../../../core/work.js';
import type { Strategy } from '../contracts.js';

/** A strategy that did not resolve a defect. */
export interface Tried {
  readonly defect: string;
  readonly strategy: Strategy;
}

/** What a later round has to know of one: what it began with, and what was tried in it. Plain JSON. */
export interface RepairMemory {
  readonly outputs: string;
  readonly diagnosis: string;
  readonly tried: readonly Tried[];
  /** All strategies that were used, with and without success. */
  readonly strategies: readonly Strategy[];
  /** Queries that it sent back to RETRIEVE. */
  readonly queries: readonly string[];
  /** The stronger model was asked. */
  readonly stronger: boolean;
}

/** Both sides of a loop as texts, in an order that does not depend on how they were found. */
export function textsOf(
  outputs: ExecutionOutputs,
  diagnosis: CritiqueDiagnosis,
): Pick<RepairMemory, 'outputs' | 'diagnosis'> {
  const artefacts = outputs.artefacts.map(({ name, text }) => `${name}\n${text}`);
  const defects = diagnosis.defects.map(({ dimension, description, location }) =>
    [dimension, location?.artefact ?? '', description].join(' '),
  );
  return { outputs: artefacts.sort().join('\n'), diagnosis: defects.sort().join('\n') };
}

export interface LoopRule {
  /** Two texts more alike than this are the same. */
  readonly threshold: number;
  /** How many earlier rounds are compared. */
  readonly window: number;
}

export const DEFAULT_LOOP: LoopRule = { threshold: 0.95, window: 5 };

/**
 * Earlier rounds that began with the same output and the same diagnosis. Only both together are a loop: a small edit
 * leaves most of a text as it was, and another text can have the same fault. No defect, no loop; and a round that only
 * sent back to RETRIEVE has tried nothing that could go round in circles.
 */
export function sameRounds(
  now: Pick<RepairMemory, 'outputs' | 'diagnosis'>,
  history: readonly RepairMemory[],
  how: LoopRule & { similarity(a: string, b: string): number },
): readonly RepairMemory[] {
  if (now.diagnosis === '') return [];
  const isSame = (a: string, b: string): boolean => how.similarity(a, b) > how.threshold;
  return history
    .filter(({ strategies }) => strategies.length > 0)
    .slice(-how.window)
    .filter((past) => isSame(past.diagnosis, now.diagnosis) && isSame(past.outputs, now.outputs));
}

/** How a loop is left, in this order; the last one stands for every later time. */
export const WAYS_OUT = ['switch-strategy', 'perturb', 'fresh-evidence', 'escalate'] as const;
export type WayOut = (typeof WAYS_OUT)[number];

/** `detected`: how many loops there were, this one included. */
export function wayOutOf(detected: number): WayOut {
  return WAYS_OUT[Math.min(Math.max(detected, 1), WAYS_OUT.length) - 1] ?? 'escalate';
}
