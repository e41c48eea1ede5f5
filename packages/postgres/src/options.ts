import { ConfigError } from 'flyball';
import { parsedUrl, refuseUnknownOptions } from 'flyball/internal';
import { COMMITS, optionsIn } from './address.js';
import type { Tls } from './driver.js';

/** Options of `postgresEngine`. */
export interface PostgresOptions {
  /**
   * `postgres://user@host/database`. Several addresses of one cluster are tried in turn: only one that takes writes is used.
   * An address can set options too (`?schema=agents&replicated=true`); those given here take precedence.
   */
  readonly url: string | readonly string[];
  /** The schema for the tables, created if it is missing. A database can have several, independent of each other. */
  readonly schema?: string;
  /** As the driver's `ssl`: `true`, or `{ ca, cert, key }`. Without it the address decides (`?sslmode=verify-full`). */
  readonly tls?: Tls;
  /** Connections. Writers each commit for a share of the runs; readers do everything else. */
  readonly connections?: { readonly writers?: number; readonly readers?: number };
  /** Set this if a replica may take over. The engine then opens only if commits wait for it. */
  readonly replicated?: boolean;
  /** Set this if the address belongs to a pooler in transaction or session mode, such as PgBouncer. */
  readonly pooled?: boolean;
  /** What a commit waits for. With `off`, a crash of the server loses the last confirmed records. */
  readonly synchronousCommit?: 'on' | 'remote_write' | 'remote_apply' | 'off';
  /** The longest that one statement may take. */
  readonly statementMs?: number;
  /** How long a call is retried over new connections before it fails. */
  readonly patienceMs?: number;
  /** How often to poll for messages when notifications are not available. */
  readonly pollMs?: number;
  /** Whose clock measures leases. `caller` is for tests whose time is made up: machines disagree about the time. */
  readonly leaseClock?: 'database' | 'caller';
  /** Receives warnings for the operator. Without it, they are written to standard error. */
  readonly onNotice?: (text: string) => void;
}

export interface Settings {
  readonly urls: readonly string[];
  readonly schema: string;
  readonly tls: Tls | undefined;
  readonly writers: number;
  readonly readers: number;
  readonly replicated: boolean;
  readonly pooled: boolean;
  readonly synchronousCommit: NonNullable<PostgresOptions['synchronousCommit']>;
  readonly statementMs: number;
  readonly patienceMs: number;
  readonly pollMs: number;
  readonly leaseClock: 'database' | 'caller';
  readonly onNotice: (text: string) => void;
}

/** Whether it says where the server is: before the path, or as a parameter. The driver would look on this machine. */
function hasHost(url: string): boolean {
  const [, host = ''] = /^\w+:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(url) ?? [];
  return host.replace(/:\d*$/, '') !== '' || /[?&]host=[^&]/.test(url);
}

/** What is behind the last colon before the path, unless that may be the end of a password that was not encoded. */
function hasWrongPort(url: string): boolean {
  const [, port] =
    /^\w+:\/\/(?:[^/?#@]*@)?(?:\[[^\]]*\]|[^/?#@:]*):([^/?#@:]+)(?:\/[^@#]*)?(?:\?.*)?$/s.exec(url) ?? [];
  return port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) <= 65_535);
}

function inAll(
  addresses: readonly Pick<PostgresOptions, 'connections'>[],
  { connections }: PostgresOptions,
  kind: 'writers' | 'readers',
): number {
  return connections?.[kind] ?? addresses.find((one) => one.connections?.[kind])?.connections?.[kind] ?? 2;
}

const NAMES: readonly (keyof PostgresOptions)[] = [
  'url',
  'schema',
  'tls',
  'connections',
  'replicated',
  'pooled',
  'synchronousCommit',
  'statementMs',
  'patienceMs',
  'pollMs',
  'leaseClock',
  'onNotice',
];

/** A day: timers of Node and settings of PostgreSQL both end at about 24 of them. */
const MOST_MS = 86_400_000;

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whoever writes JavaScript is told as well. What commits wait for hangs on these: nothing is guessed. */
function refuseMistakes(stated: PostgresOptions): void {
  refuseUnknownOptions('postgresEngine', stated, NAMES);
  const { url, schema, tls, connections, replicated, pooled, synchronousCommit, leaseClock, onNotice } = stated;
  const addresses: readonly unknown[] = Array.isArray(url) ? url : [url];
  if (addresses.some((one) => typeof one !== 'string'))
    throw new ConfigError('postgresEngine needs a url, as in { url: "postgres://user@host/database" }.');
  if (schema !== undefined && typeof schema !== 'string')
    throw new ConfigError(`schema must be a name in quotes, not ${JSON.stringify(schema)}.`);
  if (tls !== undefined && typeof tls !== 'boolean' && !isPlainObject(tls))
    throw new ConfigError(
      `tls must be true, false or an object such as { ca }, not ${JSON.stringify(tls)}. To choose a mode, add ?sslmode=verify-full to the address.`,
    );
  if (connections !== undefined) refuseUnknownOptions('connections', connections, ['writers', 'readers']);
  for (const [name, value] of Object.entries({ replicated, pooled }))
    if (value !== undefined && typeof value !== 'boolean')
      throw new ConfigError(`${name} must be true or false, not ${JSON.stringify(value)}.`);
  if (synchronousCommit !== undefined && !COMMITS.includes(synchronousCommit))
    throw new ConfigError(
      `synchronousCommit must be one of ${COMMITS.join(', ')}, not ${JSON.stringify(synchronousCommit)}: with anything else, confirmed writes could be lost.`,
    );
  if (leaseClock !== undefined && leaseClock !== 'database' && leaseClock !== 'caller')
    throw new ConfigError(`leaseClock must be database or caller, not ${JSON.stringify(leaseClock)}.`);
  if (onNotice !== undefined && typeof onNotice !== 'function')
    throw new ConfigError('onNotice must be a function that receives a text.');
}

function refuseAddresses(urls: readonly string[]): void {
  if (urls.length === 0 || urls.some((url) => !/^postgres(ql)?:\/\//.test(url)))
    throw new ConfigError('The address of PostgreSQL begins with postgres://, as in postgres://user@host/database.');
  if (urls.some((url) => !hasHost(url)))
    throw new ConfigError(
      'The address of PostgreSQL has no host. Write postgres://user@host/database, or postgres:///database?host=/var/run/postgresql for a socket.',
    );
  if (urls.some(hasWrongPort))
    throw new ConfigError('The port in the address of PostgreSQL must be a number from 1 to 65535.');
  if (urls.some((url) => parsedUrl(url.replace('@/', '@host/')) === undefined))
    throw new ConfigError(
      'The address of PostgreSQL cannot be read. Encode special characters in the user and the password: # is %23, / is %2F, @ is %40.',
    );
}

function refuseSchema(schema: string): void {
  if (!/^(?!pg_)[a-z_][a-z0-9_]{0,40}$/.test(schema))
    throw new ConfigError(
      `"${schema}" cannot be the name of a schema here. Use up to 41 lowercase letters, digits and underscores, and do not begin with pg_.`,
    );
}

export function settle(stated: PostgresOptions): Settings {
  refuseMistakes(stated);
  const addresses = (typeof stated.url === 'string' ? [stated.url] : stated.url).map(optionsIn);
  const urls = addresses.flatMap(({ url }) => url);
  const given: PostgresOptions = Object.assign({}, ...addresses, stated);
  const schema = given.schema ?? 'flyball';
  refuseAddresses(urls);
  refuseSchema(schema);
  const settings: Settings = {
    urls,
    schema,
    tls: given.tls,
    writers: inAll(addresses, stated, 'writers'),
    readers: inAll(addresses, stated, 'readers'),
    replicated: given.replicated ?? false,
    pooled: given.pooled ?? false,
    synchronousCommit: given.synchronousCommit ?? 'on',
    statementMs: given.statementMs ?? 30_000,
    patienceMs: given.patienceMs ?? 30_000,
    pollMs: given.pollMs ?? 500,
    leaseClock: given.leaseClock ?? 'database',
    onNotice: given.onNotice ?? ((text) => process.stderr.write(`flyball: ${text}\n`)),
  };
  for (const name of ['writers', 'readers', 'statementMs', 'patienceMs', 'pollMs'] as const) {
    if (!Number.isInteger(settings[name]) || settings[name] < 1)
      throw new ConfigError(`${name} must be a whole number above 0, not ${String(settings[name])}.`);
    if (name.endsWith('Ms') && settings[name] > MOST_MS)
      throw new ConfigError(`${name} can be ${MOST_MS} (a day) at most, not ${String(settings[name])}.`);
  }
  return settings;
}
