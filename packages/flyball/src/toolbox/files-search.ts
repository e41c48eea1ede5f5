import type { EffectContext, TrifectaLeg } from '../core/tool.js';
import { tool } from '../tools/define-tool.js';
import { matchesGlob, readGlob } from '../tools/rules/glob.js';
import { absolutePath } from '../tools/rules/paths.js';
import type { DefinedTool } from '../tools/tool-definition.js';
import { type FileAccess, failed } from './files-access.js';
import { SKIPPED_FOLDERS } from './files-list.js';
import { type LineMatch, literalMatcher, type Matcher, patternMatcher } from './files-matcher.js';
import { presentIn } from './files-present.js';
import { decodeText } from './files-text.js';
import { type WalkEntry, walkFiles } from './files-walk.js';

/** Arguments of `search_files`. */
export type SearchArgs = {
  readonly query: string;
  readonly pattern?: boolean;
  readonly ignoreCase?: boolean;
  readonly path?: string;
  readonly glob?: string;
};

/** The result of `search_files`. */
export interface SearchResult {
  readonly matches: readonly (LineMatch & { readonly path: string })[];
  readonly filesSearched: number;
  readonly leftOut: readonly string[];
}

export interface SearchLimits {
  /** For the whole search, where it is by pattern. */
  readonly timeoutMs: number;
  /** Read in one search, all files together. */
  readonly totalBytes: number;
}

const MAX_MATCHES = 200;
const MAX_PER_FILE = 50;
const MAX_DEPTH = 32;
const MAX_SEEN = 50_000;

export function searchFilesTool(
  access: FileAccess,
  limits: SearchLimits,
  legs: readonly TrifectaLeg[],
): DefinedTool<SearchArgs, SearchResult> {
  return tool({
    name: 'search_files',
    description:
      `Finds the lines that hold a text, at most ${MAX_MATCHES}. The query is literal; set pattern for a regular ` +
      'expression, which is matched line by line. Use it to find where something is defined or used.',
    input: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 1000 },
        pattern: { type: 'boolean', description: 'the query is a regular expression' },
        ignoreCase: { type: 'boolean' },
        path: { type: 'string', description: 'a folder; the project folder where absent' },
        glob: { type: 'string', description: 'which files, relative to path, as **/*.ts' },
      },
      required: ['query'],
      additionalProperties: false,
    },
    effect: 'pure',
    legs,
    scopes: ['files:read'],
    touches: ({ path = '.' }: SearchArgs) => ({ reads: [absolutePath(access.rules, path)] }),
    execute: (args: SearchArgs, how: EffectContext) => search(access, limits, args, how.signal),
    present: describe,
  }) as DefinedTool<SearchArgs, SearchResult>;
}

async function search(
  access: FileAccess,
  limits: SearchLimits,
  { query, pattern = false, ignoreCase = false, path = '.', glob }: SearchArgs,
  signal: AbortSignal,
): Promise<SearchResult> {
  const files = readGlob(glob ?? '**');
  if (files === undefined) throw failed(`"${glob}" is not a glob such as **/*.ts.`, path);
  const matcher = pattern
    ? patternMatcher(query, { ignoreCase, timeoutMs: limits.timeoutMs, signal })
    : literalMatcher(query, ignoreCase);
  const found = new Findings(access, matcher, limits);
  try {
    const walk = { depth: MAX_DEPTH, entries: MAX_SEEN, skip: SKIPPED_FOLDERS };
    const { leftOut } = await walkFiles(access, path, walk, async (entry) => {
      signal.throwIfAborted();
      return entry.kind === 'file' && matchesGlob(files, entry.path) ? found.look(entry) : 'go-on';
    });
    return { matches: found.matches, filesSearched: found.files, leftOut: [...leftOut, ...found.leftOut] };
  } finally {
    await matcher.close();
  }
}

class Findings {
  readonly matches: (LineMatch & { readonly path: string })[] = [];
  readonly leftOut = new Set<string>();
  files = 0;
  private bytes = 0;
  private readonly access: FileAccess;
  private readonly matcher: Matcher;
  private readonly limits: SearchLimits;

  constructor(access: FileAccess, matcher: Matcher, limits: SearchLimits) {
    this.access = access;
    this.matcher = matcher;
    this.limits = limits;
  }

  async look(entry: WalkEntry): Promise<'go-on' | 'stop'> {
    const text = await this.textOf(entry);
    if (text === undefined) return 'go-on';
    this.files++;
    for (const match of await this.matcher.match(text, Math.min(MAX_PER_FILE, MAX_MATCHES - this.matches.length)))
      this.matches.push({ path: entry.path, ...match });
    if (this.matches.length >= MAX_MATCHES) return this.stop(`everything after ${MAX_MATCHES} matches`);
    if (this.bytes >= this.limits.totalBytes) return this.stop(`everything after ${this.limits.totalBytes} bytes`);
    return 'go-on';
  }

  /** Undefined for what is no text or may not be read: a search goes on without it. */
  private async textOf(entry: WalkEntry): Promise<string | undefined> {
    try {
      const present = await presentIn(this.access, entry.folder, entry.name);
      this.bytes += present?.bytes.length ?? 0;
      return present === undefined ? undefined : decodeText(present.bytes)?.text;
    } catch (error) {
      this.leftOut.add(`${entry.path}: ${(error as Error).message}`);
      return undefined;
    }
  }

  private stop(why: string): 'stop' {
    this.leftOut.add(why);
    return 'stop';
  }
}

const TOLD_GAPS = 10;

function describe({ matches, filesSearched, leftOut }: SearchResult): string {
  const lines = matches.map(({ path, line, text }) => `${path}:${line}: ${text}`);
  const more = leftOut.length > TOLD_GAPS ? [`and ${leftOut.length - TOLD_GAPS} more`] : [];
  const note = leftOut.length === 0 ? [] : [`(not searched: ${[...leftOut.slice(0, TOLD_GAPS), ...more].join('; ')})`];
  const count = matches.length === 1 ? '1 match' : `${matches.length === 0 ? 'No' : matches.length} matches`;
  return [`${count} in ${filesSearched} files.`, ...lines, ...note].join('\n');
}
