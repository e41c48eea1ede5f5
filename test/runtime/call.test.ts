import { changed, done, type Outcome, type Run, type Tool, type ToolRef } from 'flyball';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { moving, RUN } from './stage.js';

const add: Tool<{ readonly a: number; readonly b: number }, number> = {
  name: 'add',
  description: 'Adds.',
  effect: 'pure',
  input: z.object({ a: z.coerce.number(), b: z.number().default(10) }) as never,
  execute: async ({ a, b }) => a + b,
};

async function observed(tool: Tool<never, unknown>, args: unknown): Promise<unknown> {
  const outcome = await moving()
    .open(async (run: Run) => done(await run.call(tool, args)))
    .start();
  return (outcome as { readonly value: unknown }).value;
}

describe('a tool call', () => {
  it('gives the value to the code and a text to the model [R2-RUN-CALL]', async () => {
    expect(await observed(add as never, { a: 1, b: 2 })).toEqual({ ok: true, content: '3', value: 3 });
    expect(await observed({ ...add, present: (sum: number) => `The sum is ${sum}.` } as never, { a: 1, b: 2 })).toEqual(
      { ok: true, content: 'The sum is 3.', value: 3 },
    );
    expect(
      await observed({ name: 'read', description: '', effect: 'pure', execute: async () => 'plain text' } as never, {}),
    ).toEqual({ ok: true, content: 'plain text', value: 'plain text' });
  });

  it('gets its arguments as the schema returns them [R2-RUN-CALL]', async () => {
    expect(await observed(add as never, { a: '5' })).toMatchObject({ ok: true, value: 15 });
  });

  it('with invalid arguments is an observation, not an exception [R2-RUN-CALL] [R2-BAD-TYPE]', async () => {
    const stage = moving();
    let executed = 0;
    const tool = { ...add, execute: async () => ++executed };
    const outcome = await stage.open(async (run: Run) => done(await run.call(tool, { a: 'x', b: 'y' }))).start();
    expect(outcome).toMatchObject({
      stop: 'done',
      value: {
        ok: false,
        content: expect.stringMatching(/add failed: invalid arguments: .*a: /),
        failure: { code: 'INPUT_INVALID' },
      },
      usage: { toolCalls: 1 },
    });
    expect(executed).toBe(0);
    expect(await stage.events('guard-refused')).toMatchObject([{ seam: 'schema' }]);
  });

  it('that fails is an observation, and a retry or a substitute goes on [R2-FAILURE-TOOL] [R2-RUN-CALL]', async () => {
    let tries = 0;
    const flaky: Tool<null, string> = {
      name: 'flaky',
      description: '',
      effect: 'idempotent',
      retry: { retries: 0 },
      execute: async () => {
        tries++;
        if (tries === 1) throw Object.assign(new Error('timeout'), { retryable: true });
        throw new Error('gone for good');
      },
    };
    const substitute: Tool<null, string> = {
      name: 'substitute',
      description: '',
      effect: 'pure',
      execute: async () => 'from the mirror',
    };
    const outcome = await moving()
      .open(async (run: Run) => {
        const seen: string[] = [];
        let result = await run.call(flaky, null);
        seen.push(result.content);
        if (!result.ok && result.failure.retryable) {
          result = await run.call(flaky, null);
          seen.push(result.content);
        }
        if (!result.ok) result = await run.call(substitute, null);
        return done([...seen, result.content]);
      })
      .start();
    expect(outcome).toMatchObject({
      stop: 'done',
      value: ['flaky failed: timeout', 'flaky failed: gone for good', 'from the mirror'],
      usage: { toolCalls: 3 },
    });
  });

  it('is timed out by its own limit', async () => {
    expect(
      await observed(
        {
          name: 'slow',
          description: '',
          effect: { class: 'idempotent', timeoutMs: 500 },
          execute: () => new Promise(() => {}),
        } as never,
        null,
      ),
    ).toMatchObject({ ok: false, failure: { code: 'EFFECT_TIMEOUT', retryable: true } });
  });

  it('reports what it really changed', async () => {
    const outcome = await moving()
      .open(async (run: Run) =>
        done(
          await run.call(
            {
              name: 'edit',
              description: '',
              effect: 'idempotent',
              execute: async () => changed('ok', { filesChanged: 2, linesChanged: 30 }),
            },
            null,
          ),
        ),
      )
      .start();
    expect(outcome).toMatchObject({
      value: { ok: true, content: 'ok', value: 'ok' },
      usage: { toolCalls: 1, filesChanged: 2, linesChanged: 30 },
    });
  });

  it('is answered from the journal afterwards [R2-RUN-CALL]', async () => {
    const stage = moving();
    let executed = 0;
    const tool: Tool<null, number> = {
      name: 'count',
      description: '',
      effect: 'pure',
      execute: async () => ++executed,
    };
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const result = await run.call(tool, null);
      await run.wait({ name: 'go' });
      return done(result);
    };
    const life = stage.open(agent);
    await life.start();
    life.die();
    const second = stage.open(agent);
    await second.runtime.signal(RUN, 'go');
    expect(await second.resume()).toMatchObject({ value: { ok: true, value: 1 } });
    expect(executed).toBe(1);
  });

  it('of no value presents null', async () => {
    expect(
      await observed({ name: 'void', description: '', effect: 'pure', execute: async () => undefined } as never, null),
    ).toMatchObject({ ok: true, content: 'null' });
  });
});

describe('a step', () => {
  it('makes any other effect under a declared class, with a stable key [R2-RUN-STEP]', async () => {
    const stage = moving();
    let executed = 0;
    const keys: string[] = [];
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const value = await run.step(
        'send',
        { to: 'ada' },
        (input, { key, signal }) => {
          executed++;
          keys.push(key);
          return { ...input, aborted: signal.aborted };
        },
        'idempotent',
      );
      await run.wait({ name: 'go' });
      return done(value);
    };
    const life = stage.open(agent);
    await life.start();
    life.die();
    const second = stage.open(agent);
    await second.runtime.signal(RUN, 'go');
    expect(await second.resume()).toMatchObject({ value: { to: 'ada', aborted: false } });
    expect(executed).toBe(1);
    expect(keys).toEqual(['run:0:#0']);
  });
});

describe('a tool whose reservation stumbles over the arguments', () => {
  it('is refused by its schema as an observation, and the run goes on [R3-TOOL-REGISTRY]', async () => {
    const write: Tool<{ readonly lines: readonly string[] }, string> = {
      name: 'write',
      description: 'Writes lines.',
      effect: 'idempotent',
      input: {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: (value) =>
            Array.isArray((value as { lines?: unknown }).lines)
              ? { value }
              : { issues: [{ message: 'lines must be a list' }] },
        },
      },
      reserve: ({ lines }) => ({ linesChanged: lines.length }),
      execute: async () => 'written',
    };
    const outcome = await moving()
      .open(async (run: Run) =>
        done([await run.call(write as ToolRef, {}), (await run.call(write, { lines: ['a'] })).content]),
      )
      .start();
    expect(outcome).toMatchObject({
      stop: 'done',
      value: [
        { ok: false, failure: { code: 'INPUT_INVALID', message: expect.stringContaining('lines must be a list') } },
        'written',
      ],
    });
  });

  it('is refused for sound arguments too: a bound that cannot be worked out must not be lifted [R3-TOOL-REGISTRY]', async () => {
    let executed = 0;
    const broken: Tool<null, string> = {
      name: 'broken',
      description: 'Cannot say what it changes.',
      effect: 'idempotent',
      reserve: () => {
        throw new Error('no idea');
      },
      execute: async () => {
        executed++;
        return 'done';
      },
    };
    const outcome = await moving()
      .open(async (run: Run) => done(await run.call(broken, null)))
      .start();
    expect(outcome).toMatchObject({ value: { ok: false, failure: { message: expect.stringContaining('no idea') } } });
    expect(executed).toBe(0);
  });
});
