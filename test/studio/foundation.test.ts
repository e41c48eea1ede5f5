import { hash as nodeHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withQuery } from '../../packages/studio/src/api/client.js';
import { problemIn } from '../../packages/studio/src/api/problem.js';
import { actionFor } from '../../packages/studio/src/app/keys.js';
import { hash } from '../../packages/studio/src/crypto/node-crypto.js';
import { localPath, match } from '../../packages/studio/src/router/router.js';
import { commandsFor, payloadFrom } from '../../packages/studio/src/run/run-commands.js';
import { ago, amountOn, duration, shareOf, toneOf } from '../../packages/studio/src/ui/amounts.js';

describe('the foundation of the studio', () => {
  it('hashes in the browser as Node does, so that the folds say the same [R6-STUDIO-OFFLINE]', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.nat(0x10ffff).map((code) => String.fromCodePoint(code)), maxLength: 300 }),
        (text) => {
          const whole = text.toWellFormed();
          expect(hash('sha256', whole, 'hex')).toBe(nodeHash('sha256', whole, 'hex'));
          expect(hash('sha256', whole, 'base64url')).toBe(nodeHash('sha256', whole, 'base64url'));
        },
      ),
    );
    for (let length = 50; length < 70; length++)
      expect(hash('sha256', 'a'.repeat(length), 'hex')).toBe(nodeHash('sha256', 'a'.repeat(length), 'hex'));
  });

  it('finds the page for a path, and its parameters', () => {
    expect(match('/runs/:runId', '/runs/a%2Fb')).toEqual({ runId: 'a/b' });
    expect(match('/runs/:runId', '/runs')).toBeUndefined();
    expect(match('/runs/:runId', '/runs/')).toBeUndefined();
    expect(match('/runs/:runId', '/runs/%zz')).toBeUndefined();
    expect(match('/runs', '/runs')).toEqual({});
    expect(['/studio', '/studio/', '/studio/runs/'].map(localPath)).toEqual(['/', '/', '/runs']);
  });

  it('leaves out parameters without a value', () => {
    expect(withQuery('/v1/runs', { status: undefined, agent: '', limit: 5 })).toBe('/v1/runs?limit=5');
    expect(withQuery('/v1/runs', {})).toBe('/v1/runs');
  });

  it('takes the innermost action for a key, and two keys after each other', () => {
    const run = () => undefined;
    const outer = { keys: 'j', what: 'outer', run };
    const inner = { keys: 'j', what: 'inner', run };
    const go = { keys: 'g r', what: 'go', run };
    expect(actionFor([outer, go, inner], undefined, 'j')).toBe(inner);
    expect(actionFor([outer, go], 'g', 'r')).toBe(go);
    expect(actionFor([outer, go], undefined, 'r')).toBeUndefined();
  });

  it('offers what fits the state of a run, and nothing once it has ended', () => {
    expect(commandsFor('running')).toContain('pause');
    expect(commandsFor('paused')).toEqual(['resume', 'redirect', 'cancel']);
    expect(commandsFor('bounded')).toEqual(['resume']);
    expect(commandsFor('done')).toEqual([]);
    expect(commandsFor(undefined)).toEqual([]);
  });

  it('reads a typed value as JSON where it is JSON', () => {
    expect([payloadFrom('{"a":1}'), payloadFrom('yes please'), payloadFrom('  ')]).toEqual([
      { a: 1 },
      'yes please',
      undefined,
    ]);
  });

  it('tells an answer that is not ours as such', async () => {
    const { problem } = await problemIn(new Response('<html>', { status: 502, headers: { 'x-request-id': 'q7' } }));
    expect(problem).toMatchObject({ status: 502, retryable: true, requestId: 'q7' });
    expect(problem.detail).toContain('502');
  });

  it('writes amounts for people', () => {
    expect([0, 340, 1234, 62_000, 7_260_000, 90_000_000].map(duration)).toEqual([
      '0 ms',
      '340 ms',
      '1.23 s',
      '1 min 2 s',
      '2 h 1 min',
      '1 d 1 h',
    ]);
    expect([amountOn('costUsd', 0.5), amountOn('tokensIn', 1_250_000), amountOn('wallMs', 400)]).toEqual([
      '$0.5000',
      '1.3M',
      '400 ms',
    ]);
    expect(ago(0, 125_000)).toBe('2 min ago');
  });

  it('colors a gauge by how much is left [R6-STUDIO-RUNS]', () => {
    expect([shareOf(5, 10), shareOf(50, 10), shareOf(0, 0)]).toEqual([0.5, 1, 1]);
    expect([0.79, 0.8, 1].map(toneOf)).toEqual(['good', 'warn', 'bad']);
  });
});
