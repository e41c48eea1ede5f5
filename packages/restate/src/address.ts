import { ConfigError } from 'flyball';

const TEXTS = ['listen', 'address', 'name', 'ui'] as const;
const LISTS = { admin: 'admin', identity: 'identityKeys' } as const;
const LIMITS = ['tenants', 'agents'] as const;

/** What an address can say: where Restate is, and options of the dispatcher. */
export interface AddressOptions {
  readonly url: readonly string[];
  readonly token?: string;
  readonly admin?: readonly string[];
  readonly ui?: string;
  readonly listen?: string;
  readonly address?: string;
  readonly identityKeys?: readonly string[];
  readonly open?: boolean;
  readonly name?: string;
  readonly tenants?: Readonly<Record<string, number>>;
  readonly agents?: Readonly<Record<string, number>>;
}

/**
 * The options in an address such as restate://one:8080,two:8080?listen=0.0.0.0:9080&tenants=10&tenants.acme=50. A token
 * stands where a password would: restate://:token@host.
 */
export function optionsIn(address: string): AddressOptions {
  const [place = '', ...queries] = address.split('?');
  const [, tls = '', user = '', hosts = ''] = /^restate(s?):\/\/(?:(.*)@)?([^/]*)\/?$/is.exec(place) ?? [];
  if (hosts === '') throw new ConfigError('This is not an address of Restate. Write it as restate://host:8080.');
  if (user === '' && queries.join('?').includes('@'))
    throw new ConfigError(
      'The address of Restate cannot be read. Encode special characters in the token: ? is %3F, # is %23, / is %2F, @ is %40.',
    );
  const token = decoded(user.replace(/^[^:]*:?/, ''), 'The token');
  const begin = tls === '' ? 'http://' : 'https://';
  const given: Record<string, unknown> = { url: hosts.split(',').map((host) => `${begin}${host}`) };
  if (token !== '') given['token'] = token;
  for (const each of queries.join('?').split('&')) if (each !== '') read(given, each);
  return given as unknown as AddressOptions;
}

function read(given: Record<string, unknown>, each: string): void {
  const at = each.indexOf('=');
  const name = decoded(at < 0 ? each : each.slice(0, at), 'An option');
  const value = at < 0 ? '' : decoded(each.slice(at + 1), name);
  const list = LISTS[name as keyof typeof LISTS];
  const [kind = '', ...rest] = name.split('.');
  if (TEXTS.some((text) => text === name)) given[name] = value;
  else if (name === 'open') given[name] = value === 'true' ? true : value === 'false' ? false : value;
  else if (list !== undefined) given[list] = value.split(',');
  else if (LIMITS.some((limit) => limit === kind))
    given[kind] = {
      ...(given[kind] as object | undefined),
      [rest.join('.') || '*']: /^\d+$/.test(value) ? Number(value) : value,
    };
  else {
    const known = [...TEXTS, ...Object.keys(LISTS), 'open', 'tenants', 'tenants.<name>', 'agents', 'agents.<name>'];
    throw new ConfigError(`The address of Restate has no option "${name}". It can have: ${known.join(', ')}.`);
  }
}

function decoded(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ConfigError(`${what} in the address of Restate cannot be read. Write % as %25.`);
  }
}
