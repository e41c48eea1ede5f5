import type { Run } from '../core/run.js';
import type { ToolRef, ToolResult } from '../core/tool.js';
import { unknownTool, unusable } from './resolve-call.js';

/** A registry, or a view of one. */
export interface ToolSource {
  get(name: string): ToolRef | undefined;
  readonly names: readonly string[] | (() => readonly string[]);
}

/**
 * A governed call by name outside of a loop. An unknown tool and arguments that do not fit are observations like every
 * other failure of a tool, so that a caller has one kind of answer to read.
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
