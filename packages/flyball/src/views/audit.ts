import { canonicalJson, sha256 } from '../core/canonical.js';
import type { Entry } from '../core/events.js';
import { inertJson } from '../core/inert-json.js';

/**
 * The journal as lines of JSON, each holding the hash of the one before, so that a line altered, removed, inserted or
 * moved is found, and a closing line with count and head, so that a removed tail is found too.
 *
 * The hash of an entry's line is taken over the digest of the entry, not over the entry itself: when the journal is
 * removed and its digests stay, the same chain with the same head can still be written, without what was said.
 *
 * Whoever can rewrite the whole file can write a new chain: keep the head hash of the closing line somewhere else.
 */
const FORMAT = 'flyball-audit/2';

/** Why entries have no content any more. */
export interface Removed {
  readonly action: string;
  readonly at: number;
  readonly by: string;
}

type Line =
  | { readonly kind: 'open'; readonly n: number; readonly prev: string; readonly format: string; readonly run: string }
  | { readonly kind: 'entry'; readonly n: number; readonly prev: string; readonly digest: string }
  | {
      readonly kind: 'close';
      readonly n: number;
      readonly prev: string;
      readonly count: number;
      readonly head: string;
      readonly removed?: Removed;
    };

/** Whether an audit file is intact, and where it is not. */
export type AuditVerdict =
  | {
      readonly ok: true;
      readonly count: number;
      readonly run: string;
      readonly head: string;
      /** The journal was removed, and only its digests are there. */
      readonly removed?: Removed;
    }
  /** `line` counts from 1; one past the end where something is missing there. */
  | { readonly ok: false; readonly line: number; readonly why: string };

/** The journal as lines of an audit file, each chained to the one before it by a hash. */
export function auditLines(runId: string, entries: readonly Entry[]): string[] {
  return linesOf(
    runId,
    entries.map(({ generation, seq, at, activeMs, event }) => {
      const entry = canonicalJson({ generation, seq, at, activeMs, event } satisfies Entry);
      return { digest: sha256(entry), entry };
    }),
  );
}

/** The same chain of a journal that is gone, from what was kept of it. */
export function auditLinesOfRemoved(runId: string, digests: readonly string[], removed: Removed): string[] {
  return linesOf(
    runId,
    digests.map((digest) => ({ digest })),
    removed,
  );
}

/** What is kept of a journal that is removed, so that its audit can still be checked. */
export function auditDigests(
  runId: string,
  entries: readonly Entry[],
): { readonly digests: readonly string[]; readonly head: string } {
  const verdict = verifyAudit(auditLines(runId, entries));
  return {
    digests: entries.map(({ generation, seq, at, activeMs, event }) =>
      digestOf({ generation, seq, at, activeMs, event }),
    ),
    head: verdict.ok ? verdict.head : '',
  };
}

function digestOf(entry: Entry): string {
  return sha256(canonicalJson(entry));
}

function linesOf(
  runId: string,
  entries: readonly { readonly digest: string; readonly entry?: string }[],
  removed?: Removed,
): string[] {
  const lines: string[] = [];
  let prev = '';
  const write = (line: Line, entry?: string): void => {
    const hash = sha256(canonicalJson(line));
    lines.push(textOf({ ...line, hash }, entry));
    prev = hash;
  };
  write({ kind: 'open', n: 0, prev, format: FORMAT, run: runId });
  for (const { digest, entry } of entries) write({ kind: 'entry', n: lines.length, prev, digest }, entry);
  const end = { kind: 'close', n: lines.length, prev, count: entries.length, head: prev } as const;
  write(removed === undefined ? end : { ...end, removed });
  return lines;
}

/** Checks the lines of an audit file. */
export function verifyAudit(lines: readonly string[]): AuditVerdict {
  const given = lines.at(-1) === '' ? lines.slice(0, -1) : lines; // a file ends in a newline
  let prev = '';
  let run = '';
  let withoutContent: number | undefined;
  for (const [index, text] of given.entries()) {
    const wrong = (why: string): AuditVerdict => ({ ok: false, line: index + 1, why });
    const line = parsed(text);
    if (line === undefined) return wrong('it is not a line of an audit file');
    const { hash, entry, ...content } = line;
    if (!isAsWritten(text, line)) return wrong('its content was altered');
    if (line['n'] !== index)
      return wrong(`it is number ${String(line['n'])} where ${index} belongs: lines were removed, inserted or moved`);
    if (line['prev'] !== prev) return wrong('it does not follow the line before it: one of the two was replaced');
    if ((index === 0) !== (line['kind'] === 'open')) return wrong('the file does not begin where an audit begins');
    if (index === 0) {
      if (line['format'] !== FORMAT)
        return wrong(`its format is ${String(line['format'])}, this version reads ${FORMAT}`);
      run = String(line['run']);
    }
    if (line['kind'] === 'entry' && entry === undefined) withoutContent ??= index + 1;
    if (line['kind'] === 'close') {
      if (line['count'] !== index - 1 || line['head'] !== prev)
        return wrong('its count or head is not that of the lines before it');
      if (index < given.length - 1) return { ok: false, line: index + 2, why: 'it follows the closing line' };
      const removed = content['removed'] as Removed | undefined;
      if (withoutContent !== undefined && removed === undefined)
        return { ok: false, line: withoutContent, why: 'its content was taken out, and nothing says by whom' };
      return { ok: true, count: index - 1, run, head: prev, ...(removed === undefined ? {} : { removed }) };
    }
    prev = hash;
  }
  return { ok: false, line: given.length + 1, why: 'the closing line is missing: the end of the file was cut off' };
}

/** The hash is that of the line, the digest that of its entry, and not a character stands there besides. */
function isAsWritten(text: string, line: Record<string, unknown> & { readonly hash: string }): boolean {
  const { entry, ...rest } = line;
  const written = entry === undefined ? undefined : canonicalJson(entry);
  if (written !== undefined && (line['kind'] !== 'entry' || sha256(written) !== line['digest'])) return false;
  const { hash, ...content } = rest;
  return sha256(canonicalJson(content)) === hash && textOf(rest, written) === text;
}

/**
 * Hashes are taken over the canonical text; a file that somebody looks at must not steer their terminal. What stands in
 * the journal is written once: of the members of its line, only `digest` comes before it.
 */
function textOf(line: Readonly<Record<string, unknown>>, entry?: string): string {
  if (entry === undefined) return inertJson(canonicalJson(line));
  const { digest, ...rest } = line;
  return inertJson(`{"digest":${canonicalJson(digest)},"entry":${entry},${canonicalJson(rest).slice(1)}`);
}

function parsed(text: string): (Record<string, unknown> & { readonly hash: string }) | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
    return typeof (value as { hash?: unknown }).hash === 'string'
      ? (value as Record<string, unknown> & { hash: string })
      : undefined;
  } catch {
    return undefined; // text that is no JSON is answered like any other line that is not ours
  }
}
