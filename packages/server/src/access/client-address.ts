import { BlockList, isIP, isIPv4 } from 'node:net';
import { ConfigError } from 'flyball';
import type { ServerSettings } from '../settings.js';

/** The address that limits are counted by: the client's, also where proxies stand between it and the server. */
export type ClientAddress = (peer: string, headers: Headers) => string;

/**
 * What a header says about the client is believed only as far as it was written by proxies that the settings name: read
 * from the right, each of them vouches for the address before its own. Everything further left may be invented.
 * One header is read and not both: the other one reaches us as the client sent it.
 */
export function clientAddress({
  proxies,
  proxyHeader,
}: Pick<ServerSettings, 'proxies' | 'proxyHeader'>): ClientAddress {
  const trusted = trustedList(proxies);
  const isTrusted = (address: string): boolean => trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  return (peer, headers) => {
    let client = plain(peer);
    if (proxies.length === 0 || isIP(client) === 0) return client;
    const hops = hopsIn(headers.get(proxyHeader) ?? '', proxyHeader);
    while (isTrusted(client)) {
      const before = addressIn(hops.pop());
      if (before === undefined) return client; // the proxy does not say, or says nothing that is an address
      client = before;
    }
    return client;
  };
}

const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/** Whether somebody in between says that they passed it on. Proxies that we were not told of count as well. */
export function isForwarded(headers: Headers): boolean {
  return FORWARDED.some((name) => headers.has(name));
}

export function isNetwork(text: string): boolean {
  const [, address = '', bits = '0'] = /^([0-9a-fA-F:.]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  return isIP(address) !== 0 && Number(bits) <= (isIP(address) === 4 ? 32 : 128);
}

function trustedList(proxies: readonly string[]): BlockList {
  const list = new BlockList();
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    const most = family === 'ipv4' ? 32 : 128;
    if (!isNetwork(proxy))
      throw new ConfigError(
        `${JSON.stringify(proxy)} is not the address or network of a proxy. Write 10.0.0.7, 10.0.0.0/8 or fd00::/8.`,
      );
    list.addSubnet(address, Number(bits ?? most), family);
  }
  return list;
}

function hopsIn(value: string, header: ServerSettings['proxyHeader']): string[] {
  const parts = value === '' ? [] : value.split(',').map((part) => part.trim());
  if (header === 'x-forwarded-for') return parts;
  return parts.map((part) => /(?:^|;)\s*for\s*=\s*("[^"]*"|[^;\s]*)/i.exec(part)?.[1]?.replaceAll('"', '') ?? '');
}

/** `192.0.2.7`, `192.0.2.7:4711`, `[2001:db8::1]:4711`; undefined for `unknown` and the like. */
function addressIn(hop: string | undefined): string | undefined {
  const bare =
    /^\[([^\]]+)\](?::\d+)?$/.exec(hop ?? '')?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop ?? '')?.[1] ?? hop;
  const address = plain(bare ?? '');
  return isIP(address) === 0 ? undefined : address;
}

/** An IPv4 address as such, also where the socket is one of IPv6. */
function plain(address: string): string {
  return address.toLowerCase().startsWith('::ffff:') && isIPv4(address.slice(7)) ? address.slice(7) : address;
}
