import { type Agent, done, type Run, type Tool } from 'flyball';
import { type ErrorDigest, errorDigest, useOf } from 'flyball/patterns';
import { describe, expect, it } from 'vitest';
import { answer, at, eventsOf, moving, RUN } from '../../../../../test/runtime/stage.js';

const dial: Tool<{ port: number | 'up' }, string> = {
  name: 'dial',
  description: 'Connects to a port. Not for addresses.',
  effect: 'idempotent',
  retry: { retries: 0, breaker: { failures: 1000, openMs: 1 } },
  execute: async ({ port }) => {
    if (port === 'up') return 'connected';
    const error = new Error(
      `connect ECONNREFUSED 127.0.0.1:${port}\n    at Socket.connect (node:net:1:1)\n${'dump '.repeat(100)}`,
    );
    throw Object.assign(error, { retryable: false });
  },
};
const read: Tool<{ file: string }, string> = {
  ...dial,
  name: 'read',
  execute: async ({ file }: { file: string }) => {
    throw Object.assign(new Error(`${file}.ts(3,5): error TS2322`), { retryable: false });
  },
} as unknown as Tool<{ file: string }, string>;

const calling =
  (digest: ErrorDigest, calls: readonly ((run: Run) => Promise<unknown>)[]): Agent<null, unknown> =>
  async (run) => {
    const guarded = run.guarded(digest.guard(run));
    for (const call of calls) await call(guarded);
    return done(digest.text(run));
  };
const dials = (...ports: readonly (number | 'up')[]) => ports.map((port) => (run: Run) => run.call(dial, { port }));

describe('errorDigest', () => {
  it('shows one counted line for each class, with its cause, and no stack [V11.2] [V11.3] [V11.4] [V11.7]', async () => {
    const agent = calling(errorDigest({ maxConsecutive: 9 }), [
      ...dials(4711, 4712),
      (run) => run.call(read, { file: 'a' }),
      ...dials(4713),
      (run) => run.call(read, { file: 'b' }),
    ]);
    const stage = moving();
    const outcome = await stage.open(agent as never).start();
    expect(outcome).toMatchObject({
      stop: 'done',
      value: [
        'dial: EFFECT_FAILED: connect ECONNREFUSED 127.0.0.1:4711 (×3)',
        'read: EFFECT_FAILED: a.ts(3,5): error TS2322',
        'read: EFFECT_FAILED: b.ts(3,5): error TS2322',
      ].join('\n'),
    });
    const raw = (await stage.events('abort')).map(({ failure }) => failure.message);
    expect(raw.filter((message) => message.includes('node:net') && message.includes('dump dump'))).toHaveLength(3);
  });

  it('keeps the whole error in the journal before anybody reads a digest [V11.1]', async () => {
    const digest = errorDigest();
    const agent: Agent<null, unknown> = async (run) => {
      await run.call(dial, { port: 1 });
      run.note({ kind: 'digest', text: digest.text(run) });
      return done(null);
    };
    const stage = moving();
    await stage.open(agent as never).start();
    const events = (await stage.entries()).map(({ event }) => event);
    const failed = events.findIndex((event) => event.type === 'abort' && event.failure.message.includes('dump dump'));
    const read = events.findIndex((event) => event.type === 'note' && event.event.kind === 'digest');
    expect(failed).toBeGreaterThan(0);
    expect(failed).toBeLessThan(read);
  });

  it('has a person agree before a fourth try, across a crash too [V11.5]', async () => {
    const agent = calling(errorDigest({ maxConsecutive: 3 }), dials(1, 2, 3, 4));
    const stage = moving();
    await stage.crashed(agent as never, at('after', 'intent', 3));
    const life = stage.open(agent as never);
    expect(await life.resume()).toMatchObject({ stop: 'suspended' });
    const [asked] = eventsOf(await stage.entries(), 'wait-start');
    expect(asked?.request).toMatchObject({
      why: expect.stringContaining('dial failed 3 times in a row in the same way') as string,
    });
    await answer(life.runtime, RUN, asked?.name ?? '', { verdict: 'approve' });
    expect(await life.resume()).toMatchObject({ stop: 'done', value: expect.stringContaining('(×4)') as string });
  });

  it('starts the row anew after a success, and not the total [V11.6]', async () => {
    const calls = dials(1, 2, 'up', 3, 4, 'up', 5);
    const outcome = await moving()
      .open(calling(errorDigest({ maxConsecutive: 3, maxTotal: 5 }), calls) as never)
      .start();
    expect(outcome).toMatchObject({ stop: 'done', value: expect.stringContaining('(×5)') as string });
    const stage = moving();
    const more = [...calls, ...dials('up')];
    expect(
      await stage.open(calling(errorDigest({ maxConsecutive: 3, maxTotal: 5 }), more) as never).start(),
    ).toMatchObject({ stop: 'done' });
    expect(await stage.events('guard-decision')).toMatchObject([
      { guard: 'errorDigest', verdict: 'denied', why: expect.stringContaining('5 calls have failed') as string },
    ]);
  });

  it('says what it holds to, and makes no model call [R11-PATTERN-USE]', () => {
    expect(useOf(errorDigest())).toMatchObject({
      id: 'V11',
      params: { maxConsecutive: 3, maxTotal: 20 },
      predicted: { min: 0, max: 0 },
    });
    expect(() => errorDigest({ maxConsecutive: 0 })).toThrow('errorDigest (V11) needs maxConsecutive');
  });
});
