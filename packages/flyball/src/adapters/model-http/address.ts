import { ConfigError } from '../../core/errors.js';
import { parsedUrl } from '../../core/parsed-url.js';

/** Where a provider is, and how a caller proves who it is. */
export interface Address {
  readonly id: string;
  readonly baseUrl: string;
  readonly path: string;
  readonly apiKey?: string | undefined;
  readonly keyHeader?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** In a list of headers nothing is filled in, so the host is here. What the caller gives comes last and wins. */
export function headersOf({ apiKey, keyHeader, headers = {} }: Address, url: URL): Readonly<Record<string, string>> {
  const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const basic = url.username === '' ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` };
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    host: url.host,
    'content-type': 'application/json',
    ...basic,
    ...(apiKey === undefined ? {} : keyIn(keyHeader, apiKey)),
    ...Object.fromEntries(given),
  };
}

function keyIn(header: string | undefined, apiKey: string): Readonly<Record<string, string>> {
  return header === undefined ? { authorization: `Bearer ${apiKey}` } : { [header.toLowerCase()]: apiKey };
}

export function urlOf({ id, baseUrl, path }: Address): URL {
  if (parsedUrl(baseUrl) === undefined)
    throw new ConfigError(`The base URL of ${id} is not a URL. Write it as https://host/v1.`);
  const url = new URL(baseUrl);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ConfigError(`The base URL of ${id} must begin with http: or https:, not ${url.protocol}`);
  }
  url.pathname = url.pathname.replace(/\/+$/, '') + path;
  return url;
}

/** Too short a text would blank out half of every message, and is no secret either. */
const SHORTEST_SECRET = 6;
const SECRET_HEADER = /auth|key|token|secret|cookie|password/i;

/** What may stand in a request and in no error message. */
export function secretsIn(address: Address, url: URL): readonly string[] {
  const headers = Object.entries(headersOf(address, url))
    .filter(([name]) => SECRET_HEADER.test(name))
    .map(([, value]) => value.replace(/^(Bearer|Basic) /i, ''));
  const given = [address.apiKey ?? '', ...headers, decodeURIComponent(url.password), ...url.searchParams.values()];
  return given.filter((secret) => secret.length >= SHORTEST_SECRET);
}
