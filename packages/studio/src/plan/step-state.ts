import type { Effect } from '../../../flyball/src/views/effects.js';
import { type Fields, given, numberIn, textIn } from './fields.js';

/**
 * Where a step stands. `verified`: the journal shows that it called what it had to. `repaired`: so it does, but not at the
 * first try. `done`: there was nothing to verify. `warned`: it says that it is done, and a required call is missing.
 */
export const STEP_STATES = [
  'planned',
  'waiting',
  'running',
  'verified',
  'repaired',
  'done',
  'warned',
  'failed',
  'blocked',
  'skipped',
  'cancelled',
] as const;
export type StepState = (typeof STEP_STATES)[number];

/** How each state is told without color. */
export const STATE_SIGNS: Readonly<Record<StepState, string>> = {
  planned: '○',
  waiting: '‖',
  running: '▶',
  verified: '✓',
  repaired: '↻',
  done: '●',
  warned: '!',
  failed: '✗',
  blocked: '⊘',
  skipped: '↷',
  cancelled: '–',
};

export interface StepEnd {
  readonly status: string;
  readonly validation: string;
  readonly result: string;
  readonly attempts: number;
  readonly why?: string;
}

export function stepEnd(fields: Fields): StepEnd {
  return {
    status: textIn(fields, 'status') ?? '',
    validation: textIn(fields, 'validationStatus') ?? '',
    result: textIn(fields, 'result') ?? '',
    attempts: numberIn(fields, 'attempts') ?? 0,
    ...given('why', textIn(fields, 'why')),
  };
}

export function isEnd(end: StepEnd | undefined): end is StepEnd {
  return end !== undefined;
}

export function stateOf(step: {
  readonly end?: StepEnd;
  readonly isRunning: boolean;
  readonly isWaiting: boolean;
  readonly failedBefore: boolean;
  readonly isChecked: boolean;
}): StepState {
  const { end, isRunning, isWaiting, failedBefore, isChecked } = step;
  if (end === undefined) return isWaiting ? 'waiting' : isRunning ? 'running' : 'planned';
  switch (end.status) {
    case 'done':
      if (end.validation === 'failed') return 'warned';
      if (failedBefore || end.attempts > 1) return 'repaired';
      return isChecked && end.validation === 'passed' ? 'verified' : 'done';
    case 'failed':
    case 'skipped':
    case 'cancelled':
    case 'blocked':
      return end.status;
    default:
      return 'planned';
  }
}

/** A tool call made while a step was carried out. */
export interface CallInStep {
  readonly tool: string;
  readonly effect: string;
  readonly status: 'running' | 'ok' | 'failed';
  readonly code?: string;
}

export function callIn({ name, id, status, end }: Effect): CallInStep {
  const failure = end?.type === 'complete' || end?.type === 'abort' ? end.failure : undefined;
  const isOk = status === 'ok' && failure === undefined;
  return {
    tool: name,
    effect: id,
    status: status === 'open' ? 'running' : isOk ? 'ok' : 'failed',
    ...given('code', failure?.code),
  };
}
