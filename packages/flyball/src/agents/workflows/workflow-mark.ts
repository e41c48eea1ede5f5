import type { Budget } from '../../core/budget.js';
import type { Agent } from '../../core/run.js';
import type { JsonSchema } from '../../core/schema.js';
import type { Fields } from '../agent-spec.js';

/** On the function of a workflow: a server that finds it says what it is. */
export const WORKFLOW = Symbol.for('flyball.workflow');

/** What a workflow declares about itself. */
export interface WorkflowMark {
  readonly description?: string;
  readonly inputs?: JsonSchema;
  /** The same as they were declared, for whoever checks an input before there is a run. */
  readonly fields?: Fields;
  readonly budget?: Partial<Budget>;
  /** Names of the agents that it brings along. It may invoke others that are registered where it runs. */
  readonly agents?: readonly string[];
  /** The same workflow without a model call or a tool call: ends with a `DryRunReport`. */
  readonly dryRun?: Agent<never, unknown>;
}

/** The mark of a workflow, given as its function or as `{ agent, version }`; undefined for anything else. */
export function workflowMark(given: unknown): WorkflowMark | undefined {
  const inner = typeof given === 'object' && given !== null ? (given as { readonly agent?: unknown }).agent : given;
  if (typeof inner !== 'function') return undefined;
  return (inner as { readonly [WORKFLOW]?: WorkflowMark })[WORKFLOW];
}
