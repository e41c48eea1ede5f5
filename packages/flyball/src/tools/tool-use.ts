import type { DomainEvent } from '../core/run.js';
import type { Toolset } from './toolset.js';

/** What became of the tools a session was shown: read over many runs, it says which ones to drop and what was missed. */
export interface ToolUse extends DomainEvent {
  readonly kind: 'tool-use';
  /** Hash of the schemas that were loaded. */
  readonly toolset: string;
  readonly loaded: number;
  readonly called: Readonly<Record<string, number>>;
  readonly unused: readonly string[];
  /** Asked for, in existence, and not loaded. */
  readonly missed: readonly string[];
}

/** A note for the journal: `run.note(toolUse(toolset, namesThatWereProposed))`. */
export function toolUse(toolset: Toolset, proposed: readonly string[]): ToolUse {
  const called: Record<string, number> = {};
  for (const name of proposed) if (toolset.has(name)) called[name] = (called[name] ?? 0) + 1;
  return {
    kind: 'tool-use',
    toolset: toolset.hash,
    loaded: toolset.names.length,
    called,
    unused: toolset.names.filter((name) => !Object.hasOwn(called, name)),
    missed: [...new Set(proposed.filter((name) => toolset.hides(name)))],
  };
}
