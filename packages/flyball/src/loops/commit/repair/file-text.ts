import { ConfigError, FlyballError } from '../../../core/errors.js';
import type { Run } from '../../../core/run.js';
import type { ToolRef, ToolResult } from '../../../core/tool.js';

const MOST_PAGES = 200;
/** How the read tool marks a line that is longer than it shows. */
const CUT = '… (line cut)';
const PAGE_CHARACTERS = 100_000;

/** A whole file, read in pages as models read it; undefined where there is none. */
export async function fileText(run: Run, read: ToolRef, path: string): Promise<string | undefined> {
  const pages: string[] = [];
  for (let from = 1; pages.length < MOST_PAGES; ) {
    const result = await run.call(read, from === 1 ? { path } : { path, from });
    if (from === 1 && isMissing(result, path)) return undefined;
    const page = pageOf(answered(result, path), path);
    if (page.text.endsWith(CUT) && page.text.length > PAGE_CHARACTERS)
      throw unfit(path, `line ${page.from} is longer than the read tool shows`);
    pages.push(page.text);
    if (page.to >= page.of) return pages.join('\n');
    if (page.to < from) throw unfit(path, `the read tool answered nothing from line ${from} on`);
    from = page.to + 1;
  }
  throw unfit(path, `it has more than ${MOST_PAGES} pages`);
}

/** By what `read_file` says, or by the system's own code where another tool lets it through. */
function isMissing(result: ToolResult, path: string): boolean {
  if (result.ok) return false;
  const { originalCode, message } = result.failure;
  return originalCode === 'ENOENT' || message.startsWith(`There is no file "${path}"`);
}

interface Page {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly of: number;
}

function pageOf(value: unknown, path: string): Page {
  const { text, from, to, of } = (typeof value === 'object' && value !== null ? value : {}) as Partial<Page>;
  if (typeof text === 'string' && [from, to, of].every(Number.isInteger)) return { text, from, to, of } as Page;
  throw new ConfigError(`The read tool returned no text, from, to and of for "${path}". Use read_file.`);
}

/** A call that fails is no observation here: nobody reads it, and going on would lose a change. */
export function answered(result: ToolResult, path: string): unknown {
  if (result.ok) return result.value;
  const { code, message, retryable } = result.failure;
  throw new FlyballError(code, `"${path}" cannot be worked on: ${message}`, { retryable, detail: { path } });
}

function unfit(path: string, why: string): FlyballError {
  return new FlyballError('EFFECT_FAILED', `"${path}" cannot be repaired as text: ${why}. Remove it from the paths.`, {
    detail: { path },
  });
}
