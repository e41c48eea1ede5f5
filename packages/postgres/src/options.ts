import { ConfigError } from 'flyball';
import type { Tls } from './driver.js';

/** Options of `postgresEngine`. */
export interface PostgresOptions {
  /** `postgres://user@host/database`. Several addresses of one cluster are tried in turn: only one that takes writes is used. */
  readonly url: string | readonly string[];
  /** The schema that holds the tables, made when missing. One database may hold several, each for itself. */
  readonly schema?: string;
  /** As the driver's `ssl`: `true`, or `{ ca, cert, key }`. Without it the address decides (`?sslmode=verify-full`). */
  readonly tls?: Tls;
  /** Connections. Writers each commit for a share of the runs; readers do everything else. */
  readonly connections?: { readonly writers?: number; readonly readers?: number };
  /** There is a replica that may take over: opening is refused unless commits wait for it. */
  readonly replicated?: boolean;
  /** The address is a pooler's that hands a connection out for one transaction, such as PgBouncer's. */
  readonly pooled?: boolean;
  /** What a commit waits for. `off`: nothing, and the last confirmed records are lost with the server. */
  readonly synchronousCommit?: 'on' | 'remote_write' | 'remote_apply' | 'off';
  /** The longest that one statement may take. */
  readonly statementMs?: number;
  /** How long a call is made again over new connections before it fails. */
  readonly patienceMs?: number;
  /** How often to look for what others posted, where nobody says so. */
  readonly pollMs?: number;
  /** Whose clock measures leases. `caller` is for tests whose time is made up: machines disagree about the time. */
  readonly leaseClock?: 'database' | 'caller';
  /** Told what somebody who operates this should know. Without it, standard error is. */
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

export function settle(given: PostgresOptions): Settings {
  const urls = typeof given.url === 'string' ? [given.url] : given.url;
  const schema = given.schema ?? 'flyball';
  if (urls.length === 0 || urls.some((url) => !/^postgres(ql)?:\/\//.test(url)))
    throw new ConfigError('The address of PostgreSQL begins with postgres://, as in postgres://user@host/database.');
  if (!/^[a-z_][a-z0-9_]{0,40}$/.test(schema))
    throw new ConfigError(
      `"${schema}" cannot be the name of a schema here. Use up to 41 lowercase letters, digits and underscores.`,
    );
  const settings: Settings = {
    urls,
    schema,
    tls: given.tls,
    writers: given.connections?.writers ?? 2,
    readers: given.connections?.readers ?? 2,
    replicated: given.replicated ?? false,
    pooled: given.pooled ?? false,
    synchronousCommit: given.synchronousCommit ?? 'on',
    statementMs: given.statementMs ?? 30_000,
    patienceMs: given.patienceMs ?? 30_000,
    pollMs: given.pollMs ?? 500,
    leaseClock: given.leaseClock ?? 'database',
    onNotice: given.onNotice ?? ((text) => process.stderr.write(`flyball: ${text}\n`)),
  };
  for (const name of ['writers', 'readers', 'statementMs', 'patienceMs', 'pollMs'] as const)
    if (!Number.isInteger(settings[name]) || settings[name] < 1)
      throw new ConfigError(`${name} must be a whole number above 0, not ${String(settings[name])}.`);
  return settings;
}
