import type { Agent, Run, ToolResult } from 'flyball';
import { type Budget, budget as budgetOf, done } from 'flyball';
import type { ToolSource } from 'flyball/internal';
import { executeValidated } from 'flyball/tools';

/** Under this name a runtime is given `toolCallAgent`. */
export const TOOL_CALL = 'tool';

/** The input of a run that makes one tool call. */
export interface ToolCallInput {
  readonly tool: string;
  readonly args: unknown;
}

/**
 * A run of one call: governed and journaled like every other, with what the tool gave as its value. `held` puts guards
 * around it beside those of the runtime, such as the autonomy level of the agent whose tool it is.
 */
export function toolCallAgent(
  tools: ToolSource,
  held: (run: Run, tool: string) => Run = (run) => run,
): Agent<ToolCallInput, ToolResult> {
  return async (run, { tool, args }) => done(await executeValidated(held(run, tool), tools, tool, args));
}

/** One call and nothing else. */
export function toolCallBudget(): Budget {
  return budgetOf({ toolCalls: 1, modelCalls: 1, iterations: 1, depth: 1 });
}
