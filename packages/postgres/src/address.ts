import { ConfigError } from 'flyball';
import type { PostgresOptions } from './options.js';

type Read = (text: string, name: string) => Partial<PostgresOptions>;

const yes = (text: string, name: string): boolean => {
  if (text === 'true' || text === 'false') return text === 'true';
  throw wrong(name, 'true or false');
};
const COMMITS = ['on', 'remote_write', 'remote_apply', 'off'] as const;

/** Options that an address can set behind its question mark. The driver reads the others. */
const OURS: Readonly<Record<string, Read>> = {
  schema: (schema) => ({ schema }),
  replicated: (text, name) => ({ replicated: yes(text, name) }),
  pooled: (text, name) => ({ pooled: yes(text, name) }),
  synchronous_commit: (text, name) => {
    const synchronousCommit = COMMITS.find((each) => each === text);
    if (synchronousCommit === undefined) throw wrong(name, COMMITS.join(', '));
    return { synchronousCommit };
  },
};

/**
 * The options in an address such as postgres://user@one,two/name?schema=agents&replicated=true. Several hosts are tried in
 * turn, as other programs of PostgreSQL do.
 */
export function optionsIn(address: string): PostgresOptions {
  const [place = '', ...queries] = address.split('?');
  const options: PostgresOptions[] = [];
  const left: string[] = [];
  for (const each of queries.join('?').split('&')) {
    const [name = '', value = ''] = each.split('=');
    const read = Object.hasOwn(OURS, name) ? OURS[name] : undefined;
    if (read === undefined) left.push(each);
    else options.push(read(decodeURIComponent(value), name) as PostgresOptions);
  }
  const query = left.filter((each) => each !== '').join('&');
  const url = hostsIn(place).map((one) => (query === '' ? one : `${one}?${query}`));
  return Object.assign({ url }, ...options) as PostgresOptions;
}

function hostsIn(place: string): readonly string[] {
  const [, begin = '', hosts = '', rest = ''] = /^(\w+:\/\/(?:.*@)?)([^/]*)(.*)$/s.exec(place) ?? [];
  return hosts.split(',').map((host) => `${begin}${host}${rest}`);
}

function wrong(name: string, expected: string): ConfigError {
  return new ConfigError(`${name} in the address of PostgreSQL must be ${expected}.`);
}
