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
  return write(value, [], 0);
}

/** Hex digest of the UTF-8 bytes. */
export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

/** Where in the value the writer is: a member or an element for each level. */
type Path = (string | number)[];

function write(value: unknown, path: Path, depth: number): string {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value);
    case 'number':
      return Number.isFinite(value) ? JSON.stringify(value) : refuse(path, depth, `${value} is not a finite number`);
    case 'object':
      if (value === null) return 'null';
      if (depth > MAX_DEPTH) return refuse(path, depth, 'it is cyclic or nested too deeply');
      return Array.isArray(value) ? writeArray(value, path, depth) : writeObject(value, path, depth);
    default:
      return refuse(path, depth, `${typeof value} is not a JSON value`);
  }
}

function writeArray(values: readonly unknown[], path: Path, depth: number): string {
  let written = '[';
  // by index, which visits holes too
  for (let index = 0; index < values.length; index++) {
    path[depth] = index;
    written += `${index === 0 ? '' : ','}${write(values[index], path, depth + 1)}`;
  }
  return `${written}]`;
}

function writeObject(value: object, path: Path, depth: number): string {
  const prototype = Object.getPrototypeOf(value) as unknown;
  if (prototype !== Object.prototype && prototype !== null) refuse(path, depth, 'a class instance is not plain data');
  const members = value as Readonly<Record<string, unknown>>;
  let written = '{';
  // the default sort compares UTF-16 code units, which is what RFC 8785 asks for
  for (const key of Object.keys(members).sort()) {
    const member = members[key];
    if (member === undefined) continue;
    path[depth] = key;
    written += `${written.length === 1 ? '' : ','}${JSON.stringify(key)}:${write(member, path, depth + 1)}`;
  }
  return `${written}}`;
}

/** So much of a path is enough to find a place by. */
const SHOWN = 8;

function refuse(path: Path, depth: number, why: string): never {
  const shown = path.slice(0, Math.min(depth, SHOWN));
  const place = shown.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  throw new FlyballError(
    'VALUE_NOT_SERIALIZABLE',
    `Cannot write the value at ${place === '' ? 'its root' : place}: ${why}. Convert it first.`,
    { detail: { path: place } },
  );
}
