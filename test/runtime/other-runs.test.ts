import {
  type Agent,
  budget,
  type Clock,
  done,
  type Engine,
  FlyballError,
  memoryEngine,
  type Outcome,
  type Run,
  type RunRef,
  type Tool,
} from 'flyball';
import type { CrashPlan } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import type { AnyAgent } from '../../packages/flyball/src/core/agent-types.js';
import { type Life, moving, RUN, type Stage } from './stage.js';

/** A helper that waits for a word, acts once, and says what it heard. */
function helperOf(made: string[] = []): Agent<string, string> {
  return async (run, name) => {
    const heard = await run.wait<string>({ name: 'go', timeoutMs: 3_600_000 });
    await run.step('act', name, (_given, { key }) => void made.push(key), 'idempotent');
    return done(`${name} heard ${heard}`);
  };
}

/** Both runs, in whatever process: until the first one has ended. */
async function played(stage: Stage<Clock>, life: Life, first: Promise<Outcome<unknown>>): Promise<Outcome<unknown>> {
  let outcome = await first;
  for (let turn = 0; outcome.stop === 'suspended' && turn < 20; turn++) {
    const { runs } = await life.runtime.list();
    for (const { id, status } of runs)
      if (id !== 'run' && ['pending', 'suspended', 'running'].includes(status))
        await (await life.runtime.wake(id)).outcome();
    const until = Math.min(...outcome.waiting.map((one) => one.until ?? Number.POSITIVE_INFINITY));
    const record = await stage.engine.get('run');
    const messages = await stage.engine.inbox('run', 0);
    if (messages.length === 0 && record?.status === 'suspended' && Number.isFinite(until))
      await new Promise<void>((resolve) => void stage.clock.after(until - stage.clock.now() + 1, resolve));
    outcome = await (await life.runtime.wake('run')).outcome();
  }
  return outcome;
}

const parent =
  (end: (run: Run, ref: RunRef) => Promise<Outcome<unknown>>): Agent<null, unknown> =>
  async (run) => {
    const ref = await run.start('helper', 'tom', { slice: { modelCalls: 3 } });
    const before = await run.look(ref);
    await run.send(ref, 'go', 'hello');
    run.note({ kind: 'seen', status: before.status });
    return end(run, ref);
  };

const joining = parent(async (run, ref) => {
  const outcome = await run.join<string>(ref);
  return done('value' in outcome ? outcome.value : outcome.stop);
});

function agents(agent: AnyAgent, helper: AnyAgent) {
  return { agents: { agent, helper } };
}

describe('another run', () => {
  it('is started, sent to and joined, without holding a process [R11-N6-JOIN]', async () => {
    const made: string[] = [];
    const stage = moving();
    const life = stage.open(joining, agents(joining, helperOf(made)));
    const outcome = await played(stage, life, life.start());
    expect(outcome).toMatchObject({ stop: 'done', value: 'tom heard hello' });
    expect(made).toHaveLength(1);
    const { runs } = await life.runtime.list();
    const other = runs.find(({ id }) => id !== 'run');
    expect(other).toMatchObject({ agent: 'helper', status: 'done', source: 'run:run' });
    expect(await stage.events('wait-start')).toMatchObject([{ name: `ended:${other?.id}` }]);
  });

  it('is started once, and joined, wherever the process is killed [R11-N6-KILLED]', async () => {
    let lived = false;
    for (let n = 1; !lived && n < 60; n++) {
      const made: string[] = [];
      const stage = moving();
      const life = stage.open(joining, {
        ...agents(joining, helperOf(made)),
        crash: (point) => point.n === n && point.when === 'after',
      });
      const ended = await Promise.race([
        played(stage, life, life.start()).catch(() => undefined),
        life.crashed.then(() => undefined),
      ]);
      life.die();
      lived = ended !== undefined;
      const known = await stage.engine.get('run');
      if (known === undefined) continue;
      const next = stage.open(joining, agents(joining, helperOf(made)));
      const rest = known.status === 'done' ? next.runtime.handle('run').outcome() : next.resume();
      expect(await played(stage, next, rest), `crash ${n}`).toMatchObject({ value: 'tom heard hello' });
      expect(new Set(made).size, `crash ${n}`).toBe(1);
      expect((await next.runtime.list()).runs, `crash ${n}`).toHaveLength(2);
    }
    expect(lived).toBe(true);
  });

  it('tells who joins it that it has ended, wherever the process is killed: nobody waits for the next look [R11-N6-TOLD]', async () => {
    const points = new Set<string>();
    let lived = false;
    for (let n = 1; !lived && n < 60; n++)
      for (const when of ['before', 'after'] as const) {
        const stage = moving();
        const life = stage.open(joining, {
          ...agents(joining, helperOf()),
          crash: (point) => {
            const fires = point.n === n && point.when === when;
            if (fires && point.runId !== 'run') points.add(`${when} ${point.op} ${point.entries?.at(-1) ?? ''}`);
            return fires;
          },
        });
        const ended = await Promise.race([
          played(stage, life, life.start()).catch(() => undefined),
          life.crashed.then(() => undefined),
        ]);
        life.die();
        lived = ended !== undefined;
        const known = await stage.engine.get('run');
        if (known === undefined) continue;
        const next = stage.open(joining, agents(joining, helperOf()));
        const rest = known.status === 'done' ? next.runtime.handle('run').outcome() : next.resume();
        expect(await played(stage, next, rest), `${when} write ${n}`).toMatchObject({ value: 'tom heard hello' });
        const waits = await stage.events('wait-end');
        expect(
          waits.filter(({ timedOut }) => timedOut),
          `${when} write ${n}`,
        ).toEqual([]);
      }
    expect(lived).toBe(true);
    for (const point of ['after append run-end', 'before release ', 'after release ']) expect(points).toContain(point);
  });

  // who started it was told of the end and has ended too: nobody but a worker comes back to it
  it('that has ended, but whose process died before it gave it back, is joined by a fork once a worker has [R11-N6-KILLED]', async () => {
    const made: string[] = [];
    const helper: Agent<string, string> = async (run, name) => {
      await run.step('act', name, (_given, { key }) => void made.push(key), 'idempotent');
      return done(name);
    };
    const agent = async (run: Run) => done(await run.join(await run.start('helper', 'tom')));
    const stage = moving();
    const dies: CrashPlan = ({ op, runId, when }) => op === 'release' && runId !== RUN && when === 'before';
    await stage.crashed(agent, dies, agents(agent, helper));
    const next = stage.open(agent, agents(agent, helper));
    expect(await next.resume()).toMatchObject({ stop: 'done', value: { stop: 'done', value: 'tom' } });
    const [other] = (await next.runtime.list({ agent: 'helper' })).runs;
    expect(other).toMatchObject({ status: 'running' });

    const entries = await stage.entries();
    const waits = entries.find(({ event }) => event.type === 'wait-start')?.seq ?? 0;
    const fork = await next.runtime.fork(RUN, { at: waits - 1, id: 'fork' });
    expect(await fork.outcome()).toMatchObject({ stop: 'suspended', waiting: [{ name: `ended:${other?.id}` }] });
    next.die();
    const worker = stage.open(agent, { ...agents(agent, helper), options: { worker: true } });
    expect(await worker.runtime.handle('fork').finished()).toMatchObject({ stop: 'done', value: { value: 'tom' } });
    expect(await stage.engine.get(other?.id ?? '')).toMatchObject({ status: 'done' });
    expect(await stage.events('wait-end', 'fork')).toMatchObject([{ timedOut: true }]); // its first look has found it
    expect(made).toHaveLength(1);
  });

  it('that has ended since is joined at once by a fork from the middle of a join [R11-N6-TOLD]', async () => {
    const agent = async (run: Run) => done(await run.join(await run.start('helper', 'tom')));
    const helper: Agent<string, string> = async (run, name) => done(`${name} ${await run.wait({ name: 'go' })}`);
    const stage = moving();
    const life = stage.open(agent, agents(agent, helper));
    await life.start();
    const other = (await life.runtime.list({ agent: 'helper' })).runs[0]?.id ?? '';
    await life.runtime.signal(other, 'go', 'went');
    await (await life.runtime.wake(other)).outcome();
    const ended = { stop: 'done', value: { stop: 'done', value: 'tom went' } };
    expect(await (await life.runtime.wake(RUN)).outcome()).toMatchObject(ended);
    const at = (await stage.entries()).find(({ event }) => event.type === 'wait-start')?.seq ?? 0;
    const fork = await life.runtime.fork(RUN, { at, id: 'fork' });
    expect(await fork.outcome()).toMatchObject(ended);
  });

  it('that is still open is looked at by a fork that joins it after a second, and then ever more rarely [R19-FORK-JOINS]', async () => {
    const agent = async (run: Run) => done(await run.join(await run.start('helper', 'tom')));
    const helper: Agent<string, string> = async (run, name) => done(`${name} ${await run.wait({ name: 'go' })}`);
    const stage = moving();
    const life = stage.open(agent, { ...agents(agent, helper), options: { worker: true } });
    await life.start();
    const other = (await life.runtime.list({ agent: 'helper' })).runs[0]?.id ?? '';
    const at = (await stage.entries()).find(({ event }) => event.type === 'complete')?.seq ?? 0;
    const fork = await life.runtime.fork(RUN, { at, id: 'fork' });
    expect(await fork.outcome()).toMatchObject({ stop: 'suspended' });
    const since = stage.clock.now();
    await life.runtime.signal(other, 'go', 'went');
    expect(await fork.finished()).toMatchObject({ stop: 'done', value: { value: 'tom went' } });
    expect(stage.clock.now() - since).toBeLessThan(5_000);
  });

  it('is cancelled with the run that started it, and goes on where that is done [R11-N6-CANCEL]', async () => {
    const helper: Agent<string, string> = async (run) => done(String(await run.wait({ name: 'never' })));
    const cancelled = parent(async (run) => done(await run.wait({ name: 'long' })));
    const stage = moving();
    const life = stage.open(cancelled, agents(cancelled, helper));
    expect((await life.start()).stop).toBe('suspended');
    await life.runtime.cancel('run', { by: 'ann' });
    expect(await (await life.runtime.wake('run')).outcome()).toMatchObject({
      stop: 'cancelled',
      rollback: { entries: [{ name: 'send:go' }, { name: 'start:helper', status: 'COMPENSATED' }] },
    });
    const other = (await life.runtime.list()).runs.find(({ id }) => id !== 'run');
    expect(await (await life.runtime.wake(other?.id ?? '')).outcome()).toMatchObject({ stop: 'cancelled' });

    const finished = parent(async () => done('done'));
    const second = moving();
    const again = second.open(finished, agents(finished, helper));
    expect(await again.start()).toMatchObject({ stop: 'done' });
    const left = (await again.runtime.list()).runs.find(({ id }) => id !== 'run');
    expect(['running', 'suspended', 'pending']).toContain(left?.status);
  });

  it.each(['before', 'after'] as const)(
    'is cancelled at its bound, also where the process of who started it dies %s it was put in line for that [R11-N6-CANCEL]',
    async (when) => {
      const look: Tool<null, null> = { name: 'look', description: 'Looks.', effect: 'pure', execute: async () => null };
      const helper: Agent<null, string> = async (run) => {
        await run.call(look, null);
        return done((await run.call(look, null)).content);
      };
      const agent: Agent<null, unknown> = async (run) => {
        await run.join(await run.start('helper', null, { slice: { toolCalls: 1 } }));
        throw new Error('it went wrong');
      };
      const stage = moving();
      const life = stage.open(agent, {
        ...agents(agent, helper),
        crash: (point) => point.op === 'requeue' && point.when === when,
      });
      await Promise.race([life.start(), life.crashed]);
      life.die();
      const next = stage.open(agent, agents(agent, helper));
      const other = (await next.runtime.list({ agent: 'helper' })).runs[0]?.id ?? '';
      expect(await next.resume()).toMatchObject({ stop: 'failed', rollback: { success: true } });
      expect(await stage.engine.get(other)).toMatchObject({ status: 'pending' }); // a worker takes it up
      expect(await (await next.runtime.wake(other)).outcome()).toMatchObject({ stop: 'cancelled' });
    },
  );

  it('is cancelled by hand only by whoever started it [R11-N6-CANCEL]', async () => {
    const helper: Agent<string, string> = async (run) => done(String(await run.wait({ name: 'never' })));
    const agent = parent(async (run, ref) => {
      const stranger = await run.cancel({ ...ref, run: 'other' }).catch((error: { code: string }) => error.code);
      await run.cancel(ref);
      return done([stranger, (await run.join(ref)).stop]);
    });
    const stage = moving();
    const life = stage.open(agent, agents(agent, helper));
    await life.runtime.start('helper', 'x', { id: 'other', budget: budget() });
    expect(await played(stage, life, life.start())).toMatchObject({ value: ['DENIED', 'cancelled'] });
  });

  it('spends what its starter gives it, and no more than that has left [R11-N6-BUDGET]', async () => {
    const helper: Agent<string, number> = async (run) => done(run.budget.limits.modelCalls);
    const agent = async (run: Run) => {
      const ref = await run.start('helper', 'x', { slice: { modelCalls: 4 } });
      await run.start('helper', 'y', { slice: { modelCalls: 7 } }); // nobody knows yet what the first one uses
      return run.join(ref);
    };
    const stage = moving();
    const life = stage.open(agent, agents(agent, helper));
    const outcome = await played(stage, life, life.start(null, { modelCalls: 10 }));
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'modelCalls', limit: 10, left: 6 });
    const others = (await life.runtime.list({ agent: 'helper' })).runs;
    expect(others).toHaveLength(1);
    expect(await life.runtime.handle(others[0]?.id ?? '').outcome()).toMatchObject({ stop: 'done', value: 4 });
  });

  it.each(['create', 'post', 'get'] as const)(
    'is started, sent to and looked at again where the storage failed at %s: that is no failure of the effect [R11-N6-STORAGE]',
    async (op) => {
      const made: string[] = [];
      const inner = memoryEngine();
      let isDown = true;
      const failing = (given: string | { readonly id: string }, ...rest: unknown[]): Promise<unknown> => {
        const id = typeof given === 'string' ? given : given.id;
        if (isDown && id !== RUN) return Promise.reject(new FlyballError('STORAGE_BUSY', 'It is away.'));
        return (inner[op] as (...all: unknown[]) => Promise<unknown>)(given, ...rest);
      };
      const stage = moving({ ...inner, [op]: failing } as Engine);
      const life = stage.open(joining, agents(joining, helperOf(made)));
      await expect(life.start()).rejects.toMatchObject({ code: 'STORAGE_BUSY' });
      expect(await stage.events('abort')).toEqual([]);
      life.die();
      isDown = false;
      const next = stage.open(joining, agents(joining, helperOf(made)));
      expect(await played(stage, next, next.resume())).toMatchObject({ stop: 'done', value: 'tom heard hello' });
      expect(made).toHaveLength(1);
    },
  );

  it('tells who joins it that it has ended also where the storage failed at that moment [R11-N6-TOLD]', async () => {
    const inner = memoryEngine();
    let isDown = true;
    const post: Engine['post'] = (runId, message) =>
      isDown && message.name.startsWith('ended:')
        ? Promise.reject(new FlyballError('STORAGE_BUSY', 'It is away.'))
        : inner.post(runId, message);
    const stage = moving({ ...inner, post });
    const life = stage.open(joining, agents(joining, helperOf()));
    await expect(played(stage, life, life.start())).rejects.toMatchObject({ code: 'STORAGE_BUSY' });
    life.die();
    isDown = false;
    const next = stage.open(joining, agents(joining, helperOf()));
    expect(await played(stage, next, next.resume())).toMatchObject({ value: 'tom heard hello' });
    expect((await stage.events('wait-end')).filter(({ timedOut }) => timedOut)).toEqual([]);
  });

  it('tells who joins it of every bound that it comes to [R11-N6-TOLD]', async () => {
    const look: Tool<null, null> = { name: 'look', description: 'Looks.', effect: 'pure', execute: async () => null };
    const helper: Agent<null, string> = async (run) => {
      await run.call(look, null);
      await run.call(look, null);
      await run.wait({ name: 'go' });
      await run.call(look, null);
      return done('looked');
    };
    const agent: Agent<null, unknown> = async (run) => {
      const ref = await run.start('helper', null, { slice: { toolCalls: 1 } });
      const first = await run.join(ref);
      await run.wait({ name: 'on' });
      return done([first.stop, (await run.join(ref)).stop]);
    };
    const stage = moving();
    const life = stage.open(agent, agents(agent, helper));
    const { runtime } = life;
    await life.start();
    const other = (await runtime.list({ agent: 'helper' })).runs[0]?.id ?? '';
    expect(await (await runtime.wake(RUN)).outcome()).toMatchObject({ waiting: [{ name: 'on' }] });
    await (await runtime.resume(other, { budget: { toolCalls: 2 } })).outcome();
    await runtime.signal(RUN, 'on', null);
    expect(await (await runtime.wake(RUN)).outcome()).toMatchObject({ waiting: [{ name: `ended:${other}` }] });
    await runtime.signal(other, 'go', null);
    expect(await (await runtime.wake(other)).outcome()).toMatchObject({ stop: 'bounded', limit: 2 });
    expect(await (await runtime.wake(RUN)).outcome()).toMatchObject({ stop: 'done', value: ['bounded', 'bounded'] });
    expect((await stage.events('wait-end')).filter(({ timedOut }) => timedOut)).toEqual([]);
  });

  it('is started also while its process ends, and left to the others [R11-N6-CLOSING]', async () => {
    const made: string[] = [];
    const inner = memoryEngine();
    let letGo = (): void => undefined;
    let isThere = (): void => undefined;
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    const reached = new Promise<void>((resolve) => (isThere = resolve));
    let isSlow = false;
    const get: Engine['get'] = async (id) => {
      if (isSlow && id === RUN) {
        isSlow = false;
        isThere();
        await gate;
      }
      return inner.get(id);
    };
    const stage = moving({ ...inner, get });
    const slow: Agent<null, unknown> = async (run, input) => {
      isSlow = true;
      return joining(run, input);
    };
    const life = stage.open(slow, agents(slow, helperOf(made)));
    const ended = life.start().catch(() => undefined);
    await reached;
    const closed = life.runtime.close();
    letGo();
    await Promise.all([closed, ended]);
    expect(await stage.events('abort')).toEqual([]);
    life.die();
    const next = stage.open(joining, agents(joining, helperOf(made)));
    expect(await played(stage, next, next.resume())).toMatchObject({ stop: 'done', value: 'tom heard hello' });
    expect(made).toHaveLength(1);
  });

  it('is started also where another worker has ended it before this one could take it [R11-N6-ENDED]', async () => {
    const made: string[] = [];
    const inner = memoryEngine();
    let stage: Stage<Clock>;
    const create: Engine['create'] = async (run) => {
      await inner.create(run);
      if (run.id === RUN) return;
      await inner.post(run.id, { id: 'm', kind: 'signal', name: 'go', from: 'ann', at: 1, body: '"ann"' });
      const worker = stage.open(joining, agents(joining, helperOf(made)));
      await (await worker.runtime.resume(run.id)).outcome();
      worker.die();
    };
    stage = moving({ ...inner, create });
    const agent: Agent<null, unknown> = async (run) => {
      const { stop } = await run.join(await run.start('helper', 'tom'));
      return done(stop);
    };
    const life = stage.open(agent, agents(agent, helperOf(made)));
    expect(await played(stage, life, life.start())).toMatchObject({ stop: 'done', value: 'done' });
    expect(made).toHaveLength(1);
  });

  it('of another tenant is not there [R11-N6-TENANT]', async () => {
    const helper: Agent<string, string> = async () => done('x');
    const agent = async (run: Run) => {
      const ref = { run: 'other', agent: 'helper' };
      return done(await run.send(ref, 'go').catch((error: { code: string }) => error.code));
    };
    const life = moving().open(agent, agents(agent, helper));
    await life.runtime.start('helper', 'x', { id: 'other', budget: budget(), tenant: 'elsewhere' });
    expect(await life.start()).toMatchObject({ value: 'RUN_NOT_FOUND' });
  });

  it('is not started from a simulated child [R11-N6-SIMULATED]', async () => {
    const helper: Agent<string, string> = async () => done('x');
    const child: Agent<null, string> = async (run) =>
      run.start('helper', 'x').then(
        () => done('started'),
        (error: { code: string }) => done(error.code),
      );
    const agent = (run: Run) => run.spawn(child, null, { share: 0.5, world: 'simulated' });
    const life = moving().open(agent, agents(agent, helper));
    expect(await life.start()).toMatchObject({ value: 'NOT_SIMULATED' });
    expect((await life.runtime.list()).runs).toHaveLength(1);
  });
});
