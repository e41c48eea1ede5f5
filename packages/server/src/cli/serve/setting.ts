import { readFileSync, type Stats, statSync } from 'node:fs';
import { ConfigError } from 'flyball';
import { parsedUrl } from 'flyball/internal';
import { isNetwork } from '../../access/client-address.js';
import { isTenant } from '../../access/names.js';

/** One thing that a server can be told, in the same words on the command line, in a variable and in a file. */
export interface Setting {
  /** In a file; the variable is made of it. */
  readonly name: string;
  /** As commander takes it: `--port <number>`. Absent where a value does not fit on a command line. */
  readonly flag?: string;
  readonly kind: Kind;
  readonly about: string;
  /** In the unit of the setting, for the documentation. */
  readonly fallback?: string;
  /** Read from the command line with the flag given once for each value. */
  readonly isList?: boolean;
}

export type Kind =
  | 'text'
  | 'host'
  | 'origin'
  | 'network'
  | 'folder'
  /** One that is there. */
  | 'file'
  /** An address of keys, or a file with them. */
  | 'keys'
  | 'whole'
  | 'port'
  | 'amount'
  | 'seconds'
  /** Seconds, and not none: of a wait that would be over before it began. */
  | 'wait'
  | 'yes'
  | 'tenants'
  | readonly string[];

/** `FLYBALL_MAX_STREAMS` for `maxStreams`. */
export function variableOf({ name }: Pick<Setting, 'name'>): string {
  return `FLYBALL_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** The name under which commander hands the flag over. */
export function optionOf({ flag = '' }: Pick<Setting, 'flag'>): string {
  const long = /--(?:no-)?([a-z-]+)/.exec(flag)?.[1] ?? '';
  return long.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** A value as the server takes it. Throws a ConfigError that names where it stands. */
export function readSetting(setting: Setting, given: unknown, where: string): unknown {
  if (setting.isList === true) {
    const list = typeof given === 'string' ? given.split(',').map((each) => each.trim()) : given;
    if (!Array.isArray(list)) throw wrong(where, 'it is a list');
    return list.filter((each) => each !== '').map((each) => readOne(setting.kind, each, where));
  }
  return readOne(setting.kind, given, where);
}

function readOne(kind: Kind, given: unknown, where: string): unknown {
  if (typeof kind === 'object') {
    if (typeof given === 'string' && kind.includes(given)) return given;
    throw wrong(where, `it must be one of ${kind.join(', ')}`);
  }
  return READERS[kind](given, where);
}

type Reader = (given: unknown, where: string) => unknown;

const READERS: Readonly<Record<Extract<Kind, string>, Reader>> = {
  text: (given, where) => {
    if (typeof given === 'string' && given !== '') return given;
    throw wrong(where, 'it is a text');
  },
  host: (given, where) => address('host', given, where),
  origin: (given, where) => address('origin', given, where),
  network: (given, where) => address('network', given, where),
  folder: (given, where) => address('folder', given, where),
  file: (given, where) => fileIn('file', given, where),
  keys: (given, where) => fileIn('keys', given, where),
  whole: (given, where) => number(given, where, { whole: true, from: 1, to: 1e9 }),
  port: (given, where) => number(given, where, { whole: true, from: 0, to: 65_535 }),
  amount: (given, where) => number(given, where, { whole: false, from: 1e-6, to: 1e9 }),
  seconds: (given, where) => Math.round(number(given, where, { whole: false, from: 0, to: 1e8 }) * 1000),
  wait: (given, where) => Math.round(number(given, where, { whole: false, from: 0.1, to: 1e8 }) * 1000),
  yes: (given, where) => yes(given, where),
  tenants: (given, where) => tenants(typeof given === 'string' ? parsed(given, where) : given, where),
};

const ADDRESSES = {
  host: [
    isHost,
    'it must be a host name without scheme, path or spaces, such as agents.example.com or agents.example.com:8443',
  ],
  origin: [isOrigin, 'it must be an origin with a scheme and nothing after the host, such as https://app.example.com'],
  network: [isNetwork, 'it must be an address or a network, such as 10.0.0.7, 10.0.0.0/8 or fd00::/8'],
  folder: [isFolder, 'it names a file, but a folder is required'],
} as const;

function address(kind: keyof typeof ADDRESSES, given: unknown, where: string): string {
  const [fits, what] = ADDRESSES[kind];
  if (typeof given === 'string' && given !== '' && fits(given)) return given;
  throw wrong(where, typeof given === 'string' && given !== '' ? what : 'it is a text');
}

/** Looked for at the start: what reads it later knows nothing of the setting that named it. */
function fileIn(kind: 'file' | 'keys', given: unknown, where: string): string {
  if (typeof given !== 'string' || given === '') throw wrong(where, 'it is a text');
  if (kind === 'keys' && /^https?:\/\//.test(given)) return given;
  const found = statOf(given);
  if (found === undefined) throw wrong(where, `there is no file ${given}, or it is not readable`);
  if (found.isDirectory()) throw wrong(where, `${given} is a folder, but a file is required`);
  return given;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function isHost(text: string): boolean {
  return /^(?:\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)(?::\d{1,5})?$/i.test(text);
}

function isOrigin(text: string): boolean {
  const url = parsedUrl(text);
  return url !== undefined && /^https?:$/.test(url.protocol) && /^https?:\/\/[^/?#@\s]+\/?$/i.test(text);
}

/** A folder that is not there yet may come. */
function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() !== false;
}

interface Range {
  readonly whole: boolean;
  readonly from: number;
  readonly to: number;
}

function number(given: unknown, where: string, { whole, from, to }: Range): number {
  const value = typeof given === 'string' && /^\d{1,9}(?:\.\d{1,6})?$/.test(given) ? Number(given) : given;
  const fits = typeof value === 'number' && value >= from && value <= to && (!whole || Number.isInteger(value));
  if (fits) return value;
  const least = from < 1e-3 && from > 0 ? `above 0, up to ${to}` : `from ${from} to ${to}`;
  throw wrong(where, `it must be a ${whole ? 'whole ' : ''}number ${least}`);
}

function yes(given: unknown, where: string): boolean {
  if (typeof given === 'boolean') return given;
  if (given === 'true' || given === '1') return true;
  if (given === 'false' || given === '0') return false;
  throw wrong(where, 'it must be true or false');
}

const LIMITS = { requestsPerMinute: 'whole', costUsdPerDay: 'amount' } as const;

function tenants(given: unknown, where: string): unknown {
  const each = entriesOf(given, where).map(([tenant, limits]) => {
    if (!isTenant(tenant))
      throw wrong(where, `"${tenant}" is not a valid tenant name; use lowercase letters, digits, ".", "_" and "-"`);
    const read = entriesOf(limits, `${where}, ${tenant}`).map(([name, value]) => {
      const kind = Object.hasOwn(LIMITS, name) ? LIMITS[name as keyof typeof LIMITS] : undefined;
      if (kind === undefined)
        throw wrong(`${where}, ${tenant}`, `${name} is not one of ${Object.keys(LIMITS).join(', ')}`);
      return [name, readOne(kind, value, `${where}, ${tenant}, ${name}`)];
    });
    return [tenant, Object.fromEntries(read)];
  });
  return Object.fromEntries(each);
}

function entriesOf(given: unknown, where: string): readonly (readonly [string, unknown])[] {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return Object.entries(given);
  throw wrong(where, 'it must be a mapping, such as { acme: { requestsPerMinute: 60 } }');
}

function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw wrong(where, 'it must be JSON');
  }
}

export function wrong(where: string, what: string): ConfigError {
  return new ConfigError(`${where} is not valid: ${what}.`);
}

/** A secret from a file, as containers hand them over: `FLYBALL_X_FILE` beside `FLYBALL_X`. */
export function secretFrom(env: Readonly<Record<string, string | undefined>>, name: string): string {
  const value = env[name] ?? '';
  const file = env[`${name}_FILE`] ?? '';
  if (value !== '' && file !== '') throw new ConfigError(`${name} and ${name}_FILE are both set. Keep one of them.`);
  if (file === '') return value;
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch {
    throw new ConfigError(`${name}_FILE names ${file}, which cannot be read.`);
  }
}
