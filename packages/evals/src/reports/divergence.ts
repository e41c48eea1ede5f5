import { matchesAction } from '../grading/match-action.js';
import { isFailed, type MadeCall, madeCalls } from '../metrics/tool-calls.js';
import type { SimulationRecord } from '../results/simulation-record.js';
import type { GoldAction, Task } from '../world/task.js';

/** Where a trajectory leaves the gold path first. */
export type Divergence =
  | { readonly kind: 'missing'; readonly gold: GoldAction }
  | {
      readonly kind: 'wrong-arguments';
      readonly gold: GoldAction;
      readonly made: MadeCall;
      readonly fields: readonly string[];
    }
  | { readonly kind: 'extra'; readonly made: MadeCall }
  | { readonly kind: 'order'; readonly gold: GoldAction; readonly made: MadeCall }
  | { readonly kind: 'none' };

/**
 * Walks the state-changing calls beside the gold ones. The first that is not the next gold call decides: it is one of
 * the later gold calls (wrong order), the right tool with other arguments, or a call the gold path does not have. When
 * all that were made fit, the first gold call without a match is missing. Reads are free and are not compared.
 */
export function firstDivergence(
  { messages }: Pick<SimulationRecord, 'messages'>,
  task: Task | undefined,
  writes: ReadonlySet<string>,
): Divergence {
  const gold = (task?.criteria?.actions ?? []).filter((action) => writes.has(action.name) || isWrite(action, writes));
  const open = [...gold];
  const counted = new Set(gold.map(({ name }) => name));
  const given = task?.initialState?.history?.length ?? 0; // what the task began with is nobody's doing
  for (const made of madeCalls(messages)) {
    if (made.at < given) continue;
    if (!counted.has(made.call.name) && !writes.has(made.call.name)) continue;
    const place = open.findIndex((action) => matchesAction(action, made.call));
    const next = open[0];
    if (place === 0) open.shift();
    else if (place > 0 && next !== undefined && needsOrder(next, open[place]))
      return { kind: 'order', gold: next, made };
    else if (place > 0) open.splice(place, 1);
    else if (!isFailed(made) && !gold.some((action) => matchesAction(action, made.call))) return strayed(open, made);
  }
  return open[0] === undefined ? { kind: 'none' } : { kind: 'missing', gold: open[0] };
}

function isWrite(action: GoldAction, writes: ReadonlySet<string>): boolean {
  return writes.size === 0 && action.name !== '';
}

/** Two calls of one tool, and the two sides, may swap without changing anything; different tools of one side may not. */
function needsOrder(next: GoldAction, made: GoldAction | undefined): boolean {
  return made !== undefined && next.requestor === made.requestor && innerName(next) !== innerName(made);
}

function strayed(open: readonly GoldAction[], made: MadeCall): Divergence {
  const near = open.find((action) => innerName(action) === innerName(made.call));
  return near === undefined
    ? { kind: 'extra', made }
    : { kind: 'wrong-arguments', gold: near, made, fields: differingFields(near, made) };
}

/** A discoverable tool is called through a wrapper: what counts is the tool inside. */
export function innerName(call: Pick<GoldAction, 'name' | 'arguments'>): string {
  for (const key of ['agent_tool_name', 'discoverable_tool_name']) {
    const inner = call.arguments.get(key);
    if (typeof inner === 'string') return `${call.name}:${inner}`;
  }
  return call.name;
}

function differingFields(gold: GoldAction, { call }: MadeCall): readonly string[] {
  const names = new Set([...gold.arguments.keys(), ...call.arguments.keys()]);
  return [...names].filter((name) => {
    const compareArgs = [name];
    return !matchesAction({ ...gold, compareArgs }, call);
  });
}
