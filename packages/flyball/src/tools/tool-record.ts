import type { Entry } from '../core/events.js';
import type { ToolUse } from './tool-use.js';

/** The notes of `toolUse` in a journal, in order. */
export function toolUsesIn(entries: readonly Entry[]): readonly ToolUse[] {
  return entries.flatMap(({ event }) =>
    event.type === 'note' && event.event.kind === 'tool-use' ? [event.event as ToolUse] : [],
  );
}

/** What the record of many runs tells of one tool. */
export interface ToolRecord {
  readonly loaded: number;
  readonly called: number;
  /** Runs in a row, up to the last, that loaded it in vain. Runs without it are passed over. */
  readonly inVain: number;
}

export function toldBy(uses: readonly ToolUse[], tool: string): ToolRecord {
  let [loaded, called, inVain] = [0, 0, 0];
  for (const use of uses) {
    const calls = Object.hasOwn(use.called, tool) ? (use.called[tool] ?? 0) : 0;
    if (calls === 0 && !use.unused.includes(tool)) continue;
    loaded++;
    called += calls;
    inVain = calls === 0 ? inVain + 1 : 0;
  }
  return { loaded, called, inVain };
}

/** Tools that the last run which loaded them, and so many before it in a row, loaded in vain. */
export function unusedIn(uses: readonly ToolUse[], runs: number): readonly string[] {
  const names = [...new Set(uses.flatMap(({ unused }) => unused))].sort();
  return names.filter((name) => toldBy(uses, name).inVain >= runs);
}
