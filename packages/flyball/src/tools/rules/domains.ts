import { ConfigError } from '../../core/errors.js';
import { parsedUrl } from '../../core/parsed-url.js';
import { classifyAddress } from './addresses.js';
import { isPublicSuffix } from './public-suffixes.js';
import { OK, type RuleVerdict, refused } from './rule-verdict.js';

/** Which addresses may be asked for. Made by `domainRules`, which refuses rules that allow more than they seem to. */
export interface DomainRules {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly ports: readonly number[];
  readonly schemes: readonly string[];
  readonly allowPrivate: readonly string[];
}

/** Options of `domainRules`. */
export interface DomainRuleOptions {
  /** `example.com` is that host alone; `*.example.org` is every host below it, and not `example.org` itself. */
  readonly allow: readonly string[];
  /** In the same form. A denied host is refused whatever allows it. */
  readonly deny?: readonly string[];
  /** 80 and 443 where absent. */
  readonly ports?: readonly number[];
  readonly schemes?: readonly ('http' | 'https')[];
  /** Addresses with their port (`10.1.2.3:8080`, `[fd00::7]:443`) that may be reached although they are not public. */
  readonly allowPrivate?: readonly string[];
}

const MAX_URL_LENGTH = 2048;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };
/** Names that lead to this machine or to the credentials of its cloud, whatever an allowlist says. */
const LOCAL_NAMES = ['localhost', '*.localhost', 'metadata', 'metadata.google.internal', 'metadata.goog'];

/** Rules about which hosts may be reached. */
export function domainRules(options: DomainRuleOptions): DomainRules {
  const ports = options.ports ?? [80, 443];
  const wrongPort = ports.find((port) => !(Number.isInteger(port) && port > 0 && port < 65_536));
  if (wrongPort !== undefined) throw new ConfigError(`Domain rules: ${wrongPort} is not a port.`);
  return {
    allow: options.allow.map((pattern) => checkedPattern(pattern, 'allow')),
    deny: (options.deny ?? []).map((pattern) => checkedPattern(pattern, 'deny')),
    ports,
    schemes: options.schemes ?? ['https', 'http'],
    allowPrivate: (options.allowPrivate ?? []).map(checkedEndpoint),
  };
}

function checkedPattern(pattern: string, list: 'allow' | 'deny'): string {
  const host = pattern.startsWith('*.') ? pattern.slice(2) : pattern;
  const isName = /^(?!-)[a-z0-9-]{1,63}(?:\.(?!-)[a-z0-9-]{1,63})*$/.test(host) && host.length <= 253;
  const isIpv6 = host.startsWith('[') && classifyAddress(host).kind !== 'not-an-address';
  if (!isName && !isIpv6) {
    throw new ConfigError(
      `Domain rules: "${pattern}" in ${list} is neither a host name nor "*." before one. Write names in lower case, ` +
        'international ones in their xn-- form, without scheme, port, path or trailing dot.',
    );
  }
  if (list === 'allow' && pattern.startsWith('*.') && isPublicSuffix(host)) {
    throw new ConfigError(
      `Domain rules: "${pattern}" would allow every stranger's site below ${host}. Name the domains.`,
    );
  }
  return pattern;
}

function checkedEndpoint(endpoint: string): string {
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(endpoint) ?? [];
  const address = classifyAddress(host);
  if (address.kind === 'not-an-address' || Number(port) > 65_535 || (host.includes(':') && !host.startsWith('['))) {
    throw new ConfigError(
      `Domain rules: "${endpoint}" in allowPrivate is not an address with a port, as in "10.1.2.3:8080" or "[fd00::7]:443".`,
    );
  }
  return endpointOf(address.address, Number(port));
}

/** What a model may read about why an address is refused. Says nothing about where its name leads: see `checkAddress`. */
export function checkUrl(rules: DomainRules, url: string): RuleVerdict {
  const read = readUrl(url);
  if ('why' in read) return refused(read.why);
  const { hostname, protocol } = read.url;
  const scheme = protocol.slice(0, -1);
  if (!rules.schemes.includes(scheme) || DEFAULT_PORTS[protocol] === undefined)
    return refused(`${scheme}: addresses are not allowed, only ${rules.schemes.join(' and ')}.`);
  const port = portOf(read.url);
  const address = classifyAddress(hostname);
  if (address.kind !== 'not-an-address' && rules.allowPrivate.includes(endpointOf(address.address, port))) return OK;
  if (address.kind === 'not-public')
    return refused(`${said(read.rawHost, address.address)} is not a public address: ${address.why}.`);
  return checkHost(rules, { hostname, port, rawHost: read.rawHost });
}

function checkHost(
  rules: DomainRules,
  at: { readonly hostname: string; readonly port: number; readonly rawHost: string },
): RuleVerdict {
  const { hostname, port } = at;
  if (LOCAL_NAMES.some((name) => matches(name, hostname))) return refused(`${hostname} is a name of this machine.`);
  if (rules.deny.some((pattern) => matches(pattern, hostname))) return refused(`${hostname} is a denied domain.`);
  if (!rules.allow.some((pattern) => matches(pattern, hostname))) {
    const lookalike = /(^|\.)xn--/.test(hostname) ? ' It is an international name and may look like another one.' : '';
    return refused(`${hostname} is not an allowed domain; allowed: ${list(rules.allow)}.${lookalike}`);
  }
  if (!rules.ports.includes(port)) return refused(`Port ${port} is not allowed, only ${rules.ports.join(', ')}.`);
  return OK;
}

/** Judges an address that a name resolved to, or that a socket is connected to. */
export function checkAddress(rules: DomainRules, at: { readonly address: string; readonly port: number }): RuleVerdict {
  const kind = classifyAddress(at.address);
  switch (kind.kind) {
    case 'not-an-address':
      return refused(`"${at.address}" is not an internet address.`);
    case 'public':
      return OK;
    case 'not-public':
      if (rules.allowPrivate.includes(endpointOf(kind.address, at.port))) return OK;
      // a mapped address is the same endpoint as the one inside it
      if (rules.allowPrivate.includes(endpointOf(unmapped(at.address), at.port))) return OK;
      return refused(`${kind.address} is not a public address: ${kind.why}.`);
  }
}

type ReadUrl = { readonly url: URL; readonly rawHost: string } | { readonly why: string };

/** Refuses what two readers of URLs could understand differently, before any of them decides. */
function readUrl(text: string): ReadUrl {
  if (text.length > MAX_URL_LENGTH) return { why: `The address is longer than ${MAX_URL_LENGTH} characters.` };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u0020\u007f-\u00a0\u2028\u2029\ufeff\\]/.test(text))
    return { why: 'The address holds spaces, control characters or backslashes; write it plainly.' };
  if (parsedUrl(text) === undefined) return { why: 'This is not a complete address such as https://example.com/page.' };
  const url = new URL(text);
  const [, authority] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(text) ?? [];
  if (DEFAULT_PORTS[url.protocol] === undefined) return { url, rawHost: '' };
  if (authority === undefined || authority === '') return { why: 'Write // and then a host after the scheme.' };
  if (url.username !== '' || url.password !== '' || authority.includes('@'))
    return { why: 'The URL contains a user name or an @ before its host. Remove it.' };
  const rawHost = authority.replace(/:\d*$/, '');
  if (rawHost.includes('%')) return { why: 'The host is written with percent signs; write it plainly.' };
  // addresses and international names are rewritten on purpose; any other difference is a trick
  const isRewritten = classifyAddress(url.hostname).kind !== 'not-an-address' || /(^|\.)xn--/.test(url.hostname);
  if (!isRewritten && rawHost.toLowerCase() !== url.hostname)
    return { why: 'The host is written in characters that only look like plain ones; write it plainly.' };
  if (url.hostname.endsWith('.') && classifyAddress(url.hostname).kind === 'not-an-address')
    return { why: `${url.hostname} ends with a dot. Remove it.` };
  return { url, rawHost };
}

function matches(pattern: string, hostname: string): boolean {
  return pattern.startsWith('*.') ? hostname.endsWith(pattern.slice(1)) : hostname === pattern;
}

export function portOf(url: URL): number {
  return url.port === '' ? (DEFAULT_PORTS[url.protocol] ?? 0) : Number(url.port);
}

function endpointOf(address: string, port: number): string {
  return `${address}:${port}`;
}

function unmapped(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}

function said(raw: string, address: string): string {
  return raw.replace(/^\[|\]$/g, '') === address ? address : `${raw}, which means ${address},`;
}

function list(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  return names.length <= 12 ? names.join(', ') : `${names.slice(0, 12).join(', ')} and ${names.length - 12} more`;
}
