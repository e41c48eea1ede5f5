import type { TrifectaLeg } from '../core/tool.js';
import { tool } from '../tools/define-tool.js';
import { absolutePath } from '../tools/rules/paths.js';
import type { DefinedTool } from '../tools/tool-definition.js';
import { type FileAccess, failed, targetOf } from './files-access.js';
import { presentAt } from './files-present.js';
import { decodeText, linesOf, type TextEncoding } from './files-text.js';

/** Arguments of `read_file`. */
export type ReadArgs = {
  readonly path: string;
  readonly from?: number;
  readonly lines?: number;
};

/** The result of `read_file`. */
export interface ReadResult {
  readonly path: string;
  readonly text: string;
  /** First and last line of the text, from 1, and how many the file has. */
  readonly from: number;
  readonly to: number;
  readonly of: number;
  readonly encoding: TextEncoding;
}

const DEFAULT_LINES = 2000;
const MAX_CHARACTERS = 100_000;

export function readFileTool(access: FileAccess, legs: readonly TrifectaLeg[]): DefinedTool<ReadArgs, ReadResult> {
  return tool({
    name: 'read_file',
    description:
      `Reads a text file, at most ${DEFAULT_LINES} lines at a time; continue with \`from\`. Read a file before you edit it. ` +
      'Not for folders (list_files) and not for finding a text in many files (search_files).',
    input: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'relative to the project folder' },
        from: { type: 'integer', minimum: 1, description: 'first line, from 1' },
        lines: { type: 'integer', minimum: 1, maximum: DEFAULT_LINES },
      },
      required: ['path'],
      additionalProperties: false,
    },
    effect: 'pure',
    legs,
    scopes: ['files:read'],
    touches: (args: ReadArgs) => ({ reads: [absolutePath(access.rules, args.path)] }),
    execute: (args: ReadArgs) => readText(access, args),
    present: describe,
  }) as DefinedTool<ReadArgs, ReadResult>;
}

async function readText(access: FileAccess, { path, from = 1, lines = DEFAULT_LINES }: ReadArgs): Promise<ReadResult> {
  const present = await presentAt(access, await targetOf(access, path, 'read'));
  if (present === undefined) throw failed(`There is no file "${path}". list_files shows what is there.`, path);
  const decoded = decodeText(present.bytes);
  if (decoded === undefined)
    throw failed(`"${path}" is not text: ${present.state.size} bytes of ${kindOf(present.bytes)}.`, path);
  const all = linesOf(decoded.text);
  if (from > Math.max(all.length, 1)) throw failed(`"${path}" has only ${all.length} lines.`, path);
  const chosen = fitting(all.slice(from - 1, from - 1 + lines));
  return {
    path,
    text: chosen.join('\n'),
    from,
    to: from - 1 + chosen.length,
    of: all.length,
    encoding: decoded.encoding,
  };
}

/** As many lines as a model is shown at once; a first line that alone is too long is cut. */
function fitting(lines: readonly string[]): readonly string[] {
  let left = MAX_CHARACTERS;
  const end = lines.findIndex((line) => {
    left -= line.length + 1;
    return left < 0;
  });
  if (end < 0) return lines;
  return end > 0 ? lines.slice(0, end) : [`${(lines[0] ?? '').slice(0, MAX_CHARACTERS)}… (line cut)`];
}

function describe({ path, text, from, to, of, encoding }: ReadResult): string {
  if (of === 0) return `${path} is empty.`;
  const note = encoding === 'utf-8' ? '' : `, ${encoding}`;
  const rest = to < of ? ` Continue with from: ${to + 1}.` : '';
  return `${path}, lines ${from} to ${to} of ${of}${note}.${rest}\n${text}`;
}

const MAGIC: readonly (readonly [string, string])[] = [
  ['89504e47', 'a PNG image'],
  ['ffd8ff', 'a JPEG image'],
  ['47494638', 'a GIF image'],
  ['25504446', 'a PDF document'],
  ['504b0304', 'a ZIP archive or an office document'],
  ['1f8b', 'gzip data'],
  ['7f454c46', 'an ELF program'],
  ['53514c697465', 'an SQLite database'],
];

function kindOf(bytes: Buffer): string {
  const start = bytes.toString('hex', 0, 8);
  return MAGIC.find(([magic]) => start.startsWith(magic))?.[1] ?? 'binary data';
}
