import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { FlyballError } from '../core/errors.js';
import { MOST_ARCHIVE_BYTES } from '../ports/archive.js';
import type { RunRecord, StoredEntry, StoredLink, WholeRun } from '../ports/engine.js';
import { wrongIn } from './archive-check.js';
import { type Line, lineIn } from './archive-line.js';
import { recordIn } from './archive-record.js';

/**
 * A run as one file: lines of JSON, compressed. The first line has the record, the last one the digest of all lines before
 * it, so that a file that was cut or changed is found. It has no key: whoever can write the file can write a digest that
 * fits, and only the operations log of a database tells whether it is the file that was written. The same run makes the
 * same bytes. Format 1.
 */
const FORMAT = 1;

export interface ArchiveFile {
  readonly bytes: Uint8Array;
  readonly sha256: string;
}

/** Throws JOURNAL_CORRUPT for a run that nobody could put back. */
export function writeArchive(run: WholeRun): ArchiveFile {
  const { record, entries, blobs, links } = run;
  const wrong = wrongIn(run);
  if (wrong !== undefined)
    throw unarchived(record, 'JOURNAL_CORRUPT', `it is damaged: ${wrong}. Restore the database from a backup`);
  const lines: unknown[] = [{ flyball: 'archive', v: FORMAT, run: recordOf(record) }];
  for (const { generation, seq, at, activeMs, body } of entries) lines.push(['e', generation, seq, at, activeMs, body]);
  for (const [hash, content] of blobs) lines.push(['b', hash, content]);
  for (const { id, parent, header, content, blob } of links)
    lines.push(['l', id, parent ?? null, header, content ?? null, blob ?? null]);
  const texts = lines.map((line) => `${JSON.stringify(line)}\n`);
  if (texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) > MOST_ARCHIVE_BYTES - END_BYTES)
    throw unarchived(record, 'INPUT_INVALID', `it is larger than ${MOST_ARCHIVE_BYTES} bytes`);
  const text = texts.join('');
  const sha256 = digest(text);
  const end = JSON.stringify({ end: { lines: lines.length, sha256 } });
  return { bytes: gzipSync(`${text}${end}\n`), sha256 };
}

/** The last line is shorter. */
const END_BYTES = 200;

/**
 * Throws JOURNAL_CORRUPT for a file that is not what was written, or holds what no run holds, and JOURNAL_NEWER for one of
 * a later format.
 */
export function readArchive(key: string, bytes: Uint8Array): { readonly run: WholeRun; readonly sha256: string } {
  const text = unpacked(key, bytes);
  const split = text.lastIndexOf('\n', text.length - 2) + 1;
  const lines = text.slice(0, split).split('\n').slice(0, -1);
  const sha256 = digest(text.slice(0, split));
  const { end } = parsed(key, text.slice(split)) as { readonly end?: { lines?: unknown; sha256?: unknown } };
  if (end?.lines !== lines.length || end.sha256 !== sha256) throw damaged(key, 'its digest does not match its content');
  const record = recordOfFile(key, lines[0] ?? '');
  const run = { record, ...contentsOf(lines.slice(1).map((line) => lineIn(parsed(key, line)) ?? strange(key))) };
  const wrong = wrongIn(run);
  if (wrong !== undefined) throw damaged(key, wrong);
  return { run, sha256 };
}

function recordOfFile(key: string, line: string): RunRecord {
  const first = parsed(key, line) as { readonly flyball?: unknown; readonly v?: unknown; readonly run?: unknown };
  if (first.flyball !== 'archive') throw damaged(key, 'it is not an archive of a run');
  if (typeof first.v !== 'number' || first.v > FORMAT)
    throw new FlyballError(
      'JOURNAL_NEWER',
      `The archive ${key} was written in format ${String(first.v)}; this version reads up to ${FORMAT}. Upgrade flyball.`,
    );
  const record = recordIn(first.run);
  if ('wrong' in record)
    throw damaged(key, `the field "${record.wrong}" of its record holds what no run can have there`);
  return record;
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
    return gunzipSync(bytes, { maxOutputLength: MOST_ARCHIVE_BYTES }).toString('utf8');
  } catch (cause) {
    throw damaged(key, `it cannot be unpacked, or holds more than ${MOST_ARCHIVE_BYTES} bytes`, cause);
  }
}

/** A line is an object or an array: what reads it asks for members. */
function parsed(key: string, line: string): object {
  try {
    const value = JSON.parse(line) as unknown;
    if (typeof value === 'object' && value !== null) return value;
  } catch (cause) {
    throw damaged(key, 'a line of it is not JSON', cause);
  }
  return strange(key);
}

function strange(key: string): never {
  throw damaged(key, 'a line of it is no part of a run');
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function unarchived({ id }: RunRecord, code: 'JOURNAL_CORRUPT' | 'INPUT_INVALID', why: string): FlyballError {
  return new FlyballError(code, `Run ${id} cannot be archived: ${why}. The run was kept.`, { detail: { runId: id } });
}

export function damaged(key: string, why: string, cause?: unknown): FlyballError {
  return new FlyballError(
    'JOURNAL_CORRUPT',
    `The archive ${key} is damaged: ${why}. Nothing of it was used. Restore the file from a copy; other archives are not affected.`,
    { detail: { key, next: 'Nothing was changed in the database.' }, cause },
  );
}
