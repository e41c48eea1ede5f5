import { sha256 } from '../../core/canonical.js';

/** What OpenAI, Anthropic, Google and Ollama all accept. */
const LONGEST = 64;

/** `server__tool`, in letters that every provider takes. */
export function mcpToolName(server: string, tool: string): string {
  return `${server}__${tool}`.replace(/[^a-zA-Z0-9_-]/g, '_');
}

/**
 * A name for each tool, in the same order. One that is too long is cut, and names that became equal are told apart, by
 * a hash of what they were: the order in which tools are listed does not matter.
 */
export function safeNames(wanted: readonly string[], originals: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const name of wanted) counts.set(name, (counts.get(name) ?? 0) + 1);
  return wanted.map((name, index) => {
    if (name.length <= LONGEST && counts.get(name) === 1) return name;
    const mark = `_${sha256(originals[index] ?? name).slice(0, 8)}`;
    return `${name.slice(0, LONGEST - mark.length)}${mark}`;
  });
}
