import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { FlyballError } from '../core/errors.js';
import type { RunRecord, StoredEntry, StoredLink, WholeRun } from '../ports/engine.js';

/**
 * A run as one file: lines of JSON, compressed. The first line has the record, the last one the digest of all lines before
 * it, so that a file that was cut or changed is found. The same run makes the same bytes. Format 1.
 */
const FORMAT = 1;
const MOST_BYTES = 2 ** 31;

export interface ArchiveFile {
  readonly bytes: Uint8Array;
  readonly sha256: string;
}

type Line =
  | readonly ['e', generation: number, seq: number, at: number, activeMs: number, body: string]
  | readonly ['b', hash: string, content: string]
  | readonly ['l', id: string, parent: string | null, header: string, content: string | null, blob: string | null];

export function writeArchive({ record, entries, blobs, links }: WholeRun): ArchiveFile {
  const lines: unknown[] = [{ flyball: 'archive', v: FORMAT, run: recordOf(record) }];
  for (const { generation, seq, at, activeMs, body } of entries) lines.push(['e', generation, seq, at, activeMs, body]);
  for (const [hash, content] of blobs) lines.push(['b', hash, content]);
  for (const { id, parent, header, content, blob } of links)
    lines.push(['l', id, parent ?? null, header, content ?? null, blob ?? null]);
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const sha256 = digest(text);
  const end = JSON.stringify({ end: { lines: lines.length, sha256 } });
  return { bytes: gzipSync(`${text}${end}\n`), sha256 };
}

/** Throws JOURNAL_CORRUPT for a file that is not what was written, and JOURNAL_NEWER for one of a later format. */
export function readArchive(key: string, bytes: Uint8Array): { readonly run: WholeRun; readonly sha256: string } {
  const text = unpacked(key, bytes);
  const split = text.lastIndexOf('\n', text.length - 2) + 1;
  const lines = text.slice(0, split).split('\n').slice(0, -1);
  const sha256 = digest(text.slice(0, split));
  const { end } = parsed(key, text.slice(split)) as { readonly end?: { lines?: unknown; sha256?: unknown } };
  if (end?.lines !== lines.length || end.sha256 !== sha256) throw damaged(key, 'its digest does not match its content');
  const first = parsed(key, lines[0] ?? '') as {
    readonly flyball?: unknown;
    readonly v?: unknown;
    readonly run?: unknown;
  };
  if (first.flyball !== 'archive') throw damaged(key, 'it is not an archive of a run');
  if (typeof first.v !== 'number' || first.v > FORMAT)
    throw new FlyballError(
      'JOURNAL_NEWER',
      `The archive ${key} was written in format ${String(first.v)}; this version reads up to ${FORMAT}. Upgrade flyball.`,
    );
  const rest = lines.slice(1).map((line) => parsed(key, line) as Line);
  return { run: { record: first.run as RunRecord, ...contentsOf(rest) }, sha256 };
}

function contentsOf(lines: readonly Line[]): Omit<WholeRun, 'record'> {
  const entries: StoredEntry[] = [];
  const blobs: (readonly [string, string])[] = [];
  const links: StoredLink[] = [];
  for (const line of lines) {
    if (line[0] === 'e')
      entries.push({ generation: line[1], seq: line[2], at: line[3], activeMs: line[4], body: line[5] });
    else if (line[0] === 'b') blobs.push([line[1], line[2]]);
    else {
      const [, id, parent, header, content, blob] = line;
      const kept = { ...(content === null ? {} : { content }), ...(blob === null ? {} : { blob }) };
      links.push({ id, parent: parent ?? undefined, header, ...kept });
    }
  }
  return { entries, blobs, links };
}

/** What stays true of a run that has ended: not who held it, or that it was held. */
function recordOf(record: RunRecord): RunRecord {
  const { owner: _owner, leaseUntil: _until, wakeAt: _wakeAt, hold: _hold, attention: _attention, ...rest } = record;
  return { ...rest, waiting: [], crashes: 0 };
}

function unpacked(key: string, bytes: Uint8Array): string {
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_BYTES }).toString('utf8');
  } catch (cause) {
    throw damaged(key, 'it cannot be unpacked', cause);
  }
}

function parsed(key: string, line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch (cause) {
    throw damaged(key, 'a line of it is not JSON', cause);
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function damaged(key: string, why: string, cause?: unknown): FlyballError {
  return new FlyballError(
    'JOURNAL_CORRUPT',
    `The archive ${key} is damaged: ${why}. Nothing of it was used. Restore the file from a copy; other archives are not affected.`,
    { detail: { key }, cause },
  );
}
