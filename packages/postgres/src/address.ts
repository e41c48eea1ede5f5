import { ConfigError } from 'flyball';
import { nearestNames } from 'flyball/internal';

export const COMMITS = ['on', 'remote_write', 'remote_apply', 'off'] as const;

/** What an address can say: where the servers are, and some of the options of the engine. */
export interface AddressOptions {
  readonly url: readonly string[];
  readonly schema?: string;
  readonly replicated?: boolean;
  readonly pooled?: boolean;
  readonly synchronousCommit?: (typeof COMMITS)[number];
  readonly connections?: { readonly writers?: number; readonly readers?: number };
  readonly statementMs?: number;
  readonly patienceMs?: number;
}

type Read = (text: string, name: string) => Omit<AddressOptions, 'url'>;

const yes = (text: string, name: string): boolean => {
  if (text === 'true' || text === 'false') return text === 'true';
  throw wrong(name, 'true or false');
};

const whole = (text: string, name: string): number => {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw wrong(name, 'a whole number above 0');
};

/** Options that an address can set behind its question mark. */
const OURS: Readonly<Record<string, Read>> = {
  schema: (schema) => ({ schema }),
  replicated: (text, name) => ({ replicated: yes(text, name) }),
  pooled: (text, name) => ({ pooled: yes(text, name) }),
  writers: (text, name) => ({ connections: { writers: whole(text, name) } }),
  readers: (text, name) => ({ connections: { readers: whole(text, name) } }),
  statement_timeout: (text, name) => ({ statementMs: whole(text, name) }),
  patience_ms: (text, name) => ({ patienceMs: whole(text, name) }),
  synchronous_commit: (text, name) => {
    const synchronousCommit = COMMITS.find((each) => each === text);
    if (synchronousCommit === undefined) throw wrong(name, `one of ${COMMITS.join(', ')}`);
    return { synchronousCommit };
  },
};

/** Parameters that addresses of PostgreSQL have anyway. The driver reads those that it knows. */
const THEIRS = [
  ...['host', 'hostaddr', 'port', 'dbname', 'user', 'password', 'passfile', 'require_auth', 'channel_binding'],
  ...['ssl', 'sslmode', 'sslcert', 'sslkey', 'sslpassword', 'sslrootcert', 'sslcrl', 'sslsni', 'sslnegotiation'],
  ...['ssl_min_protocol_version', 'ssl_max_protocol_version', 'uselibpqcompat', 'gssencmode', 'krbsrvname'],
  ...['application_name', 'fallback_application_name', 'client_encoding', 'encoding', 'options', 'connect_timeout'],
  ...['keepalives', 'keepalives_idle', 'keepalives_interval', 'keepalives_count', 'tcp_user_timeout'],
  ...['target_session_attrs', 'load_balance_hosts', 'lock_timeout', 'idle_in_transaction_session_timeout'],
];

/**
 * The options in an address such as postgres://user@one,two/name?schema=agents&replicated=true. Several hosts are tried in
 * turn, as other programs of PostgreSQL do. An unknown parameter is refused: `replicted=true` must not go unnoticed.
 */
export function optionsIn(address: string): AddressOptions {
  const [place = '', ...queries] = address.split('?');
  let found: Omit<AddressOptions, 'url'> = {};
  const left: string[] = [];
  for (const each of queries.join('?').split('&')) {
    const [name = '', value = ''] = each.split('=');
    const read = Object.hasOwn(OURS, name) ? OURS[name] : undefined;
    if (read !== undefined) found = merged(found, read(decoded(value, name), name));
    else if (each === '' || THEIRS.includes(name)) left.push(each);
    else throw /@/.test(queries.join('?')) || !/^[\w.-]+$/.test(name) ? unreadable() : unknown(name);
  }
  const query = left.filter((each) => each !== '').join('&');
  const url = hostsIn(place).map((one) => (query === '' ? one : `${one}?${query}`));
  return { url, ...found };
}

function merged(some: Omit<AddressOptions, 'url'>, more: Omit<AddressOptions, 'url'>): Omit<AddressOptions, 'url'> {
  const connections = { ...some.connections, ...more.connections };
  return { ...some, ...more, ...(Object.keys(connections).length === 0 ? {} : { connections }) };
}

function hostsIn(place: string): readonly string[] {
  const [, begin = '', hosts = '', rest = ''] = /^(\w+:\/\/(?:.*@)?)([^/]*)(.*)$/s.exec(place) ?? [];
  return begin === '' ? [place] : hosts.split(',').map((host) => `${begin}${host}${rest}`);
}

function decoded(value: string, name: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw wrong(name, 'readable: write % as %25');
  }
}

function wrong(name: string, expected: string): ConfigError {
  return new ConfigError(`${name} in the address of PostgreSQL must be ${expected}.`);
}

/** What stands there may be the end of a password that has a question mark. */
function unreadable(): ConfigError {
  return new ConfigError(
    'The address of PostgreSQL cannot be read. Encode special characters in the user and the password: ? is %3F, # is %23, / is %2F, @ is %40.',
  );
}

function unknown(name: string): ConfigError {
  const [near] = nearestNames(name, [...Object.keys(OURS), ...THEIRS]);
  const hint =
    name === 'pgbouncer' || near === undefined
      ? `It can have ${Object.keys(OURS).join(', ')}, and the parameters of PostgreSQL.`
      : `Did you mean ${near}?`;
  const pooler = name === 'pgbouncer' ? ' For PgBouncer, write pooled=true.' : '';
  return new ConfigError(`The address of PostgreSQL has an unknown parameter: ${name}.${pooler} ${hint}`);
}
