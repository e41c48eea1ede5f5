import { hash } from 'node:crypto';
import { canonicalJson } from './canonical.js';
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

/** Throws VALUE_NOT_SERIALIZABLE, naming the place, for anything that JSON would drop or change. */
export function encode(value: unknown): Encoded {
  if (!needsRewriting(value)) return { body: JSON.stringify(value), blobs: [] };
  const blobs: [string, string][] = [];
  const body = JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== 'string') return part;
    if (isStoredApart(part)) {
      const id = contentId(part);
      blobs.push([id, part]);
      return REFERENCE + id;
    }
    return part.startsWith('\u0000') ? ESCAPED + part : part;
  });
  return { body, blobs };
}

/** True when a text is stored by content and referred to: the one rule for values and prompts, so that both share it. */
export function isStoredApart(text: string): boolean {
  return text.length >= BLOB_LENGTH;
}

function needsRewriting(value: unknown): boolean {
  try {
    return inspect(value, 0);
  } catch (error) {
    if (error instanceof NotStorable) throw notStorable(value, error.message);
    throw error;
  }
}

export function decode(body: string, blobs: Blobs): unknown {
  if (!body.includes('\\u0000')) return JSON.parse(body) as unknown;
  return JSON.parse(body, (_key, part: unknown) => {
    if (typeof part !== 'string' || !part.startsWith('\u0000')) return part;
    if (part.startsWith(ESCAPED)) return part.slice(ESCAPED.length);
    const content = blobs.get(part.slice(REFERENCE.length));
    if (content === undefined) {
      throw new FlyballError(
        'JOURNAL_CORRUPT',
        `The journal refers to content ${part.slice(REFERENCE.length)}, which is not stored.`,
      );
    }
    return content;
  }) as unknown;
}

/** What code receives of a value that crossed the journal. Throws VALUE_NOT_SERIALIZABLE like `encode`. */
export function roundTrip<T>(value: T): T {
  needsRewriting(value);
  return crossed(value);
}

/**
 * A storable value as `decode(encode(value))` gives it back, without the text in between: members that are undefined
 * are gone, -0 is 0, every object is new. A property test holds the two together.
 */
export function crossed<T>(value: T): T {
  return copy(value) as T;
}

function copy(value: unknown): unknown {
  if (typeof value === 'number') return value === 0 ? 0 : value; // JSON knows no -0
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  const made: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const part = (value as Record<string, unknown>)[key];
    if (part === undefined) continue;
    // assigned, it would become the prototype and not a member
    if (key === '__proto__')
      Object.defineProperty(made, key, { value: copy(part), enumerable: true, writable: true, configurable: true });
    else made[key] = copy(part);
  }
  return made;
}

/** References in an encoded body, without decoding it. */
export function referencesIn(body: string): readonly string[] {
  if (!body.includes('\\u0000b')) return [];
  return [...body.matchAll(/"\\u0000b([\w-]{22})"/g)].map((match) => match[1] ?? '');
}

/** The first 22 characters of SHA-256 in base64url: 132 bits. */
export function contentId(content: string): string {
  return hash('sha256', content, 'base64url').slice(0, 22);
}

export function canBeStored(value: unknown): boolean {
  try {
    needsRewriting(value);
    return true;
  } catch {
    return false; // it is asked only whether, not why
  }
}

/** JSON text of a value, refusing what JSON would drop or change. */
export function strictJson(value: unknown): string {
  needsRewriting(value);
  return value === undefined ? '' : JSON.stringify(value);
}

/** Identity of what an effect asks: kind, name and input. */
export function fingerprint(kind: string, name: string, input: unknown): string {
  return hash('sha256', `${kind}\n${name}\n${strictJson(input)}`, 'base64url').slice(0, 16);
}

/** The same for the same act, whatever order the members of its input were written in: what a person's no is kept under. */
export function actIdentity(kind: 'call' | 'step', name: string, input: unknown): string {
  return fingerprint(kind, name, input === undefined ? '' : canonicalJson(input));
}

/** Why a value cannot be stored. Its place is only looked for when it is needed: finding it costs more than checking. */
class NotStorable extends Error {}

/** True when the value holds strings that need rewriting; throws NotStorable. */
function inspect(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
      return isStoredApart(value) || value.startsWith('\u0000');
    case 'number':
      if (!Number.isFinite(value)) throw new NotStorable(`${value} is not a finite number`);
      return false;
    case 'boolean':
    case 'undefined':
      return false;
    case 'object':
      return value === null ? false : inspectObject(value, depth);
    default:
      throw new NotStorable(`a ${typeof value} cannot be stored in a journal`);
  }
}

function inspectObject(value: object, depth: number): boolean {
  if (depth > MAX_DEPTH) throw new NotStorable('it is cyclic or nested too deeply');
  let rewrite = false;
  if (Array.isArray(value)) {
    for (const part of value as unknown[]) {
      if (part === undefined) throw new NotStorable('undefined in an array would be read back as null');
      if (inspect(part, depth + 1)) rewrite = true;
    }
    return rewrite;
  }
  const prototype = Object.getPrototypeOf(value) as unknown;
  if (prototype !== Object.prototype && prototype !== null) {
    const name = (value.constructor as { readonly name?: string } | undefined)?.name ?? 'class instance';
    throw new NotStorable(`a ${name} would be read back as something else; convert it to plain data first`);
  }
  for (const key in value) if (inspect((value as Record<string, unknown>)[key], depth + 1)) rewrite = true;
  return rewrite;
}

/** Follows the first part that cannot be stored down to where nothing below it is at fault. */
function placeOf(value: unknown, path: string, depth: number): string {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return path;
  const parts: [string, unknown][] = Array.isArray(value)
    ? Array.from(value as unknown[], (part, index) => [`${path}[${index}]`, part])
    : Object.entries(value).map(([key, part]) => [`${path}.${key}`, part]);
  const prototype = Object.getPrototypeOf(value) as unknown;
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return path;
  const bad = parts.find(([, part]) => (part === undefined ? Array.isArray(value) : !isStorable(part, depth + 1)));
  return bad === undefined ? path : placeOf(bad[1], bad[0], depth + 1);
}

function isStorable(value: unknown, depth: number): boolean {
  try {
    inspect(value, depth);
    return true;
  } catch {
    return false;
  }
}

function notStorable(value: unknown, why: string): FlyballError {
  const path = placeOf(value, '', 0).slice(0, 200);
  const message = `Cannot store the value at ${path === '' ? 'its root' : path}: ${why}.`;
  return new FlyballError('VALUE_NOT_SERIALIZABLE', message, { detail: { path } });
}
