import type { BudgetSlice } from '../../core/budget.js';
import type { InvocationMode } from './invocation.js';

/** What an invoked agent answered. */
export interface Invoked<O = unknown> {
  readonly agent: string;
  readonly version: string;
  readonly mode: InvocationMode;
  /** The output of a defined agent, the value of a function. */
  readonly output: O;
  /** Everything the agent ended with: tokens, model, iterations, why it ended. Absent in a dry run. */
  readonly result?: unknown;
  /** There when nothing was invoked, and what would have been. */
  readonly dryRun?: DryInvoked;
}

/** An agent that a dry run would have invoked. */
export interface DryInvoked {
  readonly slice: BudgetSlice;
  /** As the agent would get them, defaults filled in. */
  readonly inputs: unknown;
  /** Why the agent could not start with these inputs. */
  readonly problem?: string;
  /** What a workflow would do in its turn. */
  readonly inside?: DryRunReport;
}

/** One action that a workflow would have taken. */
export type DryAct =
  | ({ readonly kind: 'agent' } & Pick<Invoked, 'agent' | 'version' | 'mode'> & DryInvoked)
  | { readonly kind: 'model' | 'tool' | 'step' | 'spawn'; readonly name: string; readonly input: unknown }
  | { readonly kind: 'wait'; readonly name: string; readonly answered: 'timed-out' }
  | { readonly kind: 'sleep'; readonly ms: number }
  | { readonly kind: 'continue' };

/** The result of a dry run. */
export interface DryRunReport {
  readonly workflow: string;
  readonly version: string;
  /** In the order in which they would have been done. */
  readonly acts: readonly DryAct[];
  /** Everything that would have gone wrong before anything was spent; empty where nothing would. */
  readonly problems: readonly string[];
  /** How far it came: how the workflow would have ended, or `not-simulated` where it needed a real answer to go on. */
  readonly end: { readonly stop: string; readonly because?: string };
}

/** Those of a workflow itself, and of the workflows it would have invoked. */
export function problemsOf(acts: readonly DryAct[]): readonly string[] {
  return acts.flatMap((act) => {
    if (act.kind !== 'agent') return [];
    return [...(act.problem === undefined ? [] : [act.problem]), ...(act.inside?.problems ?? [])];
  });
}
