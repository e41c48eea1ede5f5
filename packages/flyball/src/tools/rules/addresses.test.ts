import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyAddress } from './addresses.js';

const notPublic: readonly (readonly [string, RegExp])[] = [
  ['127.0.0.1', /loopback/],
  ['127.1', /loopback/],
  ['127.255.255.255', /loopback/],
  ['2130706433', /loopback/],
  ['0x7f000001', /loopback/],
  ['0x7f.1', /loopback/],
  ['0177.0.0.01', /loopback/],
  ['017700000001', /loopback/],
  ['127.0.0.1.', /loopback/],
  ['0', /local host/],
  ['0.0.0.0', /local host/],
  ['0.1.2.3', /local host/],
  ['10.0.0.1', /private/],
  ['172.16.0.1', /private/],
  ['172.31.255.255', /private/],
  ['192.168.1.1', /private/],
  ['100.64.0.1', /carrier/],
  ['100.100.100.200', /metadata/],
  ['169.254.0.1', /link-local/],
  ['169.254.169.254', /metadata/],
  ['168.63.129.16', /metadata/],
  ['192.0.0.1', /protocols/],
  ['192.0.2.7', /documentation/],
  ['192.88.99.1', /6to4/],
  ['198.18.0.1', /benchmarks/],
  ['198.19.255.255', /benchmarks/],
  ['198.51.100.1', /documentation/],
  ['203.0.113.1', /documentation/],
  ['224.0.0.1', /multicast/],
  ['239.255.255.255', /multicast/],
  ['240.0.0.1', /reserved/],
  ['255.255.255.255', /reserved/],
  ['::', /unspecified/],
  ['::1', /loopback/],
  ['[::1]', /loopback/],
  ['0:0:0:0:0:0:0:1', /loopback/],
  ['::ffff:127.0.0.1', /another form of 127\.0\.0\.1: loopback/],
  ['::ffff:7f00:1', /another form of 127\.0\.0\.1/],
  ['::FFFF:A9FE:A9FE', /metadata/],
  ['::127.0.0.1', /another form of 127\.0\.0\.1/],
  ['64:ff9b::10.0.0.1', /private/],
  ['64:ff9b:1::1', /NAT64/],
  ['2002:7f00:1::', /6to4/],
  ['2001:0:4136:e378:8000:63bf:3fff:fdd2', /Teredo/],
  ['2001:10::1', /ORCHID/],
  ['2001:20::1', /ORCHID/],
  ['2001:1::1', /protocols/],
  ['2001:db8::1', /documentation/],
  ['3fff::1', /documentation/],
  ['100::1', /discarded/],
  ['fc00::1', /private/],
  ['fd00:ec2::254', /metadata/],
  ['fd12:3456::1', /private/],
  ['fe80::1', /link-local/],
  ['fe80::1%eth0', /interface/],
  ['2606:4700::1111%25lo', /interface/],
  ['fec0::1', /site-local/],
  ['ff02::1', /multicast/],
  ['2606:4700::5efe:7f00:1', /ISATAP/],
  ['2606:4700::200:5efe:7f00:1', /ISATAP/],
  ['4000::1', /reserved/],
];

describe('an address', () => {
  it.each(notPublic)('%s is not public, and the reason is given [R3-FETCH-PRIVATE]', (text, why) => {
    expect(classifyAddress(text)).toMatchObject({ kind: 'not-public', why: expect.stringMatching(why) });
  });

  it.each([
    ['8.8.8.8', '8.8.8.8'],
    ['134744072', '8.8.8.8'],
    ['11.0.0.0', '11.0.0.0'],
    ['172.32.0.1', '172.32.0.1'],
    ['100.128.0.1', '100.128.0.1'],
    ['169.253.1.1', '169.253.1.1'],
    ['198.20.0.1', '198.20.0.1'],
    ['223.255.255.255', '223.255.255.255'],
    ['::ffff:8.8.8.8', '8.8.8.8'],
    ['64:ff9b::808:808', '8.8.8.8'],
    ['2606:4700:4700::1111', '2606:4700:4700::1111'],
    ['2001:4860:4860:0:0:0:0:8888', '2001:4860:4860::8888'],
  ])('%s is public', (text, address) => {
    expect(classifyAddress(text)).toEqual({ kind: 'public', address });
  });

  it.each(['', 'example.com', '1.2.3.4.5', '256.1.1.1', '1.2.3.256', '4294967296', '09.1.1.1', '1.2.3.x', '1::2::3'])(
    '%j is none',
    (text) => expect(classifyAddress(text).kind).toBe('not-an-address'),
  );

  it.each([':::', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '12345::', '::1.2.3', '::ffff:1.2.3.4.5', '1:2:3:4:5:6:7::8'])(
    '%j is no IPv6 address',
    (text) => expect(classifyAddress(text).kind).toBe('not-an-address'),
  );

  it('is read as Node reads it, for whatever IPv6 text Node accepts', () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        fc.pre(isIP(text) === 6);
        expect(classifyAddress(text).kind).not.toBe('not-an-address');
      }),
    );
  });

  it('of IPv4 is the same one in all its spellings', () => {
    fc.assert(
      fc.property(fc.ipV4(), (text) => {
        const [a = 0, b = 0, c = 0, d = 0] = text.split('.').map(Number);
        const plain = classifyAddress(text);
        const whole = ((a * 256 + b) * 256 + c) * 256 + d;
        expect(classifyAddress(String(whole))).toEqual(plain);
        expect(classifyAddress(`0x${whole.toString(16)}`)).toEqual(plain);
        expect(classifyAddress(`${a}.0${b.toString(8)}.${c * 256 + d}`)).toEqual(plain);
        expect(classifyAddress(`::ffff:${text}`).kind).toBe(plain.kind);
      }),
    );
  });
});
