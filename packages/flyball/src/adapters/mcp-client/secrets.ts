import type { McpServerSpec, McpTransport } from './server-spec.js';

/** Takes secrets out of everything that leaves the adapter. */
export interface Blanking {
  text(text: string): string;
  /** The same for every text in a JSON value, member names included. */
  value<V>(value: V): V;
}

export type Env = Readonly<Record<string, string | undefined>>;

/** Shorter values cannot be told from ordinary words, and blanking them would spoil every result. */
const SHORTEST = 6;
const BLANK = '[secret]';
/** Variables that say where things are and how they are written. */
const PLAIN = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'NODE_ENV'];

/** Everything in a specification that nobody else may read. */
export function secretsOf(spec: McpServerSpec, env: Env): readonly string[] {
  const plain = new Set([...PLAIN, ...(spec.plain ?? [])].map((name) => name.toLowerCase()));
  const kept = (values: Readonly<Record<string, string>> = {}): readonly string[] =>
    Object.entries(values).flatMap(([name, value]) => (plain.has(name.toLowerCase()) ? [] : [value]));
  const given = [...(spec.secrets ?? []), ...ofTransport(spec.transport, kept, env)];
  return [...new Set(given.flatMap(partsOf))];
}

function ofTransport(
  transport: McpTransport,
  kept: (values?: Readonly<Record<string, string>>) => readonly string[],
  env: Env,
): readonly string[] {
  if (transport.kind === 'stdio') return kept(transport.env);
  const { username, password, searchParams } = new URL(transport.url);
  const token = transport.tokenFrom === undefined ? undefined : env[transport.tokenFrom];
  const address = [username, password].map(decodeURIComponent);
  return [...kept(transport.headers), ...(token === undefined ? [] : [token]), ...address, ...searchParams.values()];
}

/** `Bearer abc` is as secret as `abc`, and `Basic …` holds a password. */
function partsOf(value: string): readonly string[] {
  const [scheme = '', rest] = value.split(/\s+(.*)/s);
  if (rest === undefined || rest === '') return [value];
  if (scheme.toLowerCase() !== 'basic') return [value, rest];
  const password = Buffer.from(rest, 'base64').toString('utf8').split(/:(.*)/s)[1];
  return [value, rest, ...(password === undefined ? [] : [password])];
}

export function blanking(secrets: readonly string[]): Blanking {
  // the longest first, so that no tail of one stays behind where another is its beginning
  const forms = [...new Set(secrets.filter((secret) => secret.length >= SHORTEST).flatMap(formsOf))].sort(
    (a, b) => b.length - a.length,
  );
  const text = (given: string): string => forms.reduce((left, form) => left.replaceAll(form, BLANK), given);
  const value = (given: unknown): unknown => {
    if (typeof given === 'string') return text(given);
    if (typeof given !== 'object' || given === null) return given;
    if (Array.isArray(given)) return given.map(value);
    return Object.fromEntries(Object.entries(given).map(([name, part]) => [text(name), value(part)]));
  };
  return { text, value: value as Blanking['value'] };
}

/** As it stands, in an address, inside JSON, in base64 and in hexadecimal. */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const base64 = bytes.toString('base64');
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    base64,
    base64.replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
}
