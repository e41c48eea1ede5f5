import { matchesAny } from '../../tools/governance/text-glob.js';
import type { CallResult, HeardTurn } from './conversation-policy.js';
import type { Condition, Machine } from './machine.js';

/** The six fields that the phase logic reads on every turn. */
export interface MachineState {
  readonly userIdentified: boolean;
  readonly verified: boolean;
  readonly pendingTasks: readonly string[];
  readonly completedTasks: readonly string[];
  readonly toolRetryCounts: Readonly<Record<string, number>>;
  readonly expectViolationCount: number;
}

export const FRESH_STATE: MachineState = {
  userIdentified: false,
  verified: false,
  pendingTasks: [],
  completedTasks: [],
  toolRetryCounts: {},
  expectViolationCount: 0,
};

/** Where the machine stands when a turn comes in. */
export interface Situation {
  readonly state: MachineState;
  readonly phase: string;
  readonly heard: HeardTurn;
  /** Turns already made in this phase. */
  readonly turns: number;
}

/** An exception, or a text that says so. */
export function isFailing(machine: Pick<Machine, 'failing'>, { failed, content }: CallResult): boolean {
  return failed || machine.failing.some((beginning) => content.startsWith(beginning));
}

/** Flags, queue and counts after what came in: read off results, never off what the model says about them. */
export function updatedState(machine: Machine, { state, phase, heard }: Situation): MachineState {
  if (heard.kind === 'words') return state;
  return heard.results.reduce((now, result) => afterResult(machine, now, phase, result), state);
}

function afterResult(machine: Machine, state: MachineState, phase: string, result: CallResult): MachineState {
  const counted = { ...state, toolRetryCounts: countsAfter(machine, state, result) };
  if (isFailing(machine, result)) return counted;
  const done = machine.phases[phase]?.showsQueue === true && matchesAny(machine.executes, result.name);
  return {
    ...(done ? popped(counted) : counted),
    userIdentified: state.userIdentified || matchesAny(machine.identifies, result.name),
    verified: state.verified || matchesAny(machine.verifies, result.name),
  };
}

function countsAfter(machine: Machine, { toolRetryCounts }: MachineState, result: CallResult): Record<string, number> {
  const counts = { ...toolRetryCounts };
  if (!Object.hasOwn(machine.retries, result.name)) return counts;
  counts[result.name] = isFailing(machine, result) ? (counts[result.name] ?? 0) + 1 : 0;
  return counts;
}

function popped(state: MachineState): MachineState {
  const [first, ...pendingTasks] = state.pendingTasks;
  if (first === undefined) return state;
  return { ...state, pendingTasks, completedTasks: [...state.completedTasks, first] };
}

/** The tool that has used up its tries, and the phase that this leads to. */
export function exhausted(
  machine: Machine,
  { toolRetryCounts }: MachineState,
): { readonly tool: string; readonly failures: number; readonly phase: string } | undefined {
  for (const [tool, { max, phase }] of Object.entries(machine.retries)) {
    const failures = toolRetryCounts[tool] ?? 0;
    if (failures >= max) return { tool, failures, phase };
  }
  return undefined;
}

/** The phase of this turn. Tries that are used up come first, so that nothing else can overrule them. */
export function nextPhase(machine: Machine, situation: Situation): string {
  const { phase, state } = situation;
  const here = machine.phases[phase];
  const used = exhausted(machine, state);
  if (used !== undefined && here?.terminal !== true) return used.phase;
  return here?.next.find(({ when }) => holds(machine, when, situation))?.to ?? phase;
}

function holds(machine: Machine, when: Condition, { state, phase, heard, turns }: Situation): boolean {
  switch (when) {
    case 'identified':
      return state.userIdentified;
    case 'verified':
      return state.verified;
    case 'unverified':
      return !state.verified;
    case 'planned':
      return state.pendingTasks.length > 0;
    case 'emptied':
      return state.pendingTasks.length === 0;
    case 'words':
      return heard.kind === 'words';
    case 'informed':
      return succeeded(machine, heard, machine.informs);
    case 'handed-over':
      return succeeded(machine, heard, machine.handsOver);
    case 'overstayed':
      return turns >= (machine.phases[phase]?.turns ?? Number.POSITIVE_INFINITY);
  }
}

function succeeded(machine: Machine, heard: HeardTurn, tools: readonly string[]): boolean {
  if (heard.kind === 'words') return false;
  return heard.results.some((result) => matchesAny(tools, result.name) && !isFailing(machine, result));
}
