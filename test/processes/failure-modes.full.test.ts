import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Agent,
  budget,
  type Clock,
  createRuntime,
  done,
  type FlyballError,
  type Run,
  type Runtime,
  type Session,
  systemClock,
  type Tool,
} from 'flyball';
import { type SqliteEngine, sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { autoClock, scriptedModel } from 'flyball/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CreateRuntime } from '../../packages/flyball/src/create-runtime.js';
import { type Desk, eventsOf, newDesk } from './desk.js';
import { killAll, remote } from './remote.js';

/** The table of failure modes of a long-running loop, row by row, on a real file: what goes wrong, and how a run goes on. */

const PRICES = { 'scripted/model': { input: 1, output: 1 }, 'scripted/substitute': { input: 1, output: 1 } };
const RUN = 'run';

let folder: string;
const closing: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flyball-failures-'));
});
afterEach(async () => {
  killAll();
  for (const close of closing.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
});

/** A process's worth of runtime on the file; a later one over the same file is the process after it. */
async function life(
  agent: Agent<never, unknown>,
  parts: Partial<CreateRuntime> & { readonly path?: string } = {},
): Promise<Runtime & { readonly engine: SqliteEngine }> {
  const { path = join(folder, 'runs.db'), options, ...others } = parts;
  const engine = await sqliteEngine({ path, pollMs: 10 });
  const runtime = createRuntime({
    engine,
    agents: { agent },
    prices: PRICES,
    options: { worker: false, ...options },
    ...others,
  });
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    await runtime.close({ drainMs: 100 });
    await engine.close();
  };
  closing.push(close);
  return { ...runtime, engine, close };
}

describe('process crash', () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = await newDesk();
    closing.push(() => desk.close());
  });

  it.each(['SIGKILL', 'SIGSEGV', 'uncaught'] as const)(
    '%s: the next process goes on where the journal ends [R2-FAILURE-CRASH]',
    async (how) => {
      const doomed = remote();
      await doomed.open({ path: desk.path });
      doomed.start('stumble', { mark: join(desk.folder, how), how }, { id: RUN }).catch(() => undefined);
      expect(await doomed.exited).toBe(how === 'uncaught' ? 1 : how);
      const next = remote();
      await next.open({ path: desk.path });
      await desk.rests(RUN, 'done');
      expect(await desk.runtime.handle(RUN).outcome()).toMatchObject({ stop: 'done', value: 'walked on' });
      const intents = await desk.events(RUN, 'intent');
      expect(intents.map(({ name }) => name)).toEqual(['before', 'stumble', 'stumble']); // what was done before is not repeated
    },
  );
});

describe('timeout', () => {
  const places = ['pure', 'idempotent', 'undoable', 'in a child'] as const;
  it.each(places)(
    'a run over its time is bounded with work in flight (%s), and resumes with an extended budget [R2-FAILURE-TIMEOUT]',
    async (place) => {
      const clock = autoClock();
      closing.push(() => clock.stop());
      const made: number[] = [];
      const work = (run: Run, n: number) => {
        const rules = {
          verify: async (at: number) =>
            made.includes(at) ? ({ happened: 'yes', result: at } as const) : ({ happened: 'no' } as const),
          compensate: async () => void made.push(-n),
        };
        const kind = place === 'in a child' ? 'idempotent' : place;
        return run.step(
          'work',
          n,
          (at, { signal }) => workFor(clock, signal, () => made.push(at)),
          kind === 'undoable' ? { class: kind, ...rules } : kind,
        );
      };
      const child: Agent<null, number> = async (run) => done(await work(run, 3));
      const agent: Agent<null, unknown> = async (run) => {
        for (const n of [1, 2]) await work(run, n);
        const third =
          place === 'in a child' ? (await run.spawn(child, null, { shared: true })).stop : await work(run, 3);
        await work(run, 4);
        return done(third);
      };
      const runtime = await life(agent, { clock });
      const handle = await runtime.start('agent', null, { id: RUN, budget: budget({ wallMs: 250 }) });
      expect(await handle.outcome()).toMatchObject({ stop: 'bounded', bound: 'wallMs', limit: 250 });
      expect(made).toEqual([1, 2]);
      await expect(runtime.resume(RUN)).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('larger budget'),
      });
      const resumed = await runtime.resume(RUN, { budget: { wallMs: 10_000 } });
      expect(await resumed.outcome()).toMatchObject({ stop: 'done', value: place === 'in a child' ? 'done' : 3 });
      expect(made).toEqual([1, 2, 3, 4]); // each once: what was cut off had not happened
    },
  );

  it('an effect over its time is a failure that the code sees, marked as retryable [R2-FAILURE-TIMEOUT]', async () => {
    const agent: Agent<null, unknown> = async (run) => {
      const look = (name: string, ms: number, timeoutMs: number) =>
        run.step(name, ms, (long) => pause(long, 'seen'), { class: 'pure', timeoutMs });
      const seen = await look('slow', 600_000, 40).catch((error: FlyballError) => [error.code, error.retryable]);
      return done([seen, await look('quick', 0, 600_000)]);
    };
    const runtime = await life(agent);
    const handle = await runtime.start('agent', null, { id: RUN, budget: budget() });
    expect(await handle.outcome()).toMatchObject({ stop: 'done', value: [['EFFECT_TIMEOUT', true], 'seen'] });
  });
});

describe('resource exhaustion', () => {
  it('of tokens: the run is bounded before the call, and goes on when there are more [R2-FAILURE-EXHAUSTION]', async () => {
    const model = scriptedModel({ writer: ['one', 'two', 'three'].map((word) => `${word} and so on`) });
    const writer: Session = { name: 'writer', model, setup: 'You write.', sampling: { maxOutputTokens: 40 } };
    const agent: Agent<null, readonly string[]> = async (run) => {
      const said: string[] = [];
      for (const turn of [1, 2, 3]) said.push((await run.ask(writer, `Turn ${turn}.`)).text);
      return done(said);
    };
    const first = await life(agent);
    const handle = await first.start('agent', null, { id: RUN, budget: budget({ tokensOut: 41 }) });
    expect(await handle.outcome()).toMatchObject({ stop: 'bounded', bound: 'tokensOut' });
    expect(model.requests.length).toBeLessThan(3);
    await first.close();
    const second = await life(agent); // the allowance comes later, and to another process
    const resumed = await second.resume(RUN, { budget: { tokensOut: 1_000 }, by: 'operator' });
    expect(await resumed.outcome()).toMatchObject({
      stop: 'done',
      value: ['one and so on', 'two and so on', 'three and so on'],
    });
    model.assertFinished(); // three calls in all: none was repeated
  });

  it('of a rate limit: the run sleeps without a process and asks again [R2-FAILURE-EXHAUSTION] [R2-FAILURE-MODEL]', async () => {
    const limited = Object.assign(new Error('429: slow down'), { retryable: true });
    const model = scriptedModel({ writer: [limited, 'at last'] });
    const writer: Session = { name: 'writer', model, setup: 'You write.' };
    const agent: Agent<null, string> = async (run) => {
      for (let waitMs = 60_000; ; waitMs *= 2) {
        const reply = await run.ask(writer, 'Write.').catch((error: FlyballError) => {
          if (!error.retryable || waitMs > 200_000) throw error;
        });
        if (reply !== undefined) return done(reply.text);
        await run.sleep(waitMs);
      }
    };
    const first = await life(agent);
    const handle = await first.start('agent', null, { id: RUN, budget: budget() });
    expect(await handle.outcome()).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'sleep' }] });
    await first.close();
    const clock = systemClock();
    const later = { ...clock, now: () => clock.now() + 60_000 }; // when it is time
    const worker = await life(agent, { clock: later, options: { worker: true } });
    expect(await worker.handle(RUN).finished()).toMatchObject({ stop: 'done', value: 'at last' });
    const ends = eventsOf(await worker.entries(RUN), 'ask-end');
    expect(ends.map(({ failure }) => failure?.code)).toEqual(['MODEL_UNAVAILABLE', undefined]);
    model.assertFinished();
  });

  it('of storage: nothing is lost on a full disk, and the run goes on when there is space [R2-FAILURE-EXHAUSTION] [R2-BAD-FULL]', async (test) => {
    const disk = smallDisk(8_192);
    if (disk === undefined) return test.skip('mount was refused');
    const made = new Map<string, number>();
    const agent: Agent<null, number> = async (run) => {
      for (let n = 0; n < 40; n++) {
        await run.step(
          'store',
          n,
          (at, { key }) => {
            made.set(key, (made.get(key) ?? 0) + 1);
            return `${at} `.repeat(4_000);
          },
          {
            class: 'undoable',
            compensate: async () => undefined,
            verify: async (at, { key }) =>
              made.has(key) ? { happened: 'yes', result: `${at} `.repeat(4_000) } : { happened: 'no' },
          },
        );
      }
      return done(made.size);
    };
    const system = systemClock();
    let aheadMs = 0;
    const clock = { ...system, now: () => system.now() + aheadMs };
    const runtime = await life(agent, { path: join(disk, 'runs.db'), clock });
    const ballast = join(disk, 'ballast');
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - 2_000_000)));
    const handle = await runtime.start('agent', null, { id: RUN, budget: budget() });
    await expect(handle.outcome()).rejects.toMatchObject({ code: 'STORAGE_FULL', retryable: true });
    const before = made.size;
    expect(before).toBeGreaterThan(2);
    expect(before).toBeLessThan(40);

    rmSync(ballast);
    aheadMs = 3_600_000; // the deadline of what was in flight has passed
    const outcome = await (await runtime.resume(RUN)).outcome();
    expect(outcome).toMatchObject({ stop: 'done', value: 40 });
    expect([...made.values()].every((times) => times === 1)).toBe(true);
  });
});

describe('model error', () => {
  const overloaded = () => Object.assign(new Error('529: overloaded'), { retryable: true });

  it('is retried with backoff through a seam, as one call with one key [R2-FAILURE-MODEL] [R2-SEAMS]', async () => {
    const keys: string[] = [];
    const model = scriptedModel({
      writer: (_request, n, { key }) => {
        keys.push(key);
        return n < 3 ? overloaded() : 'recovered';
      },
    });
    const agent: Agent<null, string> = async (run) =>
      done((await run.ask({ name: 'writer', model, setup: 'You write.' }, 'Write.')).text);
    const runtime = await life(agent, {
      seams: {
        model: [
          (next) => async (request, ctx) => {
            for (let nth = 1; ; nth++) {
              try {
                return await next(request, ctx);
              } catch (error) {
                if (nth === 3) throw error;
                await pause(2 ** nth);
              }
            }
          },
        ],
      },
    });
    const handle = await runtime.start('agent', null, { id: RUN, budget: budget() });
    expect(await handle.outcome()).toMatchObject({ stop: 'done', value: 'recovered' });
    expect(new Set(keys).size).toBe(1);
    expect(keys).toHaveLength(3);
    expect(eventsOf(await runtime.entries(RUN), 'ask-start')).toHaveLength(1);
  });

  it('fails over to another model through a seam [R2-FAILURE-MODEL] [R2-SEAMS]', async () => {
    const model = scriptedModel({ writer: [overloaded()] });
    const substitute = scriptedModel({ writer: ['from the substitute'] }, { id: 'scripted/substitute' });
    const agent: Agent<null, string> = async (run) =>
      done((await run.ask({ name: 'writer', model, setup: 'You write.' }, 'Write.')).text);
    const runtime = await life(agent, {
      seams: {
        model: [
          (next) => (request, ctx) =>
            next(request, ctx).catch(() =>
              substitute.generate(
                { ...request, model: substitute.id },
                { key: ctx.at, signal: new AbortController().signal },
              ),
            ),
        ],
      },
    });
    const handle = await runtime.start('agent', null, { id: RUN, budget: budget() });
    expect(await handle.outcome()).toMatchObject({ stop: 'done', value: 'from the substitute' });
    substitute.assertFinished();
  });

  it('ends an agent that does not handle it, with the failure and its verdict on retrying [R2-FAILURE-MODEL]', async () => {
    const model = scriptedModel({ writer: [overloaded()] });
    const agent: Agent<null, string> = async (run) =>
      done((await run.ask({ name: 'writer', model, setup: 'You write.' }, 'Write.')).text);
    const runtime = await life(agent);
    const handle = await runtime.start('agent', null, { id: RUN, budget: budget() });
    expect(await handle.outcome()).toMatchObject({
      stop: 'failed',
      failure: { code: 'MODEL_UNAVAILABLE', retryable: true },
    });
  });
});

describe('tool failure', () => {
  it('is an observation; the loop goes on with a retry and then a substitute, and the process after it agrees [R2-FAILURE-TOOL]', async () => {
    let calls = 0;
    const down: Tool<string, string> = {
      name: 'search',
      description: 'Searches.',
      effect: 'pure',
      execute: async () => {
        calls++;
        throw new Error('connection refused');
      },
    };
    const archive: Tool<string, string> = {
      name: 'archive',
      description: 'Searches an old copy.',
      effect: 'pure',
      execute: async (word) => `old news of ${word}`,
    };
    const agent: Agent<null, unknown> = async (run) => {
      const seen: string[] = [];
      for (const tool of [down, down, archive]) {
        const result = await run.call(tool, 'flyball');
        seen.push(result.content);
        if (result.ok) break;
      }
      return done([seen, await run.wait({ name: 'go' })]);
    };
    const first = await life(agent);
    await (await first.start('agent', null, { id: RUN, budget: budget() })).outcome();
    await first.close();
    const second = await life(agent);
    await second.signal(RUN, 'go', 'on');
    const outcome = await (await second.resume(RUN)).outcome();
    const failure = 'search failed: connection refused';
    expect(outcome).toMatchObject({ stop: 'done', value: [[failure, failure, 'old news of flyball'], 'on'] });
    expect(calls).toBe(2);
  });
});

describe('human interrupt', () => {
  const steps: string[] = [];
  const agent: Agent<null, string> = async (run) => {
    for (let n = 0; n < 30; n++) {
      await run.step('write', n, (at, { signal }) => pause(10, steps.push(`write ${at}`), { signal }), {
        class: 'undoable',
        compensate: async (at) => void steps.push(`undo ${at}`),
        verify: async (at) => (steps.includes(`write ${at}`) ? { happened: 'yes', result: at } : { happened: 'no' }),
      });
    }
    return done('written');
  };
  beforeEach(() => steps.splice(0));

  const started = async (runtime: Runtime) => {
    const handle = await runtime.start('agent', null, { id: RUN, budget: budget() });
    await expect.poll(() => steps.length).toBeGreaterThan(3);
    return handle;
  };

  it('pause: the state is kept, a worker leaves it alone, and a later process resumes it [R2-FAILURE-HUMAN] [R2-PAUSE]', async () => {
    const first = await life(agent);
    const handle = await started(first);
    await first.pause(RUN, { by: 'operator' });
    expect(await handle.outcome()).toMatchObject({ stop: 'suspended', paused: true });
    const written = steps.length;
    await first.close();
    const second = await life(agent, { options: { worker: true, pollMs: 5 } });
    await pause(60);
    expect(await second.get(RUN)).toMatchObject({ status: 'paused' });
    expect(steps).toHaveLength(written);
    await second.resume(RUN, { by: 'operator' });
    expect(await second.handle(RUN).finished()).toMatchObject({ stop: 'done' });
    expect(steps).toEqual(Array.from({ length: 30 }, (_none, n) => `write ${n}`)); // each once, in order
  });

  it('cancel: what was done is undone, newest first, and said in the outcome [R2-FAILURE-HUMAN] [R2-SAGA-ORDER]', async () => {
    const runtime = await life(agent);
    const handle = await started(runtime);
    await runtime.cancel(RUN, { by: 'operator', why: 'wrong book' });
    const outcome = await handle.outcome();
    expect(outcome).toMatchObject({
      stop: 'cancelled',
      because: expect.stringContaining('wrong book'),
      rollback: { success: true },
    });
    const written = steps.filter((step) => step.startsWith('write'));
    expect(steps.filter((step) => step.startsWith('undo'))).toEqual(
      written.map((step) => step.replace('write', 'undo')).reverse(),
    );
    await expect(runtime.resume(RUN)).rejects.toMatchObject({ code: 'ALREADY_TERMINAL' });
  });
});

/** Work of 100 ms that leaves no trace when it is cut off. */
function workFor(clock: Clock, signal: AbortSignal, finish: () => number): Promise<number> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(100, () => resolve(finish()));
    signal.addEventListener('abort', () => {
      cancel();
      reject(signal.reason as Error);
    });
  });
}

/** A small file system of its own; needs root on Linux. Undefined, with the reason on the terminal, where that is refused. */
function smallDisk(kilobytes: number): string | undefined {
  const path = mkdtempSync(join(tmpdir(), 'flyball-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', path], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (error) {
    process.stdout.write(
      `Skipped, no disk of its own: ${error instanceof Error ? error.message.trim() : String(error)}\n`,
    );
    rmSync(path, { recursive: true });
    return undefined;
  }
  closing.unshift(() => {
    execFileSync('umount', ['-l', path]); // lazily: a driver may let go of a closed file only when it is collected
    rmSync(path, { recursive: true });
  });
  return path;
}
