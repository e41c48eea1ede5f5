import type { Run } from '../core/run.js';
import type { ToolRef, ToolResult } from '../core/tool.js';
import { unknownTool, unusable } from './resolve-call.js';

/** A registry, or a view of one. */
export interface ToolSource {
  get(name: string): ToolRef | undefined;
  readonly names: readonly string[] | (() => readonly string[]);
}

/**
 * Calls a tool by name outside of a loop. For an unknown tool or invalid arguments it returns a failed result; it
 * does not throw.
 */
export async function executeValidated(
  run: Run,
  tools: ToolSource,
  name: string,
  args: unknown = {},
): Promise<ToolResult> {
  const tool = tools.get(name);
  if (tool === undefined) return unknownTool(name, typeof tools.names === 'function' ? tools.names() : tools.names);
  return unusable(name, args) ?? run.call(tool, args);
}
