import { ConfigError, FlyballError } from '../../../core/errors.js';
import type { Run } from '../../../core/run.js';
import type { ToolRef, ToolResult } from '../../../core/tool.js';
import type { Artefact } from '../../../core/work.js';
import type { Workpiece } from '../workpiece.js';
import { editBetween, isBlank } from './text-edit.js';

export interface FilesWorkpieceOptions {
  /** What is worked on; a function where it is known only after ACT, which lists them through a tool. */
  readonly paths: readonly string[] | ((run: Run) => Promise<readonly string[]>);
  /** `read_file`, or a tool that takes and answers the same. */
  readonly read: ToolRef;
  /** `write_file`: for a file with nothing in it. */
  readonly write: ToolRef;
  /** `edit_file`: what it does not name it leaves as it is, encoding and last line break included. */
  readonly edit: ToolRef;
}

/**
 * Files as artefacts. Read in pages, as models read them, and changed by exact edits, so that each change is governed
 * like a model's own and is undone with the run. What a file ends with is not part of the artefact: the read tool does
 * not show the last line break, and the edit leaves it alone. Keeps nothing between calls: a replay finds the same.
 */
export function filesWorkpiece(options: FilesWorkpieceOptions): Workpiece {
  const { paths } = options;
  if (typeof paths !== 'function' && (paths.length === 0 || new Set(paths).size !== paths.length))
    throw new ConfigError('A workpiece of files needs at least one path, and each path once.');
  return {
    async collect(run) {
      const artefacts: Artefact[] = [];
      for (const name of typeof paths === 'function' ? await paths(run) : paths)
        artefacts.push({ name, text: await textOf(run, options.read, name) });
      return artefacts;
    },
    write: (run, artefact) => put(run, options, artefact),
  };
}

async function put(run: Run, { read, write, edit }: FilesWorkpieceOptions, { name, text }: Artefact): Promise<void> {
  const before = await textOf(run, read, name);
  if (isBlank(before)) {
    if (text !== before) answered(await run.call(write, { path: name, content: text }), name);
    return;
  }
  // a last line break that is not shown was not taken away, and must not be added
  const change = editBetween(before, before.endsWith('\n') ? text : text.replace(/\n$/, ''));
  if (change !== undefined) answered(await run.call(edit, { path: name, edits: [change] }), name);
}

const MOST_PAGES = 200;
/** How the read tool marks a line that is longer than it shows. */
const CUT = '… (line cut)';
const PAGE_CHARACTERS = 100_000;

async function textOf(run: Run, read: ToolRef, path: string): Promise<string> {
  const pages: string[] = [];
  for (let from = 1; pages.length < MOST_PAGES; ) {
    const page = pageOf(answered(await run.call(read, from === 1 ? { path } : { path, from }), path), path);
    if (page.text.endsWith(CUT) && page.text.length > PAGE_CHARACTERS)
      throw unfit(path, `line ${page.from} is longer than the read tool shows`);
    pages.push(page.text);
    if (page.to >= page.of) return pages.join('\n');
    if (page.to < from) throw unfit(path, `the read tool answered nothing from line ${from} on`);
    from = page.to + 1;
  }
  throw unfit(path, `it has more than ${MOST_PAGES} pages`);
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
  throw new ConfigError(`The read tool answered for "${path}" without text, from, to and of. Give it read_file.`);
}

/** A call that fails is no observation here: nobody reads it, and going on would lose a change. */
function answered(result: ToolResult, path: string): unknown {
  if (result.ok) return result.value;
  const { code, message, retryable } = result.failure;
  throw new FlyballError(code, `"${path}" cannot be worked on: ${message}`, { retryable, detail: { path } });
}

function unfit(path: string, why: string): FlyballError {
  return new FlyballError(
    'EFFECT_FAILED',
    `"${path}" cannot be repaired as a text: ${why}. Leave it out of the paths.`,
    {
      detail: { path },
    },
  );
}
