import { describe, expect, it } from 'vitest';
import { jsonWithoutSecrets, redactSecrets, secretSpotter, secretsIn } from './secret-shapes.js';

const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEow/+=\n'.repeat(20)}-----END RSA PRIVATE KEY-----`;
const SECRETS: Readonly<Record<string, string>> = {
  'private-key': PEM,
  'aws-key': 'AKIAIOSFODNN7EXAMPLE',
  'github-token': `ghp_${'a1B2'.repeat(9)}`,
  'flyball-key': `fb_k3v7q2ma_${'Ab-1'.repeat(11).slice(1)}`,
  'gitlab-token': `glpat-${'x'.repeat(20)}`,
  'slack-token': 'xoxb-1234567890-abc',
  'payment-key': `sk_live_${'a'.repeat(24)}`,
  'google-key': `AIza${'b'.repeat(35)}`,
  'npm-token': `npm_${'c'.repeat(36)}`,
  'model-key': `sk-${'d'.repeat(40)}`,
  'json-web-token': `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.${'c'.repeat(20)}`,
  'password-in-address': 'postgres://admin:"p\\ss"word@db',
};

describe('secrets in JSON', () => {
  it.each(Object.entries(SECRETS))('are found wherever JSON has escaped what is around them: %s', (id, secret) => {
    for (const around of ['', '\n', '"', '\t', 'é ', '\u0001']) {
      const text = `${around}${secret}${around === 'é ' ? ' ' : around}`;
      expect(secretsIn(text, [])).toContain(id);
      const json = JSON.stringify({ deep: [{ [text]: 1, value: text }] });
      const clean = jsonWithoutSecrets([])(json);
      expect(clean).toBe(JSON.stringify({ deep: [{ [redactSecrets(text, [])]: 1, value: redactSecrets(text, []) }] }));
      expect(clean).toContain(`[${id} removed]`);
    }
  });

  it.each(['', 'token-', 'X-Auth-', '=', '.', '/', ' '])('are found behind "%s"', (before) => {
    const token = SECRETS['json-web-token'];
    expect(redactSecrets(`${before}${token}`, [])).toBe(`${before}[json-web-token removed]`);
  });

  it.each(Object.entries(SECRETS))(
    'are found behind a character in an escaped form: %s [R19-SECRETS-ESCAPED]',
    (id, secret) => {
      const removed = new RegExp(`^keys:\n\\[${id} removed\\](db)?\n$`);
      const inJson = JSON.stringify({ stdout: `keys:\n${secret}\n` });
      const inTwo = JSON.stringify({ text: inJson });
      expect([secretsIn(inJson, []), secretsIn(inTwo, [])]).toEqual([[id], [id]]);
      // what is around it stays as it was, so that it can be read as JSON
      expect(JSON.parse(redactSecrets(inJson, [])).stdout).toMatch(removed);
      expect(JSON.parse(JSON.parse(redactSecrets(inTwo, [])).text).stdout).toMatch(removed);
      for (const before of ['\u001b[32m', '\\u001b[1;31m', 'q%3D', String.raw`a\u003d`, String.raw`a\x3d`])
        expect(redactSecrets(`${before}${secret}`, [])).toMatch(new RegExp(`\\[${id} removed\\](db)?$`));
    },
  );

  it.each([
    ['\u001b[38:5:10m', String.raw`\x1B[32m`, String.raw`\e[32m`, String.raw`\33[32m`, '^[[32m', '\u009b32m'],
    [String.raw`\012`, '%253D', '=3D', String.raw`\U0000003d`, String.raw`\a`],
  ])('are found behind %s and the like [R19-SECRETS-ESCAPED]', (...before) => {
    for (const one of before)
      expect(redactSecrets(`${one}${SECRETS['model-key']}`, [])).toBe(`${one}[model-key removed]`);
  });

  it.each([
    JSON.stringify({ name: 'Ada', site: 'https://example.org', mail: 'ada@example.org' }),
    JSON.stringify({ text: JSON.stringify({ site: 'https://example.org', mail: 'ada@example.org' }) }),
    'https://a.example,mail:ada@b.example',
    "LIKE '%desk-lamp-black-with-usb-port%'",
  ])('are not seen in %s [R19-SECRETS-ORDINARY]', (text) => {
    expect([redactSecrets(text, []), secretsIn(text, [])]).toEqual([text, []]);
  });

  it.each([String.raw`postgres:\/\/u:pw-1234@h`, 'postgres%3A%2F%2Fu%3Apw-1234%40h'])(
    'are found in addresses in an escaped form: %s [R19-SECRETS-ESCAPED]',
    (text) => {
      expect(redactSecrets(text, [])).toBe('[password-in-address removed]h');
      expect(jsonWithoutSecrets([])(JSON.stringify(text))).toBe('"[password-in-address removed]h"');
    },
  );

  it('are found in addresses without a user name [R19-SECRETS-ESCAPED]', () => {
    expect(redactSecrets('redis://:pw-of-redis@host restate://:token99@h:8080', [])).toBe(
      '[password-in-address removed]host [password-in-address removed]h:8080',
    );
  });

  it('are found by value in JSON, in JSON in JSON, in addresses and as numbers [R19-SECRETS-ESCAPED]', () => {
    const secret = 'pa"ss\\word-1234';
    const known = [secret, '9876543210'];
    const inner = JSON.stringify({ a: secret });
    const value = {
      secret,
      inner,
      twice: JSON.stringify({ inner }),
      address: encodeURIComponent(secret),
      pin: 9876543210,
    };
    const clean = jsonWithoutSecrets(known)(JSON.stringify(value));
    expect(JSON.parse(clean)).toEqual({
      secret: '[secret removed]',
      inner: '{"a":"[secret removed]"}',
      twice: JSON.stringify({ inner: '{"a":"[secret removed]"}' }),
      address: '[secret removed]',
      pin: '[secret removed]',
    });
    expect(secretsIn(inner, known)).toEqual(['known-secret']);
  });

  it('are found by value, also one that JSON writes in another way', () => {
    const clean = jsonWithoutSecrets(['quote"and\nline']);
    expect(clean(JSON.stringify({ a: 'x quote"and\nline y' }))).toBe('{"a":"x [secret removed] y"}');
  });

  it('cost one look where there are none, and the text stays the same', () => {
    const json = JSON.stringify({
      text: 'task-force, disk-space, https://a.example:8080/x and sk-short',
      n: [1, null, true],
    });
    expect(secretSpotter([])(json)).toBe(false);
    expect(jsonWithoutSecrets([])(json)).toBe(json);
  });

  it('cannot be named by a word that is too short to tell apart', () => {
    expect(() => jsonWithoutSecrets(['short'])).toThrow('at least 8 characters');
  });
});
