import { done, type Engine, FlyballError, memoryEngine, type Run, type Tool } from 'flyball';
import { autoClock, turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { eventsOf, moving, Stage, still } from './stage.js';

/** How patiently a tool is tried, over the real runtime and a clock that tests move. */

const transient = (): Error => Object.assign(new Error('no route'), { code: 'ECONNRESET' });

function flaky(effect: Tool['effect'], failures: number, rules: Partial<Tool<null, string>> = {}) {
  const keys: string[] = [];
  const tool: Tool<null, string> = {
    name: 'flaky',
    description: 'Fails a few times.',
    effect: effect as Tool<null, string>['effect'],
    ...rules,
    execute: async (_args, { key }) => {
      keys.push(key);
      if (keys.length <= failures) throw transient();
      return 'there';
    },
  };
  return { tool, keys };
}

describe('a call that fails in a way that may pass', () => {
  it.each(['pure', 'idempotent'] as const)(
    'is made again under the same key when it is %s [R3-INVOKE-RETRY]',
    async (effect) => {
      const stage = moving();
      const { tool, keys } = flaky(effect, 2);
      const outcome = await stage.open(async (run: Run) => done((await run.call(tool, null)).content)).start();
      expect(outcome).toMatchObject({ stop: 'done', value: 'there', usage: { toolCalls: 1 } });
      expect(keys).toHaveLength(3);
      expect(new Set(keys).size).toBe(1);
      expect(await stage.events('retry')).toMatchObject([
        { name: 'flaky', retry: 1, failure: { originalCode: 'ECONNRESET' } },
        { name: 'flaky', retry: 2 },
      ]);
    },
  );

  it('waits min(b_max, b0·2^r + U(0, j_max)) before each try [R3-INVOKE-RETRY]', async () => {
    const stage = moving();
    const { tool } = flaky('pure', 4, { retry: { retries: 4, baseDelayMs: 100, maxDelayMs: 500, jitterMs: 50 } });
    await stage.open(async (run: Run) => done((await run.call(tool, null)).content)).start();
    const delays = (await stage.events('retry')).map(({ delayMs }) => delayMs);
    expect(delays).toHaveLength(4);
    for (const [retry, delay] of delays.slice(0, 2).entries()) {
      expect(delay).toBeGreaterThanOrEqual(100 * 2 ** retry);
      expect(delay).toBeLessThan(100 * 2 ** retry + 50);
    }
    expect(delays[3]).toBe(500);
    expect(new Set(delays.slice(0, 2).map((delay, retry) => delay - 100 * 2 ** retry)).size).toBe(2); // jitter differs
  });

  it('is an observation once its retries are used up [R3-INVOKE-RETRY]', async () => {
    const { tool, keys } = flaky('pure', 9, { retry: { retries: 1 } });
    const outcome = await moving()
      .open(async (run: Run) => done(await run.call(tool, null)))
      .start();
    expect(outcome).toMatchObject({ value: { ok: false, failure: { originalCode: 'ECONNRESET' } } });
    expect(keys).toHaveLength(2);
  });

  it('is never made again by itself when it is undoable: it is in doubt, because it may have happened [R3-INVOKE-RETRY] [R3-INVOKE-DOUBT]', async () => {
    const stage = moving();
    const undoable = flaky({ class: 'undoable', compensate: async () => undefined } as never, 1);
    const life = stage.open(async (run: Run) => done(await run.call(undoable.tool, null)));
    expect(await life.start()).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'doubt' }] });
    expect(undoable.keys).toHaveLength(1);
  });

  it('did not happen when it never got as far as the other side [R3-INVOKE-DOUBT]', async () => {
    const refused: Tool<null, string> = {
      name: 'send',
      description: 'Sends.',
      effect: { class: 'undoable', compensate: async () => undefined },
      execute: async () => {
        throw Object.assign(new Error('nobody listens'), { code: 'ECONNREFUSED' });
      },
    };
    const outcome = await moving()
      .open(async (run: Run) => done(await run.call(refused, null)))
      .start();
    expect(outcome).toMatchObject({ stop: 'done', value: { ok: false, failure: { originalCode: 'ECONNREFUSED' } } });
  });

  it('that may have happened waits for a person when nothing proves otherwise [R3-INVOKE-DOUBT]', async () => {
    const stage = moving();
    let made = 0;
    const send: Tool<null, string> = {
      name: 'send',
      description: 'Sends a message.',
      effect: { class: 'undoable', compensate: async () => undefined },
      timeoutMs: 1000,
      execute: async () => {
        made++;
        return new Promise<string>(() => undefined);
      },
    };
    const life = stage.open(async (run: Run) => done(await run.call(send, null)));
    const outcome = await life.start();
    expect(outcome).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'doubt' }] });
    expect(made).toBe(1);
  });

  it('is not tried again for mistakes that stay mistakes [R3-INVOKE-RETRY]', async () => {
    let made = 0;
    const tool: Tool<null, string> = {
      name: 'strict',
      description: 'Refuses.',
      effect: 'pure',
      execute: async () => {
        made++;
        throw new FlyballError('INPUT_INVALID', 'no such column');
      },
    };
    await moving()
      .open(async (run: Run) => done(await run.call(tool, null)))
      .start();
    expect(made).toBe(1);
  });
});

describe('the time of a call', () => {
  it('ends it after 60 s where nobody says otherwise, each try on its own [R3-INVOKE-TIMEOUT]', async () => {
    const stage = moving();
    const hang: Tool<null, string> = {
      name: 'hang',
      description: 'Hangs.',
      effect: 'pure',
      retry: { retries: 1, baseDelayMs: 10, jitterMs: 0 },
      execute: () => new Promise<string>(() => undefined),
    };
    const began = stage.clock.now();
    const outcome = await stage.open(async (run: Run) => done(await run.call(hang, null))).start(null, { wallMs: 1e9 });
    expect(outcome).toMatchObject({ value: { ok: false, failure: { code: 'EFFECT_TIMEOUT' } } });
    expect(stage.clock.now() - began).toBeGreaterThanOrEqual(120_010);
  });

  it('is the one that the tool names [R3-INVOKE-TIMEOUT]', async () => {
    const stage = moving();
    const hang: Tool<null, string> = {
      name: 'hang',
      description: 'Hangs.',
      effect: 'pure',
      timeoutMs: 50,
      retry: { retries: 0 },
      execute: () => new Promise<string>(() => undefined),
    };
    const began = stage.clock.now();
    const outcome = await stage.open(async (run: Run) => done(await run.call(hang, null))).start();
    expect(outcome).toMatchObject({ value: { ok: false, failure: { message: 'It did not end within 50 ms.' } } });
    expect(stage.clock.now() - began).toBeLessThan(1000);
  });

  it('is over at once when the run is cancelled between two tries', async () => {
    const stage = still();
    const { tool, keys } = flaky('pure', 9, { retry: { retries: 5, baseDelayMs: 60_000, maxDelayMs: 60_000 } });
    const life = stage.open(async (run: Run) => done(await run.call(tool, null)));
    const ended = life.start();
    await expect.poll(() => keys.length).toBe(1);
    await life.runtime.cancel('run', { by: 'test', why: 'enough' });
    expect(await ended).toMatchObject({ stop: 'cancelled' });
    expect(keys).toHaveLength(1);
  });
});

describe('the circuit breaker of a tool', () => {
  const policy = { retries: 0, breaker: { failures: 2, openMs: 10_000 } };

  it('opens after failures in a row, lets one trial through later, and closes on success [R3-INVOKE-BREAKER]', async () => {
    const stage = moving();
    const { tool, keys } = flaky('pure', 3, { retry: policy });
    const outcome = await stage
      .open(
        async (run: Run) => {
          const seen: string[] = [];
          const call = async (): Promise<void> => {
            const result = await run.call(tool, null);
            seen.push(result.ok ? result.content : result.failure.code);
          };
          for (let n = 0; n < 4; n++) await call(); // two failures open it, two calls are refused
          await run.sleep(10_000);
          await call(); // the trial fails: open again
          await call();
          await run.sleep(10_000);
          await call(); // the trial succeeds: closed
          await call();
          return done(seen);
        },
        { options: { suspendAfterMs: 1e9 } },
      )
      .start(null, { noProgress: 100 });
    expect(outcome).toMatchObject({
      value: [
        'EFFECT_FAILED',
        'EFFECT_FAILED',
        'CIRCUIT_OPEN',
        'CIRCUIT_OPEN',
        'EFFECT_FAILED',
        'CIRCUIT_OPEN',
        'there',
        'there',
      ],
    });
    expect(keys).toHaveLength(5);
    expect(eventsOf(await stage.entries(), 'operator-alert')).toMatchObject([
      { alert: 'circuit-open' },
      { alert: 'circuit-open' },
    ]);
  });

  it('writes no INTENT while it is open, and belongs to one tool only [R3-INVOKE-BREAKER]', async () => {
    const stage = moving();
    const broken = flaky('idempotent', 99, { retry: policy });
    const other: Tool<null, string> = {
      name: 'other',
      description: '',
      effect: 'idempotent',
      execute: async () => 'fine',
    };
    const outcome = await stage
      .open(async (run: Run) => {
        for (let n = 0; n < 3; n++) await run.call(broken.tool, null);
        return done((await run.call(other, null)).content);
      })
      .start();
    expect(outcome).toMatchObject({ value: 'fine' });
    expect((await stage.events('intent')).map(({ name }) => name)).toEqual(['flaky', 'flaky', 'other']);
  });

  it('is asked before a person is: nobody approves what would not be tried [R3-INVOKE-BREAKER]', async () => {
    const stage = { stage: moving(), asks: false };
    const { tool } = flaky('pure', 99, { retry: policy });
    const seams = {
      'tool.pre': [
        () =>
          async ({ args }: { readonly args: unknown }) => ({
            allow: true as const,
            args,
            ...(stage.asks ? { approval: 'asked' } : {}),
          }),
      ],
    };
    const outcome = await stage.stage
      .open(
        async (run: Run) => {
          for (let n = 0; n < 2; n++) await run.call(tool, null);
          stage.asks = true;
          return done(await run.call(tool, null));
        },
        { seams },
      )
      .start();
    expect(outcome).toMatchObject({ stop: 'done', value: { ok: false, failure: { code: 'CIRCUIT_OPEN' } } });
  });

  it('is not left half-open by a trial that was cancelled before it began [R3-INVOKE-BREAKER]', async () => {
    const inner = memoryEngine();
    const engine: Engine = {
      ...inner,
      // that the trial's INTENT is durable is told only after its branch has lost the race
      append: async (claim, batch) => {
        await inner.append(claim, batch);
        if (batch.entries.some(({ body }) => body.includes('"intent"') && body.includes('/'))) await turns(20);
      },
    };
    const stage = new Stage(autoClock(), engine);
    const { tool } = flaky('idempotent', 2, { retry: policy });
    const outcome = await stage
      .open(
        async (run: Run) => {
          for (let n = 0; n < 2; n++) await run.call(tool, null); // open
          await run.sleep(10_000);
          await run.first([
            async (branch) => branch.call(tool, null).then(() => new Promise<never>(() => undefined)),
            async (branch) => branch.step('quick', null, () => 'won', 'pure'),
          ]);
          return done((await run.call(tool, null)).content);
        },
        { options: { suspendAfterMs: 1e9 } },
      )
      .start(null, { noProgress: 100, wallMs: 1e12 });
    expect(outcome).toMatchObject({ stop: 'done', value: 'there' });
  });
});
