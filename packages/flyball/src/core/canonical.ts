import { hash } from 'node:crypto';
import { FlyballError } from './errors.js';

/** Deeper than anything the journal stores; a cycle is found here instead of overflowing the stack. */
const MAX_DEPTH = 600;

/**
 * One text for each JSON value, whatever order its members were written in: what hashes are taken over.
 * RFC 8785 in its rules (members sorted by UTF-16 code units, numbers and strings as ECMAScript writes them), with one
 * addition: a member that is undefined is left out, as it is when it crosses the journal. What JSON cannot say throws.
 */
export function canonicalJson(value: unknown): string {
  return write(value, '', 0);
}

/** Hex digest of the UTF-8 bytes. */
export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

function write(value: unknown, path: string, depth: number): string {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value);
    case 'number':
      return Number.isFinite(value) ? JSON.stringify(value) : refuse(path, `${value} is not a finite number`);
    case 'object':
      if (value === null) return 'null';
      if (depth > MAX_DEPTH) return refuse(path, 'it is cyclic or nested too deeply');
      return Array.isArray(value) ? writeArray(value, path, depth) : writeObject(value, path, depth);
    default:
      return refuse(path, `${typeof value} is not a JSON value`);
  }
}

function writeArray(values: readonly unknown[], path: string, depth: number): string {
  // Array.from visits holes too, which map would skip
  return `[${Array.from(values, (value, index) => write(value, `${path}[${index}]`, depth + 1)).join(',')}]`;
}

function writeObject(value: object, path: string, depth: number): string {
  const prototype = Object.getPrototypeOf(value) as unknown;
  if (prototype !== Object.prototype && prototype !== null) refuse(path, 'a class instance is not plain data');
  const members = value as Readonly<Record<string, unknown>>;
  const written: string[] = [];
  // the default sort compares UTF-16 code units, which is what RFC 8785 asks for
  for (const key of Object.keys(members).sort()) {
    const member = members[key];
    if (member === undefined) continue;
    written.push(`${JSON.stringify(key)}:${write(member, depth < 8 ? `${path}.${key}` : path, depth + 1)}`);
  }
  return `{${written.join(',')}}`;
}

function refuse(path: string, why: string): never {
  const place = path === '' ? 'its root' : path;
  throw new FlyballError('VALUE_NOT_SERIALISABLE', `Cannot write the value at ${place}: ${why}. Convert it first.`, {
    detail: { path },
  });
}
