import { describe, expect, it } from 'vitest';
import { checkAddress, checkUrl, type DomainRuleOptions, domainRules } from './domains.js';

const rules = domainRules({
  allow: ['example.com', '*.example.org', 'xn--mnchen-3ya.de', '[2606:4700::1111]'],
  deny: ['evil.example.org', '*.evil.example.org'],
  ports: [443, 8443],
  schemes: ['https'],
  allowPrivate: ['10.0.0.7:8080', '[fd00::7]:443'],
});
const why = (url: string, with_ = rules): string => {
  const verdict = checkUrl(with_, url);
  return verdict.ok ? 'allowed' : verdict.why;
};

describe('domain rules', () => {
  it.each([
    'https://example.com',
    'https://EXAMPLE.com/a?b#c',
    'https://example.com:8443/',
    'https://a.example.org/',
    'https://a.b.example.org/',
    'https://münchen.de/',
    'https://10.0.0.7:8080/',
    'https://[fd00::7]/',
    'https://[2606:4700::1111]/',
    'https://example.com/#@elsewhere.net',
  ])('allow %s [R3-FETCH-ALLOW]', (url) => expect(why(url)).toBe('allowed'));

  it.each([
    ['https://example.org/', /not an allowed domain/],
    ['https://www.example.com/', /not an allowed domain; allowed: example\.com, \*\.example\.org/],
    ['https://notexample.org/', /not an allowed domain/],
    ['https://example.com.evil.net/', /not an allowed domain/],
    ['https://evil.example.org/', /denied/],
    ['https://x.evil.example.org/', /denied/],
    ['https://example.com:22/', /Port 22/],
    ['http://example.com/', /http: addresses are not allowed, only https/],
    ['https://10.0.0.7/', /private network/],
    ['https://10.0.0.8:8080/', /private network/],
    ['https://8.8.8.8/', /not an allowed domain/],
    ['https://exаmple.com/', /international name/],
    ['https:///example.com', /Write \/\//],
    [`https://example.com/${'a'.repeat(2048)}`, /longer than 2048/],
  ])('refuse %s with a reason [R3-FETCH-ALLOW]', (url, reason) => expect(why(url)).toMatch(reason));

  it.each<readonly [DomainRuleOptions, RegExp]>([
    [{ allow: ['*'] }, /"\*" in allow is neither/],
    [{ allow: ['*.com'] }, /every stranger's site below com/],
    [{ allow: ['*.co.uk'] }, /below co\.uk/],
    [{ allow: ['*.github.io'] }, /below github\.io/],
    [{ allow: ['https://example.com'] }, /without scheme/],
    [{ allow: ['Example.com'] }, /lower case/],
    [{ allow: ['münchen.de'] }, /xn-- form/],
    [{ allow: ['example.com.'] }, /trailing dot/],
    [{ allow: ['ex*mple.com'] }, /neither a host name/],
    [{ allow: [], deny: ['*'] }, /in deny/],
    [{ allow: [], ports: [0] }, /0 is not a port/],
    [{ allow: [], allowPrivate: ['127.0.0.1'] }, /not an address with a port/],
    [{ allow: [], allowPrivate: ['localhost:80'] }, /not an address with a port/],
    [{ allow: [], allowPrivate: ['::1:80'] }, /not an address with a port/],
  ])('that allow more than they seem to are refused when they are made: %j', (options, reason) => {
    expect(() => domainRules(options)).toThrow(reason);
  });

  it('refuse the names of this machine even where an allowlist holds them', () => {
    const careless = domainRules({ allow: ['localhost', '*.google.internal', '*.example.localhost'] });
    expect(why('http://localhost/', careless)).toMatch(/name of this machine/);
    expect(why('http://metadata.google.internal/', careless)).toMatch(/name of this machine/);
    expect(why('http://a.example.localhost/', careless)).toMatch(/name of this machine/);
  });

  it('judge where a name led to by address and port together [R3-FETCH-PRIVATE]', () => {
    expect(checkAddress(rules, { address: '8.8.8.8', port: 1 })).toEqual({ ok: true });
    expect(checkAddress(rules, { address: '10.0.0.7', port: 8080 })).toEqual({ ok: true });
    expect(checkAddress(rules, { address: '::ffff:10.0.0.7', port: 8080 })).toEqual({ ok: true });
    expect(checkAddress(rules, { address: '10.0.0.7', port: 80 })).toMatchObject({ ok: false });
    expect(checkAddress(rules, { address: '127.0.0.1', port: 80 })).toMatchObject({
      ok: false,
      why: expect.stringMatching(/loopback/),
    });
    expect(checkAddress(rules, { address: 'nonsense', port: 80 })).toMatchObject({ ok: false });
  });
});
