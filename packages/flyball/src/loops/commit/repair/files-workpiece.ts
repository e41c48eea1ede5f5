import { ConfigError, FlyballError } from '../../../core/errors.js';
import type { Run } from '../../../core/run.js';
import type { ToolRef, ToolResult } from '../../../core/tool.js';
import { trimmedEnd } from '../../../core/trimmed-end.js';
import type { Artefact } from '../../../core/work.js';
import type { Workpiece } from '../workpiece.js';
import { answered, fileText } from './file-text.js';
import { editBetween, isBlank } from './text-edit.js';

export interface FilesWorkpieceOptions {
  /**
   * What is worked on; a function where it is known only after ACT, which lists them through a tool. One that does not
   * exist is an artefact without text, and is made when something is written to it.
   */
  readonly paths: readonly string[] | ((run: Run) => Promise<readonly string[]>);
  /** Folders in which a person may name further files; `.` is the whole project. None where absent. */
  readonly newIn?: readonly string[];
  /** `read_file`, or a tool that takes and answers the same. */
  readonly read: ToolRef;
  /** `write_file`: for a file that is not there yet, or has nothing in it. */
  readonly write: ToolRef;
  /** `edit_file`: what it does not name it leaves as it is, encoding and last line break included. */
  readonly edit: ToolRef;
}

/**
 * Files as artifacts. Read in pages, as models read them, and changed by exact edits, so that each change is governed
 * like a model's own and is undone with the run. What a file ends with is not part of the artefact: the read tool
 * does not show the last line break, and the edit leaves it alone. Keeps nothing between calls: a replay finds the
 * same.
 */
export function filesWorkpiece(options: FilesWorkpieceOptions): Workpiece {
  const { paths } = options;
  if (typeof paths !== 'function' && (paths.length === 0 || new Set(paths).size !== paths.length))
    throw new ConfigError('A workpiece of files needs at least one path, and each path once.');
  return {
    async collect(run) {
      const artefacts: Artefact[] = [];
      for (const name of typeof paths === 'function' ? await paths(run) : paths)
        artefacts.push({ name, text: (await fileText(run, options.read, name)) ?? '' });
      return artefacts;
    },
    async write(run, artefact, known) {
      await requireCovered(run, options, artefact.name, known !== undefined);
      await put(run, options, artefact, known);
    },
  };
}

/** A name that was collected needs no second listing; all others are looked for. */
async function requireCovered(
  run: Run,
  { paths, newIn = [] }: FilesWorkpieceOptions,
  name: string,
  wasCollected: boolean,
): Promise<void> {
  if (newIn.some((folder) => liesIn(folder, name))) return;
  if (typeof paths === 'function' && wasCollected) return;
  const listed = typeof paths === 'function' ? await paths(run) : paths;
  if (listed.includes(name)) return;
  const some = listed.slice(0, 10).join(', ');
  const folders = newIn.length === 0 ? '' : `, and new files in ${newIn.join(', ')}`;
  throw new FlyballError(
    'DENIED',
    `"${name}" is not part of the workpiece: ${some}${listed.length > 10 ? ', …' : ''}${folders}. Use one of these names exactly, or add it to paths or newIn of the workpiece.`,
    { detail: { path: name } },
  );
}

/** Written out plainly, so that one file has one name: no `.`, no `..`, no double slash. */
function liesIn(folder: string, name: string): boolean {
  if (name.split('/').some((part) => part === '' || part === '.' || part === '..')) return false;
  return folder === '.' || name.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/**
 * Without `known` the file is read first. With it only the edit is sent, because its old piece has to stand in the file
 * word for word; only what has no old piece, or does not fit, is read again.
 */
async function put(run: Run, tools: FilesWorkpieceOptions, artefact: Artefact, known?: string): Promise<void> {
  const { name, text } = artefact;
  if (known !== undefined && !isBlank(known)) {
    const result = await edited(run, tools.edit, { name, text: known }, text);
    if (result === undefined || result.ok) return;
    if (result.failure.code !== 'EFFECT_FAILED') answered(result, name);
    const now = await fileText(run, tools.read, name);
    if (now === known) answered(result, name);
    return replaceIn(run, tools, artefact, unforeign(now, known, name));
  }
  const now = await fileText(run, tools.read, name);
  await replaceIn(run, tools, artefact, known === undefined ? now : unforeign(now, known, name));
}

async function replaceIn(
  run: Run,
  { write, edit }: FilesWorkpieceOptions,
  { name, text }: Artefact,
  before = '', // nothing there and nothing in it are the same artefact
): Promise<void> {
  if (!isBlank(before)) {
    const result = await edited(run, edit, { name, text: before }, text);
    if (result !== undefined) answered(result, name);
  } else if (text !== before) answered(await run.call(write, { path: name, content: text }), name);
}

/** Undefined where nothing differs. */
async function edited(run: Run, edit: ToolRef, before: Artefact, text: string): Promise<ToolResult | undefined> {
  // a last line break that is not shown was not taken away, and must not be added
  const change = editBetween(before.text, before.text.endsWith('\n') ? text : text.replace(/\n$/, ''));
  return change === undefined ? undefined : run.call(edit, { path: before.name, edits: [change] });
}

/** What is there now, where it is what we know but for marks and line breaks: somebody else's work is not overwritten. */
function unforeign(now: string | undefined, known: string, path: string): string {
  const plain = (text: string): string => trimmedEnd(text.replace(/^\ufeff/, '').replace(/\r\n/g, '\n'), '\r\n');
  if (plain(now ?? '') === plain(known)) return now ?? '';
  throw new FlyballError(
    'EFFECT_FAILED',
    `"${path}" was changed by somebody else since it was last read or written, so it was not changed. Run the task again on the current version.`,
    { detail: { path } },
  );
}
