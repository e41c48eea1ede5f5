import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { FlyballError } from '../core/errors.js';
import { MOST_ARCHIVE_BYTES } from '../ports/archive.js';
import type { RunRecord, StoredEntry, StoredLink, WholeRun } from '../ports/engine.js';
import { wrongIn } from './archive-check.js';
import { eachLine, linesIn } from './archive-limits.js';
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
  const content = Buffer.from(texts.join(''));
  const counted = linesIn(content);
  if (typeof counted !== 'number') throw unarchived(record, 'INPUT_INVALID', counted.tooMuch);
  const sha256 = digest(content);
  const end = JSON.stringify({ end: { lines: counted, sha256 } });
  return { bytes: gzipSync(Buffer.concat([content, Buffer.from(`${end}\n`)])), sha256 };
}

/** The last line is shorter. */
const END_BYTES = 200;

/**
 * Throws JOURNAL_CORRUPT for a file that is not what was written, or holds what no run holds, and JOURNAL_NEWER for one of
 * a later format. `logged`: the digest that the file has to have.
 *
 * Somebody else may have written the file, and a small one can unpack to a large one. So nothing is made of its lines
 * before its digest and its limits were checked on the bytes.
 */
export function readArchive(
  key: string,
  bytes: Uint8Array,
  { logged }: { readonly logged?: string | undefined } = {},
): { readonly run: WholeRun; readonly sha256: string } {
  const { content, end } = parts(key, unpacked(key, bytes));
  const sha256 = digest(content);
  if (logged !== undefined && logged !== sha256)
    throw damaged(key, 'it is not the file that the operations log has the digest of');
  const counted = linesIn(content);
  if (typeof counted !== 'number') throw damaged(key, counted.tooMuch);
  if (end.lines !== counted || end.sha256 !== sha256) throw damaged(key, 'its digest does not match its content');
  const lines = eachLine(content);
  const record = recordOfFile(key, lines.next().value ?? '');
  const run = { record, ...contentsOf(key, lines) };
  const wrong = wrongIn(run);
  if (wrong !== undefined) throw damaged(key, wrong);
  return { run, sha256 };
}

/** All lines but the last, as bytes, and what the last one says of them. */
function parts(
  key: string,
  unpacked: Buffer,
): { readonly content: Buffer; readonly end: { readonly lines?: unknown; readonly sha256?: unknown } } {
  const at = unpacked.lastIndexOf('\n', -2) + 1;
  const last = unpacked.subarray(at);
  if (last.length > END_BYTES) throw damaged(key, 'its last line is not the end of an archive');
  const { end } = parsed(key, last.toString()) as { readonly end?: object | null };
  return { content: unpacked.subarray(0, at), end: end ?? {} };
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

function contentsOf(key: string, texts: Iterable<string>): Omit<WholeRun, 'record'> {
  const entries: StoredEntry[] = [];
  const blobs: (readonly [string, string])[] = [];
  const links: StoredLink[] = [];
  for (const text of texts) {
    const line: Line = lineIn(parsed(key, text)) ?? strange(key);
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

function unpacked(key: string, bytes: Uint8Array): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_ARCHIVE_BYTES });
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

function digest(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
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
