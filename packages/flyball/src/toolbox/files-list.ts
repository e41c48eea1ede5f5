import type { TrifectaLeg } from '../core/tool.js';
import { tool } from '../tools/define-tool.js';
import { matchesGlob, readGlob } from '../tools/rules/glob.js';
import { absolutePath } from '../tools/rules/paths.js';
import type { DefinedTool } from '../tools/tool-definition.js';
import { type FileAccess, failed } from './files-access.js';
import { type EntryKind, walkFiles } from './files-walk.js';

/** Arguments of `list_files`. */
export type ListArgs = {
  readonly path?: string;
  readonly glob?: string;
  readonly depth?: number;
};

/** The result of `list_files`. */
export interface ListResult {
  readonly path: string;
  readonly entries: readonly { readonly path: string; readonly kind: EntryKind }[];
  readonly leftOut: readonly string[];
}

const MAX_LISTED = 500;
const MAX_SEEN = 50_000;
const MAX_DEPTH = 32;
export const SKIPPED_FOLDERS = ['.git', 'node_modules'];

export function listFilesTool(access: FileAccess, legs: readonly TrifectaLeg[]): DefinedTool<ListArgs, ListResult> {
  return tool({
    name: 'list_files',
    description:
      'Lists a folder; with `glob` (as `**/*.ts`) everything below it that matches, at most ' +
      `${MAX_LISTED} entries. ${SKIPPED_FOLDERS.join(' and ')} are shown and not entered unless \`path\` is inside them.`,
    input: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'a folder; the project folder where absent' },
        glob: { type: 'string', description: 'relative to path; * stays in one name, ** spans folders' },
        depth: { type: 'integer', minimum: 1, maximum: MAX_DEPTH, description: 'levels of folders; 1 without a glob' },
      },
      additionalProperties: false,
    },
    effect: 'pure',
    legs,
    scopes: ['files:read'],
    touches: ({ path = '.' }: ListArgs) => ({ reads: [absolutePath(access.rules, path)] }),
    execute: (args: ListArgs) => list(access, args),
    present: describe,
  }) as DefinedTool<ListArgs, ListResult>;
}

async function list(access: FileAccess, { path = '.', glob, depth }: ListArgs): Promise<ListResult> {
  const pattern = glob === undefined ? undefined : readGlob(glob);
  if (glob !== undefined && pattern === undefined) throw failed(`"${glob}" is not a glob such as **/*.ts.`, path);
  const entries: { readonly path: string; readonly kind: EntryKind }[] = [];
  const limits = { depth: depth ?? (glob === undefined ? 1 : MAX_DEPTH), entries: MAX_SEEN, skip: SKIPPED_FOLDERS };
  let isFull = false;
  const { leftOut } = await walkFiles(access, path, limits, async (entry) => {
    if (pattern !== undefined && !matchesGlob(pattern, entry.path)) return 'go-on';
    isFull = entries.length >= MAX_LISTED;
    if (!isFull) entries.push({ path: entry.path, kind: entry.kind });
    return isFull ? 'stop' : 'go-on';
  });
  return { path, entries, leftOut: isFull ? [...leftOut, `everything after ${MAX_LISTED} matches`] : leftOut };
}

const MARKS: Readonly<Record<EntryKind, string>> = {
  file: '',
  folder: '/',
  link: ' (link)',
  other: ' (no plain file)',
};

function describe({ path, entries, leftOut }: ListResult): string {
  const lines = entries.map((entry) => `${entry.path}${MARKS[entry.kind]}`);
  const note = leftOut.length === 0 ? [] : [`(not shown: ${leftOut.join('; ')})`];
  return [`${path}: ${entries.length === 0 ? 'nothing' : `${entries.length} entries`}`, ...lines, ...note].join('\n');
}
