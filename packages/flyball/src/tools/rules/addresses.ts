/**
 * What an internet address is, whatever way it is spelt. Pure: resolves nothing. An address that cannot be read for
 * certain is not public.
 */
export type AddressKind =
  | { readonly kind: 'public'; readonly address: string }
  | { readonly kind: 'not-public'; readonly address: string; readonly why: string }
  | { readonly kind: 'not-an-address' };

type Bytes = readonly number[];
type Range = readonly [prefix: Bytes, bits: number, why: string];

/** No spelling of an address is longer, the name of an interface behind it included. */
const MAX_LENGTH = 256;
const NOT_AN_ADDRESS: AddressKind = { kind: 'not-an-address' };

/** The special-purpose registry of IANA, and addresses in public ranges at which clouds hand out credentials. */
const IPV4_RANGES: readonly Range[] = [
  [[168, 63, 129, 16], 32, 'a cloud metadata service'],
  [[169, 254, 169, 254], 32, 'a cloud metadata service'],
  [[100, 100, 100, 200], 32, 'a cloud metadata service'],
  [[0], 8, 'the local host (0.0.0.0/8)'],
  [[10], 8, 'a private network'],
  [[100, 64], 10, 'a carrier-grade NAT'],
  [[127], 8, 'loopback'],
  [[169, 254], 16, 'link-local'],
  [[172, 16], 12, 'a private network'],
  [[192, 0, 0], 24, 'reserved for protocols'],
  [[192, 0, 2], 24, 'reserved for documentation'],
  [[192, 88, 99], 24, 'a 6to4 relay'],
  [[192, 168], 16, 'a private network'],
  [[198, 18], 15, 'reserved for benchmarks'],
  [[198, 51, 100], 24, 'reserved for documentation'],
  [[203, 0, 113], 24, 'reserved for documentation'],
  [[224], 4, 'multicast'],
  [[240], 4, 'reserved'],
];

const IPV6_RANGES: readonly Range[] = [
  [[], 128, 'the unspecified address'],
  [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 128, 'loopback'],
  [[0xfd, 0, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0x54], 128, 'a cloud metadata service'],
  [[0, 0x64, 0xff, 0x9b, 0, 1], 48, 'NAT64 of a local network'],
  [[0x01, 0], 64, 'discarded'],
  [[0x20, 0x01, 0, 0], 32, 'Teredo, which hides an IPv4 address'],
  [[0x20, 0x01, 0, 0x10], 28, 'reserved for ORCHID'],
  [[0x20, 0x01, 0, 0x20], 28, 'reserved for ORCHID'],
  [[0x20, 0x01, 0], 23, 'reserved for protocols'],
  [[0x20, 0x01, 0x0d, 0xb8], 32, 'reserved for documentation'],
  [[0x20, 0x02], 16, '6to4, which hides an IPv4 address'],
  [[0x3f, 0xff, 0], 20, 'reserved for documentation'],
  [[0xfc], 7, 'a private network'],
  [[0xfe, 0x80], 10, 'link-local'],
  [[0xfe, 0xc0], 10, 'site-local'],
  [[0xff], 8, 'multicast'],
];

const MAPPED: Bytes = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];
const NAT64: Bytes = [0, 0x64, 0xff, 0x9b];
const ISATAP: Bytes = [0, 0, 0x5e, 0xfe];

/** Takes an address as a URL, a resolver or a socket writes it: with or without brackets. */
export function classifyAddress(text: string): AddressKind {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (bare.length > MAX_LENGTH) return NOT_AN_ADDRESS;
  if (!bare.includes(':')) {
    const bytes = ipv4Bytes(bare);
    return bytes === undefined ? NOT_AN_ADDRESS : classifyIpv4(bytes);
  }
  const [address = '', ...zone] = bare.split('%');
  const bytes = ipv6Bytes(address);
  if (bytes === undefined) return NOT_AN_ADDRESS;
  if (zone.length > 0) return notPublic(ipv6Text(bytes), `bound to an interface of this machine (%${zone.join('%')})`);
  return classifyIpv6(bytes);
}

function classifyIpv4(bytes: Bytes): AddressKind {
  const address = bytes.join('.');
  const range = IPV4_RANGES.find(([prefix, bits]) => isWithin(bytes, prefix, bits));
  return range === undefined ? { kind: 'public', address } : notPublic(address, range[2]);
}

function classifyIpv6(bytes: Bytes): AddressKind {
  const address = ipv6Text(bytes);
  const inner = bytes.slice(12);
  // a dual-stack socket reports IPv4 peers as mapped, and DNS64 answers with NAT64: there the inner address decides
  if (isWithin(bytes, MAPPED, 96) || isWithin(bytes, NAT64, 96)) {
    const verdict = classifyIpv4(inner);
    if (verdict.kind !== 'not-public') return verdict;
    return notPublic(address, `another form of ${verdict.address}: ${verdict.why}`);
  }
  const range = IPV6_RANGES.find(([prefix, bits]) => isWithin(bytes, prefix, bits));
  if (range !== undefined) return notPublic(address, range[2]);
  if (isWithin(bytes, [], 96)) return notPublic(address, `another form of ${inner.join('.')}`);
  if (isWithin([(bytes[8] ?? 0) & 0xfd, ...bytes.slice(9, 12)], ISATAP, 32))
    return notPublic(address, 'ISATAP, which hides an IPv4 address');
  // only 2000::/3 is given out; what lies outside may come to mean anything
  return isWithin(bytes, [0x20], 3) ? { kind: 'public', address } : notPublic(address, 'reserved');
}

function notPublic(address: string, why: string): AddressKind {
  return { kind: 'not-public', address, why };
}

/** Bytes that `prefix` leaves out are zero. */
function isWithin(bytes: Bytes, prefix: Bytes, bits: number): boolean {
  for (let at = 0; at < bits; at += 8) {
    const mask = bits - at >= 8 ? 0xff : (0xff << (8 - (bits - at))) & 0xff;
    if (((bytes[at / 8] ?? 0) & mask) !== ((prefix[at / 8] ?? 0) & mask)) return false;
  }
  return true;
}

/** As inet_aton reads it: one to four parts in decimal, octal or hexadecimal, the last one filling what is left. */
function ipv4Bytes(text: string): Bytes | undefined {
  const parts = (text.endsWith('.') ? text.slice(0, -1) : text).split('.');
  if (parts.length > 4) return undefined;
  const numbers = parts.map(ipv4Number);
  const last = numbers.pop();
  if (last === undefined || numbers.some((part) => part === undefined || part > 255)) return undefined;
  const room = 4 - numbers.length;
  if (last >= 256 ** room) return undefined;
  const tail = Array.from({ length: room }, (_byte, at) => Math.floor(last / 256 ** (room - 1 - at)) % 256);
  return [...(numbers as number[]), ...tail];
}

function ipv4Number(part: string): number | undefined {
  if (/^0x[0-9a-f]{0,12}$/i.test(part)) return part.length === 2 ? 0 : Number.parseInt(part.slice(2), 16);
  if (/^0[0-7]{1,15}$/.test(part)) return Number.parseInt(part, 8);
  return /^\d{1,15}$/.test(part) && !/^0\d/.test(part) ? Number(part) : undefined;
}

function ipv6Bytes(text: string): Bytes | undefined {
  const dotted = /^(.*:)([^:]*\.[^:]*)$/.exec(text);
  const tail = dotted?.[2] === undefined ? undefined : ipv4Bytes(dotted[2]);
  if (dotted !== null && (tail === undefined || dotted[2]?.split('.').length !== 4)) return undefined;
  const plain = tail === undefined ? text : `${dotted?.[1] ?? ''}${hexPair(tail, 0)}:${hexPair(tail, 2)}`;
  const halves = plain.split('::');
  if (halves.length > 2) return undefined;
  const [head, rest] = halves.map((half) => (half === '' ? [] : half.split(':')));
  if (head === undefined || [...head, ...(rest ?? [])].some((group) => !/^[0-9a-f]{1,4}$/i.test(group)))
    return undefined;
  const missing = 8 - head.length - (rest?.length ?? 0);
  if (rest === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...(rest ?? [])];
  return groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]);
}

function hexPair(bytes: Bytes, at: number): string {
  return (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16);
}

/** The form of RFC 5952: the longest run of zero groups is left out. */
function ipv6Text(bytes: Bytes): string {
  const groups = Array.from({ length: 8 }, (_group, at) => hexPair(bytes, at * 2));
  const zeros = [...groups.join(':').matchAll(/\b0(?::0)+\b/g)].sort((a, b) => b[0].length - a[0].length)[0];
  if (zeros === undefined) return groups.join(':');
  const text = groups.join(':');
  const before = text.slice(0, zeros.index).replace(/:$/, '');
  return `${before}::${text.slice(zeros.index + zeros[0].length).replace(/^:/, '')}`;
}
