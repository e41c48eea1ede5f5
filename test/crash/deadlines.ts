import type { Entry, RunEvent } from 'flyball';
import { HOUR_MS } from './case.js';
import type { Violation } from './world.js';

/** What is written about a run, whatever a turn of its code did. */
const ABOUT_THE_RUN: ReadonlySet<RunEvent['type']> = new Set([
  'run-start',
  'generation-start',
  'attempt-start',
  'run-resume',
  'run-pause',
  'run-end',
  'budget-warning',
  'scope-overlap',
  'slice-change',
]);
/** What begins a turn of the code. */
const BEGINS_A_TURN: ReadonlySet<RunEvent['type']> = new Set([
  'ask-end',
  'complete',
  'abort',
  'spawn-end',
  'wait-end',
  'sleep-end',
  'trip',
  'cancel',
  'rollback-end',
]);

/** A child that is given an hour from now has it. */
export function deadlines({
  entries,
  inherited,
}: {
  readonly entries: readonly Entry[];
  readonly inherited: readonly Entry[];
}): readonly Violation[] {
  const nearest = new Map<string, number>();
  for (const { event } of inherited)
    if (event.type === 'spawn-start') nearest.set(event.path, event.limits.deadline ?? 0);
  const first = entries[0]?.event;
  const run = first?.type === 'run-start' ? (first.budget.deadline ?? Number.POSITIVE_INFINITY) : 0;
  return entries.flatMap(({ event, at }, place) => {
    if (event.type !== 'spawn-start' || event.limits.deadline === undefined) return [];
    const { deadline } = event.limits;
    nearest.set(event.path, deadline);
    const around = [...nearest].filter(([path]) => event.path.startsWith(`${path}/`)).map(([, given]) => given);
    const above = Math.min(...around, Number.POSITIVE_INFINITY);
    const isStale = deadline < Math.min(above, run) && deadline - at < HOUR_MS / 2;
    return isStale && !isOfAnOldTurn([...inherited, ...entries.slice(0, place + 1)])
      ? [{ rule: 'now:stale', detail: `${event.id} began at ${at} and was given until ${deadline}` }]
      : [];
  });
}

/**
 * The last of these began late, and the turn of the code that asked for it had done or told something before its
 * process ended, or another branch had moved since. Such a turn is lived again with the time it had, or it might do
 * something else: what it worked out from that time is as old as the turn.
 */
export function isOfAnOldTurn(entries: readonly Entry[]): boolean {
  const last = entries.at(-1)?.event;
  if (last?.type !== 'spawn-start' || last.late !== true) return false;
  const began = entries.findLastIndex(({ event }) => event.type === 'attempt-start');
  const traces = entries
    .slice(0, began)
    .flatMap(({ event }) => (event.type === 'generation-start' || !(isAbout(event) || isLifted(event)) ? [event] : []));
  const [before, previous] = [traces.at(-1), traces.at(-2)];
  if (before === undefined || isAbout(before)) return false;
  if (!BEGINS_A_TURN.has(before.type)) return true;
  // of two branches, or strands of one scope, that moved last, either may have asked for the child
  const hasStrands = entries.some(({ event }) => event.type === 'scope-overlap' && event.path === branchOf(before));
  const isBeside = previous !== undefined && (branchOf(previous) !== branchOf(before) || hasStrands);
  return isBeside && BEGINS_A_TURN.has(previous.type);
}

/**
 * A bound of the run, or what that stopped. The run went on after it, so the bound was lifted and the code never hears of
 * it: the turn in which it was reached is the one that is lived again, with whatever it had done before.
 */
function isLifted(event: RunEvent): boolean {
  if (event.type === 'trip') return event.node === '';
  if (event.type !== 'abort' || event.failure.code !== 'BOUND_REACHED') return false;
  return (event.failure.detail as { readonly node?: string } | undefined)?.node === '';
}

function branchOf(event: RunEvent): string {
  return 'id' in event ? event.id.replace(/#.*$/, '') : event.type === 'trip' ? event.node : '';
}

function isAbout({ type }: RunEvent): boolean {
  return ABOUT_THE_RUN.has(type);
}
