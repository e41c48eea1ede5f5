import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { FORMATS } from './formats.js';
import { TURNS } from './task.js';
import { provider, RUN, stage, type WireStage } from './wire-stage.js';

const never = new Promise<never>(() => undefined);
const STREAM = { text: 'told up to here, and then '.repeat(20), misbehave: 'slow', gate: never } as const;

describe('a tool loop that is cancelled', () => {
  for (const format of FORMATS) {
    it(`in the middle of a stream hangs up, and takes back what it wrote: ${format.name} [R3-SHOW-WIRE]`, async () => {
      const at = await provider(format, [...TURNS.slice(0, 2), STREAM]);
      const on = await stage([at], { streaming: true });
      const ended = on.start();
      await heard(on, 'told');
      expect(on.library.written('answer.txt')).toBeDefined();
      await on.runtime.cancel(RUN, { why: 'changed my mind' });
      expect((await ended).outcome).toMatchObject({
        stop: 'cancelled',
        because: 'changed my mind',
        rollback: { success: true },
      });
      await at.server.abandoned(3);
      expect(on.library.written('answer.txt')).toBeUndefined();
      expect(at.server.requests).toHaveLength(3);
    });

    it(`while it waits for an answer hangs up: ${format.name} [R3-SHOW-WIRE]`, async () => {
      const at = await provider(format, [...TURNS.slice(0, 1), { misbehave: 'hang' }]);
      const on = await stage([at], { streaming: false });
      const ended = on.start();
      await at.server.reached(2);
      await on.runtime.cancel(RUN, { why: 'changed my mind' });
      expect((await ended).outcome).toMatchObject({ stop: 'cancelled' });
      await at.server.abandoned(2);
    });

    it(`while it waits to try again does not try again: ${format.name} [R3-SHOW-WIRE]`, async () => {
      const at = await provider(format, [{ misbehave: '503', retryAfter: 20 }, ...TURNS]);
      const on = await stage([at], { streaming: true, waits: 'by hand' });
      const ended = on.start();
      await on.next('retry-wait');
      await on.runtime.cancel(RUN, { why: 'changed my mind' });
      expect((await ended).outcome).toMatchObject({ stop: 'cancelled' });
      on.pass(60_000);
      await turns(20);
      expect(at.server.requests).toHaveLength(1);
    });
  }
});

/** Resolves once a piece with this text has arrived. */
async function heard({ runtime }: WireStage, text: string): Promise<void> {
  await new Promise<void>((resolve) => {
    runtime.subscribeDeltas((_run, _effect, _attempt, delta) => {
      if (delta.type === 'text' && delta.text.includes(text)) resolve();
    });
  });
}
