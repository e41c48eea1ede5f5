import { ConfigError } from '../core/errors.js';
import type { TrifectaLeg } from '../core/tool.js';
import { type PathRules, pathRules } from '../tools/rules/paths.js';
import type { DefinedTool } from '../tools/tool-definition.js';
import type { FileAccess } from './files-access.js';
import { FileChanges } from './files-change.js';
import { holdingHere } from './files-held.js';
import { listFilesTool } from './files-list.js';
import { deleteFileTool, moveFileTool } from './files-move.js';
import { readFileTool } from './files-read.js';
import { searchFilesTool } from './files-search.js';
import { undoFolder } from './files-undo.js';
import { editFileTool, writeFileTool } from './files-write.js';

/** Options of the file tools. */
export interface FilesOptions {
  /** A folder that may be read and written, or rules from `pathRules`. */
  readonly allow: string | PathRules;
  /** Larger files are neither read nor replaced. 10 MiB where absent. */
  readonly maxBytes?: number;
  /** A file with a second name may be the same file as one outside. `refuse` where absent. */
  readonly hardLinks?: 'refuse' | 'allow';
  /** Where previous versions are kept for undoing: `.flyball/undo` in the first writable root where absent. */
  readonly undoFolder?: string;
  /** How long a search by pattern may take. 5 s where absent. */
  readonly searchMs?: number;
  /** What reading stands on. Private data where absent; none for a folder whose content anybody may know. */
  readonly legs?: readonly TrifectaLeg[];
}

const DEFAULT_MAX_BYTES = 10 * 1024 * 1024;
const DEFAULT_SEARCH_MS = 5000;
const SEARCHED_BYTES = 256 * 1024 * 1024;

/**
 * Tools for the files below some folders. Several tools and not one with an `operation`, because a tool has one effect
 * class: reads stay pure, so they run side by side, are retried and are allowed to an agent that may only read.
 * Tools that write are there only where a root may be written.
 */
export function filesTools(options: FilesOptions): readonly DefinedTool<never, unknown>[] {
  const access = accessOf(options);
  const legs = options.legs ?? ['private-data'];
  const limits = { timeoutMs: options.searchMs ?? DEFAULT_SEARCH_MS, totalBytes: SEARCHED_BYTES };
  const reading = [readFileTool(access, legs), listFilesTool(access, legs), searchFilesTool(access, limits, legs)];
  const changes = fileChanges(access, options.undoFolder);
  if (changes === undefined) return reading;
  return [...reading, writeFileTool(changes), editFileTool(changes), moveFileTool(changes), deleteFileTool(changes)];
}

export function accessOf(options: Pick<FilesOptions, 'allow' | 'maxBytes' | 'hardLinks'>): FileAccess {
  const { allow, maxBytes = DEFAULT_MAX_BYTES, hardLinks = 'refuse' } = options;
  if (!(Number.isInteger(maxBytes) && maxBytes > 0))
    throw new ConfigError(`maxBytes is ${maxBytes}, not a number of bytes.`);
  const rules = typeof allow === 'string' ? pathRules({ roots: [{ path: allow, write: true }] }) : allow;
  return { rules, maxBytes, hardLinks, holding: holdingHere() };
}

/** Undefined where nothing may be written. */
export function fileChanges(access: FileAccess, folder: string | undefined): FileChanges | undefined {
  const root = access.rules.roots.find(({ write }) => write);
  if (root === undefined) return undefined;
  const { holding } = access;
  const at = folder === undefined ? { base: root.path, names: ['.flyball', 'undo'] } : { base: folder, names: [] };
  return new FileChanges(access, undoFolder({ ...at, holding }));
}
