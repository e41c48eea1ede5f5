import { type Amounts, AXES, type CountedAxis } from './budget.js';
import { isTerminal, type Outcome } from './outcome.js';

/** The other run whose spending an effect put into the books of the run that started it. */
export interface OfRun {
  readonly id: string;
  /** Path of the budget that its slice was taken from. */
  readonly at: string;
  /** It may spend the rest of its slice yet. */
  readonly open: boolean;
}

/** What the books say of a started run that may spend more. */
export interface StartedRun {
  readonly at: string;
  readonly spent: Partial<Amounts>;
  /** What is left of its slice. */
  readonly possibly: Partial<Amounts>;
}

/** What an effect changes in the books because of another run. */
export interface RunCharge {
  readonly spent: Partial<Amounts>;
  readonly possibly: Partial<Amounts>;
  readonly ofRun: OfRun;
}

/** What an effect tells of another run, beside its result. `askers`: who had asked for that run by then. */
export interface ToldOfRun extends Partial<RunCharge> {
  readonly askers?: readonly string[];
}

/** A run was started: all of its slice counts as possibly spent until its end is known. */
export function chargeAtStart(id: string, at: string, slice: Partial<Amounts>): RunCharge {
  return { spent: {}, possibly: slice, ofRun: { id, at, open: true } };
}

/**
 * The end of a run is known: what it used counts in place of its slice, and the rest is free again. A run at a bound keeps
 * the rest, because it can be resumed. No more than the slice is charged: whatever else it used, somebody else gave it.
 */
export function chargeAtEnd(id: string, known: StartedRun, { stop, usage }: Outcome<unknown>): RunCharge | undefined {
  if (usage === undefined) return undefined;
  const open = !isTerminal(stop);
  const spent: Partial<Record<CountedAxis, number>> = {};
  const possibly: Partial<Record<CountedAxis, number>> = {};
  for (const axis of AXES) {
    const { [axis]: told = 0 } = known.spent;
    const { [axis]: held = 0 } = known.possibly;
    const used = Math.max(told, Math.min(usage[axis], told + held));
    const rest = told + held - used;
    const left = open ? rest : Math.min(rest, usage.possibly?.[axis] ?? 0);
    if (used !== told) spent[axis] = used - told;
    if (left !== held) possibly[axis] = left - held;
  }
  return { spent, possibly, ofRun: { id, at: known.at, open } };
}

/** The books of a started run after such a change; undefined once nothing more can come of it. */
export function startedAfter(
  known: StartedRun | undefined,
  { spent, possibly, ofRun: { at, open } }: RunCharge,
): StartedRun | undefined {
  if (!open) return undefined;
  return { at, spent: added(known?.spent, spent), possibly: added(known?.possibly, possibly) };
}

function added(before: Partial<Amounts> = {}, more: Partial<Amounts>): Partial<Amounts> {
  const amounts = AXES.map((axis) => [axis, (before[axis] ?? 0) + (more[axis] ?? 0)] as const);
  return Object.fromEntries(amounts.filter(([, amount]) => amount !== 0));
}
