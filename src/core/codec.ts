import { hash } from 'node:crypto';
import { FlyballError } from './errors.js';

/**
 * How values cross the journal. Code receives results after encode and decode, live too, so that a replay hands it
 * exactly what the first life saw. Long strings are stored once, by content, and referred to.
 */

/** Shorter strings cost less inline than a reference. */
const BLOB_LENGTH = 160;
// strings that begin with NUL are ours: a reference, or an escaped string that began with NUL itself
const REFERENCE = '\u0000b';
const ESCAPED = '\u0000s';
const MAX_DEPTH = 500;

export type Blobs = ReadonlyMap<string, string>;

export interface Encoded {
  readonly body: string;
  readonly blobs: readonly (readonly [hash: string, content: string])[];
}

/** Throws VALUE_NOT_SERIALISABLE, naming the place, for anything that JSON would drop or change. */
export function encode(value: unknown): Encoded {
  if (!inspect(value, '', 0)) return { body: JSON.stringify(value), blobs: [] };
  const blobs: [string, string][] = [];
  const body = JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== 'string') return part;
    if (part.length >= BLOB_LENGTH) {
      const id = contentId(part);
      blobs.push([id, part]);
      return REFERENCE + id;
    }
    return part.startsWith('\u0000') ? ESCAPED + part : part;
  });
  return { body, blobs };
}

export function decode(body: string, blobs: Blobs): unknown {
  if (!body.includes('\\u0000')) return JSON.parse(body) as unknown;
  return JSON.parse(body, (_key, part: unknown) => {
    if (typeof part !== 'string' || !part.startsWith('\u0000')) return part;
    if (part.startsWith(ESCAPED)) return part.slice(ESCAPED.length);
    const content = blobs.get(part.slice(REFERENCE.length));
    if (content === undefined) {
      throw new FlyballError('JOURNAL_CORRUPT', `The journal refers to content ${part.slice(REFERENCE.length)}, which is not stored.`);
    }
    return content;
  }) as unknown;
}

/** What code receives of a value that crossed the journal. */
export function roundTrip<T>(value: T): T {
  const { body, blobs } = encode(value);
  return (body === undefined ? undefined : decode(body, new Map(blobs))) as T;
}

/** References in an encoded body, without decoding it. */
export function referencesIn(body: string): readonly string[] {
  if (!body.includes('\\u0000b')) return [];
  return [...body.matchAll(/"\\u0000b([\w-]{22})"/g)].map((match) => match[1] ?? '');
}

/** 128 bits of SHA-256, as 22 characters. */
export function contentId(content: string): string {
  return hash('sha256', content, 'base64url').slice(0, 22);
}

/** Identity of what an effect asks: kind, name and encoded input. */
export function fingerprint(kind: string, name: string, input: unknown): string {
  return hash('sha256', `${kind}\n${name}\n${input === undefined ? '' : JSON.stringify(input)}`, 'base64url').slice(0, 16);
}

/** True when the value holds strings that need rewriting; throws for what cannot be stored. */
function inspect(value: unknown, path: string, depth: number): boolean {
  switch (typeof value) {
    case 'string':
      return value.length >= BLOB_LENGTH || value.startsWith('\u0000');
    case 'number':
      if (!Number.isFinite(value)) refuse(path, `${value} is not a finite number`);
      return false;
    case 'boolean':
    case 'undefined':
      return false;
    case 'object':
      return value === null ? false : inspectObject(value, path, depth);
    default:
      return refuse(path, `a ${typeof value} has no place in a journal`);
  }
}

function inspectObject(value: object, path: string, depth: number): boolean {
  if (depth > MAX_DEPTH) refuse(path, 'it is cyclic or nested too deeply');
  let rewrite = false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      if (value[index] === undefined) refuse(`${path}[${index}]`, 'undefined in an array would come back as null');
      if (inspect(value[index], path, depth + 1)) rewrite = true;
    }
    return rewrite;
  }
  const prototype = Object.getPrototypeOf(value) as unknown;
  if (prototype !== Object.prototype && prototype !== null) {
    refuse(path, `a ${(value.constructor as { name?: string } | undefined)?.name ?? 'class instance'} would come back as something else; convert it to plain data first`);
  }
  for (const key in value) {
    if (inspect((value as Record<string, unknown>)[key], depth < 8 ? `${path}.${key}` : path, depth + 1)) rewrite = true;
  }
  return rewrite;
}

function refuse(path: string, why: string): never {
  throw new FlyballError('VALUE_NOT_SERIALISABLE', `Cannot store the value at ${path === '' ? 'its root' : path}: ${why}.`, { detail: { path } });
}
