import { done } from 'flyball';
import { describe, expect, it } from 'vitest';
import { canaryFinder, canaryGuard } from './canary-guard.js';
import { cardNumbersGuard } from './card-numbers-guard.js';
import { secretsGuard } from './secrets-guard.js';
import { sizeGuard } from './size-guard.js';

const ctx = { runId: 'run', tenant: 'acme', subject: 'ada', at: '' };
const call = (args: unknown) => ({ tool: 'post', class: 'pure' as const, legs: [], args });

describe('card numbers', () => {
  const guard = cardNumbersGuard('output');
  it.each([
    ['4111111111111111', '[card number removed]'],
    ['Card 4111 1111 1111 1111, thanks', 'Card [card number removed], thanks'],
    ['5500-0000-0000-0004', '[card number removed]'],
    ['3782 822463 10005', '[card number removed]'],
    ['4111 1111 1111 1111 12/27', '[card number removed] 12/27'],
    ['4111 1111 1111 1111 123', '[card number removed] 123'],
    ['4111111111111111 and 5500000000000004', '[card number removed] and [card number removed]'],
    ['４１１１１１１１１１１１１１１１', '[card number removed]'],
  ])('in %j are redacted [R3-GOV-GUARDS]', (text, clean) => {
    expect(guard.check(done({ text }), ctx)).toMatchObject({ verdict: 'redact', ruleId: 'card-numbers.luhn' });
    expect(guard.redact?.(text)).toBe(clean);
  });

  it.each([
    '4111111111111112', // checksum
    '1111 1111 1111 1117', // no issuer begins so
    '1700000000000', // a time
    '123456789012345678901234567890',
    'abc4111111111111111def',
    'order 2023-11-15',
  ])('are not seen in %j', (text) => {
    expect(guard.check(done(text), ctx)).toMatchObject({ verdict: 'release' });
    expect(guard.redact?.(text)).toBe(text);
  });

  it('in the arguments of a call deny it, and no evidence quotes them [R3-GOV-GUARDS]', async () => {
    const said = await cardNumbersGuard('preCall').check(call({ deep: [{ pan: '4111111111111111' }] }), ctx);
    expect(said).toMatchObject({ verdict: 'deny' });
    expect(said.evidence).not.toContain('4111');
  });
});

describe('secrets', () => {
  const guard = secretsGuard('response', { known: ['hunter2hunter2'] });
  it.each([
    ['aws-key', `AKIA${'A1'.repeat(8)}`],
    ['github-token', `ghp_${'a'.repeat(36)}`],
    ['gitlab-token', `glpat-${'a'.repeat(20)}`],
    ['slack-token', 'xoxb-123456789012-abcdef'],
    ['payment-key', `sk_live_${'a'.repeat(24)}`],
    ['google-key', `AIza${'a'.repeat(35)}`],
    ['npm-token', `npm_${'a'.repeat(36)}`],
    ['model-key', `sk-${'a'.repeat(40)}`],
    ['json-web-token', `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.${'c'.repeat(20)}`],
    ['password-in-address', 'postgres://app:s3cret@db'],
    ['private-key', '-----BEGIN RSA PRIVATE KEY-----\nMIIE-abc\n-----END RSA PRIVATE KEY-----'],
    ['private-key', '-----BEGIN PRIVATE KEY-----\nMIIE without an end'],
    ['known-secret', 'hunter2hunter2'],
  ])('like a %s are found and taken out [R3-GOV-GUARDS]', async (id, secret) => {
    const said = await guard.check({ ...call({}), value: { x: [`(${secret})`] }, text: '' }, ctx);
    expect(said).toMatchObject({ verdict: 'redact', ruleId: `secrets.${id}` });
    expect(said.evidence).not.toContain(secret);
    const clean = guard.redact?.(`before ${secret}`) ?? '';
    expect(clean).toMatch(/^before \[.* removed\]/);
    expect(clean).not.toContain(secret.slice(0, 12));
  });

  it('are not seen in ordinary text', async () => {
    const text =
      'See https://example.com:8080/a@b, mail ada@example.com, sk-short, commit 3f786850e387550fdab836ed7e6dc881de23001b.';
    expect(await guard.check({ ...call({}), value: text, text }, ctx)).toMatchObject({ verdict: 'pass' });
    expect(guard.redact?.(text)).toBe(text);
  });

  it('in the name of a member are seen too [R3-GOV-GUARDS]', async () => {
    expect(await secretsGuard('preCall').check(call({ [`ghp_${'a'.repeat(36)}`]: 1 }), ctx)).toMatchObject({
      verdict: 'deny',
    });
  });

  it('that are known and short are refused as a setting', () => {
    expect(() => secretsGuard('output', { known: ['abc'] })).toThrow('at least 8 characters');
  });

  it('do not make a long hostile text take for ever', () => {
    const hostile = '-----BEGIN PRIVATE KEY-----'.repeat(20_000);
    expect(guard.redact?.(hostile)).not.toContain('BEGIN');
  });
});

describe('size', () => {
  it('cuts a result in the middle and says how much there was [R3-GOV-GUARDS]', async () => {
    const guard = sizeGuard('response', { maxCharacters: 200 });
    const text = `start${'x'.repeat(1000)}end`;
    expect(await guard.check({ ...call({}), value: null, text }, ctx)).toMatchObject({ verdict: 'redact' });
    const cut = guard.redact?.(text) ?? '';
    expect(cut.length).toBeLessThanOrEqual(200);
    expect(cut).toMatch(/^startx+\n\[… 1008 characters in all; the middle was left out …\]\nx+end$/);
    expect(guard.redact?.('short')).toBe('short');
    expect(guard.redact?.('😀'.repeat(300))).not.toMatch(/\p{Surrogate}/u);
  });

  it.each(['input', 'preCall', 'output'] as const)(
    'is a limit that a text at %s does not pass [R3-GOV-GUARDS]',
    async (at) => {
      const texts = ['x'.repeat(60), 'y'.repeat(60)];
      const verdict = {
        input: () => sizeGuard('input', { maxCharacters: 100 }).check(texts, ctx),
        preCall: () => sizeGuard('preCall', { maxCharacters: 100 }).check(call(texts), ctx),
        output: () => sizeGuard('output', { maxCharacters: 100 }).check(done(texts), ctx),
      };
      expect((await verdict[at]()).verdict).toBe(at === 'preCall' ? 'deny' : 'block');
    },
  );
});

describe('canaries', () => {
  const canary = 'canary-7f3a9c-zebra';
  const leaks = canaryFinder([canary]);
  it.each([
    ['plain', `the word is ${canary}.`],
    ['in another case', canary.toUpperCase()],
    ['split up', 'c a n a r y 7 f 3 a 9 c z e b r a'],
    ['with zero-width characters', [...canary].join('\u200b')],
    ['reversed', [...canary].reverse().join('')],
    ['in hex', Buffer.from(canary).toString('hex')],
    ['in percent escapes', [...Buffer.from(canary)].map((byte) => `%${byte.toString(16)}`).join('')],
    ['in base64', Buffer.from(canary).toString('base64')],
    ['in base64 after one byte', Buffer.from(`x${canary}yz`).toString('base64')],
    ['in base64 after two bytes', Buffer.from(`xy${canary}z`).toString('base64')],
    ['in base64 for addresses', Buffer.from(`??>${canary}`).toString('base64url')],
  ])('are found %s [R3-GOV-SHIELD]', (_, text) => {
    expect(leaks([text])).toBe(true);
  });

  it('are not found where they are not', () => {
    expect(leaks(['a canary and a zebra, 7f3a9c'])).toBe(false);
    expect(leaks(['a canary', 'and a zebra', '7f3a9c'])).toBe(false);
    expect(leaks([...'abcdefghijklmnopqrstuvwxyz0123456789'])).toBe(false);
  });

  it.each([
    ['two arguments', { q: 'see canary-7f3', page: 'a9c-zebra.html' }],
    ['two arguments in the other order', { q: 'a9c-zebra', page: 'canary-7f3' }],
    ['three arguments', { a: 'x canary', b: '7f3a9c', c: 'zebra y' }],
    ['a list of letters', [...canary]],
    ['a name and a value', { 'canary-7f3': 'a9c-zebra' }],
    ['two arguments, reversed', { q: 'arbez-c9a', page: '3f7-yranac' }],
  ])('are found split over %s [F-W9]', async (_, args) => {
    const guard = canaryGuard('preCall', { canaries: [canary] });
    expect(await guard.check(call(args), ctx)).toMatchObject({ verdict: 'deny', ruleId: 'canary.leak' });
  });

  it('stop a call and an answer [R3-GOV-SHIELD]', async () => {
    expect(await canaryGuard('preCall', { canaries: [canary] }).check(call({ q: canary }), ctx)).toMatchObject({
      verdict: 'deny',
      ruleId: 'canary.leak',
    });
    expect(await canaryGuard('output', { canaries: [canary] }).check(done({ a: [canary] }), ctx)).toMatchObject({
      verdict: 'block',
    });
    expect(() => canaryGuard('output', { canaries: ['short'] })).toThrow('at least 8 letters');
  });
});
