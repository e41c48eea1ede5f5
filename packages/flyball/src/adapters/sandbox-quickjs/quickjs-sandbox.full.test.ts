import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { CodeJob } from '../../ports/code-sandbox.js';
import { quickJsSandbox } from './index.js';
import { readWorkerLine } from './worker-lines.js';

const evaluate = (code: string, more: Partial<CodeJob> = {}, signal = new AbortController().signal) =>
  quickJsSandbox().evaluate({ code, ...more }, { signal });
const endOf = async (code: string, more: Partial<CodeJob> = {}) => (await evaluate(code, more)).end;

/** Processes of this test that evaluate. */
function workers(): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid,ppid,stat,args'], { encoding: 'utf8' }).split('\n');
  const own = lines.map((line) => line.trim().split(/\s+/)).filter(([, parent]) => Number(parent) === process.pid);
  return own
    .filter((words) => words.some((word) => word.includes('sandbox-quickjs/worker')))
    .map(([pid]) => Number(pid));
}

describe('code in QuickJS', () => {
  it('reads JSON and gives JSON back [R3-SANDBOX-QUICKJS]', async () => {
    const input = { 'ü"\\\u2028': [1, null, { deep: '😀' }] };
    expect(await endOf('return { got: input, n: 0.1 + 0.2 }', { input })).toEqual({
      how: 'value',
      value: { got: input, n: 0.1 + 0.2 },
    });
    expect(await endOf('return input')).toEqual({ how: 'value', value: null });
  });

  it('logs, and says what it threw and where', async () => {
    const { end, logs } = await evaluate(
      'console.log("a", { b: [1] }, undefined);\nconsole.error(new Error("x"));\nnull.f',
    );
    expect(logs).toEqual(['a {"b":[1]} undefined', 'Error: x']);
    expect(end).toMatchObject({ how: 'error', name: 'TypeError', stack: expect.stringContaining('code.js:4') });
  });

  it('calls what it was given, several at once, and sees their failures', async () => {
    const functions = {
      slow: async (value: unknown) => ({ back: value }),
      fails: () => {
        throw new Error('not today');
      },
    };
    const code = `const all = await Promise.all([1, 2, 3].map((n) => slow(n)));
      let seen; try { await fails(1); } catch (error) { seen = error.message; }
      return { all, seen };`;
    expect(await endOf(code, { functions })).toEqual({
      how: 'value',
      value: { all: [{ back: 1 }, { back: 2 }, { back: 3 }], seen: 'not today' },
    });
  });

  it('reads the time and the random numbers that a repeatable job gives, and no others [R11-N11-CLOCK]', async () => {
    const code = `const one = [Date.now(), new Date().toISOString(), Date(), new Date(0).getTimezoneOffset(), typeof performance];
      const chance = [Math.random(), Math.random()];
      await tick(0);
      const { constructor: Other } = new Date();
      return { one, chance, two: Other.now() };`;
    const job = (seed: number) => ({
      functions: { tick: () => 0 },
      repeatable: { now: (answered: number) => Date.UTC(2026, 0, 1) + answered * 60_000, seed },
    });
    const first = await endOf(code, job(7));
    expect(first).toMatchObject({
      value: {
        one: [
          Date.UTC(2026, 0, 1),
          '2026-01-01T00:00:00.000Z',
          expect.stringContaining('Thu Jan 01 2026 00:00:00 GMT+0000'),
          0,
          'undefined',
        ],
        two: Date.UTC(2026, 0, 1) + 60_000,
      },
    });
    expect(await endOf(code, job(7))).toEqual(first);
    expect(await endOf(code, job(8))).not.toEqual(first);
  });

  it('hears the answers of a repeatable job in the order of its calls, one after the other [R11-N11-CLOCK]', async () => {
    const functions = {
      ask: async (n: unknown) => {
        if (n === 1) await new Promise((resolve) => setTimeout(resolve, 100));
        return n;
      },
    };
    const code = `const heard = [];
      const hears = async (n) => { heard.push(await ask(n)); heard.push(await ask(n * 10)); };
      await Promise.all([hears(1), hears(2), hears(3)]);
      return heard;`;
    const repeatable = { now: () => 0, seed: 0 };
    expect(await endOf(code, { functions, repeatable })).toEqual({ how: 'value', value: [1, 2, 3, 10, 20, 30] });
  });

  it('waits for a function no longer than it may run', async () => {
    const functions = { never: () => new Promise(() => undefined) };
    expect(await endOf('await never(1)', { functions, limits: { wallMs: 300 } })).toEqual({
      how: 'limit',
      limit: 'wallMs',
      allowed: 300,
    });
  });

  it('is interrupted in time to tell what it logged', async () => {
    const { end, logs } = await evaluate('console.log("before"); for (;;);', { limits: { wallMs: 300 } });
    expect(end).toEqual({ how: 'limit', limit: 'wallMs', allowed: 300 });
    expect(logs).toEqual(['before']);
  });

  it('is killed where the sandbox itself answers no more', async () => {
    const freeze = () => {
      for (const pid of workers()) process.kill(pid, 'SIGSTOP');
    };
    const { end } = await evaluate('await freeze(1)', { functions: { freeze }, limits: { wallMs: 300 } });
    expect(end).toEqual({ how: 'limit', limit: 'wallMs', allowed: 300 });
    await expect.poll(workers).toEqual([]);
  });

  it('starts from nothing every time [R3-SANDBOX-FRESH]', async () => {
    await evaluate('globalThis.planted = 1; Array.prototype.planted = 1');
    expect(await endOf('return [typeof planted, typeof [].planted]')).toEqual({
      how: 'value',
      value: ['undefined', 'undefined'],
    });
  });

  it('ends with its call, and leaves no process behind', async () => {
    const stop = new AbortController();
    const functions = { started: () => stop.abort() };
    expect((await evaluate('await started(1); for (;;);', { functions }, stop.signal)).end).toEqual({ how: 'aborted' });
    expect((await evaluate('return 1', {}, AbortSignal.abort())).end).toEqual({ how: 'aborted' });
    await expect.poll(workers).toEqual([]);
  });

  it('is bounded exactly: what fits into a larger memory does not fit into a smaller one', async () => {
    const code = 'return new Uint8Array(40 * 1024 * 1024).length';
    expect(await endOf(code, { limits: { memoryMb: 96 } })).toEqual({ how: 'value', value: 40 * 1024 * 1024 });
    expect(await endOf(code, { limits: { memoryMb: 32 } })).toEqual({ how: 'limit', limit: 'memoryMb', allowed: 32 });
  });

  it('names the packages to install where QuickJS is missing', async () => {
    const missing = quickJsSandbox({ variant: '@jitl/no-such-build' }).evaluate(
      { code: '1' },
      { signal: new AbortController().signal },
    );
    await expect(missing).rejects.toMatchObject({
      code: 'SANDBOX_MISSING',
      message: expect.stringContaining('npm install quickjs-emscripten-core @jitl/no-such-build'),
    });
  });

  it.each([
    [{ limits: { memoryMb: 1 } }, /at least 16 MB/],
    [{ limits: { wallMs: 0 } }, /wallMs must be above 0/],
    [{ functions: { 'a b': () => 1 } }, /not a valid JavaScript function name/],
    [{ input: 1n }, /not JSON/],
  ])('refuses the job %#', async (more, message) => {
    await expect(evaluate('return 1', more)).rejects.toThrow(message);
  });
});

describe('a line of the worker', () => {
  it.each([
    '',
    'x',
    '[]',
    'null',
    '{}',
    '{"type":"end"}',
    '{"type":"end","end":{"how":"value"}}',
    '{"type":"call","id":"1"}',
    '{"type":"end","end":{"how":"limit","limit":"luck"}}',
  ])('is not believed: %s', (line) => expect(readWorkerLine(line)).toBeUndefined());
});
