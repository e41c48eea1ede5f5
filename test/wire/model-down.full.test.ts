import { describe, expect, it } from 'vitest';
import { billsOf, expectConversations } from './checks.js';
import { FORMATS, type SpokenFormat } from './formats.js';
import { TROUBLES, type Trouble } from './misbehaviors.js';
import { TURNS } from './task.js';
import { provider, stage, TIMEOUT_MS, type WireStage } from './wire-stage.js';

describe('a tool loop whose model stays down', () => {
  for (const [index, format] of FORMATS.entries()) {
    for (const [nth, trouble] of TROUBLES.entries()) {
      const streaming = nth % 2 === index % 2;
      it(`ends with an error that says why: ${format.name}, ${trouble.name}, ${streaming ? 'streamed' : 'in one piece'} [R3-SHOW-WIRE]`, () =>
        downForGood(format, trouble, streaming));
    }

    it(`ends with an error that says why: ${format.name}, connection refused [R3-SHOW-WIRE]`, async () => {
      const at = await provider(format, []);
      await at.server.close();
      const { outcome } = await (await stage([at], { streaming: true })).start();
      expect(outcome).toMatchObject({
        stop: 'failed',
        failure: { code: 'CIRCUIT_OPEN', retryable: true }, // after five tries it is left alone
        partial: { termination: 'error', toolCalls: 0 },
        usage: { tokensIn: 0, tokensOut: 0, costUsd: 0 },
      });
      expect('because' in outcome && outcome.because).toContain(`${format.id} cannot be reached`);
    });

    it(`is not asked a second time when it refuses: ${format.name} [R3-SHOW-WIRE]`, async () => {
      const at = await provider(format, [
        ...TURNS.slice(0, 1),
        { refuse: { status: 403, message: 'No credit left.' } },
      ]);
      const { outcome } = await (await stage([at], { streaming: false })).start();
      expect(outcome).toMatchObject({
        stop: 'failed',
        failure: { code: 'MODEL_REJECTED', retryable: false },
        partial: { termination: 'error', toolsUsed: ['read_file', 'add'] },
      });
      expect('because' in outcome && outcome.because).toMatch(/403.*No credit left\./);
      expectConversations(at.server.requests, [0, 1], format);
    });
  }
});

/** Two turns go well, then nothing does. What the loop had written is taken back. */
async function downForGood(format: SpokenFormat, trouble: Trouble, streaming: boolean): Promise<void> {
  let on: WireStage | undefined;
  const at = await provider(format, (_request, n) => {
    const turn = TURNS[n - 1];
    if (turn !== undefined && n <= 2) return turn;
    if (trouble.hangs === true) on?.pass(TIMEOUT_MS);
    return trouble.spoilt();
  });
  on = await stage([at], { streaming });
  const run = await on.start({ tokensOut: 100_000 });

  expect(run.outcome).toMatchObject({
    stop: 'failed',
    partial: { termination: 'error', iterations: 5, toolCalls: 3 },
    rollback: { success: true, entries: [{ name: 'write_file', status: 'COMPENSATED' }] },
  });
  const because = 'because' in run.outcome ? run.outcome.because : '';
  expect(because).toContain(format.id.split('/')[0]);
  expect(because).toMatch(/gave no answer in 2 tries|is not called for another/);
  expect(run.library.written('answer.txt')).toBeUndefined();
  expect(run.library.written('void.txt')).toBeUndefined();
  for (const { spent, reply } of billsOf(run).slice(2)) {
    expect(reply).toBeUndefined();
    expect((spent.tokensOut ?? 0) > 0).toBe(trouble.mayHaveCost);
  }
  // three calls of two tries each, unless the circuit opens after five failures
  const tries = run.events.filter(({ type }) => type === 'attempt-start').length;
  expect(tries).toBe(2 + (trouble.isOutage ? 5 : 6));
  const turns = at.server.requests.map(({ messages }) => messages.length);
  expect(turns.slice(0, 3)).toEqual([2, 5, 7]);
  expect(new Set(turns.slice(2))).toEqual(new Set([7]));
}
