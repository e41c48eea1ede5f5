import {
  budget,
  type Clock,
  done,
  type EffectClass,
  type Engine,
  failed,
  memoryEngine,
  type Outcome,
  type Run,
  type Session,
  type Tool,
} from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { answer, eventsOf, moving, RUN, type Stage } from './stage.js';

async function prune(engine: Engine): Promise<void> {
  const { updatedAt: endedAt = 0 } = (await engine.get(RUN)) ?? {};
  const of = { agent: 'agent', tenant: 'default', status: 'done', createdAt: 0, endedAt };
  const operation = { at: 0, by: 'op', action: 'prune', of: RUN } as const;
  await engine.remove(RUN, { ...operation, tombstone: { ...of, digests: [], head: '' } });
}

class World {
  readonly log: string[] = [];
  act(run: Run, name: string, more: Partial<EffectClass<string, string>> = {}): Promise<string> {
    return run.step(
      'act',
      name,
      (input) => {
        this.log.push(`act ${input}`);
        return `${input} done`;
      },
      {
        class: 'undoable',
        compensate: async (input: string) => {
          this.log.push(`undo ${input}`);
        },
        ...(more as object),
      },
    );
  }
}

/** Position of the n-th entry of a type. */
async function seqOf(stage: Pick<Stage<Clock>, 'entries'>, type: string, nth = 1, runId = RUN): Promise<number> {
  const found = (await stage.entries(runId)).filter(({ event }) => event.type === type)[nth - 1];
  if (found === undefined) throw new Error(`There is no ${type} number ${nth}.`);
  return found.seq;
}

describe('a fork', () => {
  it('answers what it inherits without executing or billing it again [R2-FORK]', async () => {
    const stage = moving();
    const world = new World();
    const model = scriptedModel({ talker: ['hello', 'again'] });
    const session: Session = { name: 'talker', model, setup: 'Talk.' };
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const first = await world.act(run, 'a');
      const said = (await run.ask(session, 'hi')).text;
      const chosen = await run.wait({ name: 'choose' });
      return done([first, said, chosen, run.id]);
    };
    const life = stage.open(agent);
    await life.start();
    await life.runtime.signal(RUN, 'choose', 'left');
    expect(await life.resume()).toMatchObject({ value: ['a done', 'hello', 'left', RUN] });

    const handle = await life.runtime.fork(RUN, { at: await seqOf(stage, 'ask-end'), id: 'fork', by: 'ada' });
    expect(await handle.outcome()).toMatchObject({ stop: 'suspended', waiting: [{ name: 'choose' }] });
    await life.runtime.signal('fork', 'choose', 'right');
    expect(await (await life.runtime.resume('fork')).outcome()).toMatchObject({
      stop: 'done',
      value: ['a done', 'hello', 'right', 'fork'],
      usage: { modelCalls: 0, tokensIn: 0, costUsd: 0 },
    });
    expect(world.log).toEqual(['act a']);
    expect(model.requests).toHaveLength(1);
    expect(await life.runtime.get('fork')).toMatchObject({ fork: { run: RUN, generation: 0 }, subject: 'ada' });
  });

  it('that is cancelled or fails never undoes what its parent did [R2-SHOW-FORK-CANCEL] [R2-FORK]', async () => {
    const stage = moving();
    const world = new World();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await world.act(run, 'a');
      const how = await run.wait({ name: 'end' });
      return how === 'fail' ? failed({ code: 'EFFECT_FAILED', message: 'no', retryable: false }) : done(null);
    };
    const life = stage.open(agent, { options: { worker: true, pollMs: 1e9 } });
    await life.start();
    const point = await seqOf(stage, 'complete');
    for (const live of [false, true]) {
      const cancelled = await life.runtime.fork(RUN, { at: point, id: `cancelled-${live}`, live });
      await cancelled.outcome();
      const ended = cancelled.finished();
      await life.runtime.cancel(`cancelled-${live}`);
      expect(await ended).toMatchObject({ stop: 'cancelled' });
      const failing = await life.runtime.fork(RUN, { at: point, id: `failing-${live}`, live });
      await life.runtime.signal(`failing-${live}`, 'end', 'fail');
      expect(await failing.finished()).toMatchObject({ stop: 'failed' });
    }
    expect(world.log).toEqual(['act a']);
    // the parent still knows how to undo its own
    await life.runtime.signal(RUN, 'end', 'fail');
    expect(await life.runtime.handle(RUN).finished()).toMatchObject({ rollback: { success: true } });
    expect(world.log).toEqual(['act a', 'undo a']);
  });

  it('in the middle of an INTENT is refused with the nearest valid point [R2-SHOW-FORK-REFUSED] [R2-FORK]', async () => {
    const stage = moving();
    const world = new World();
    const life = stage.open(async (run: Run) =>
      done([await run.step('read', null, () => 1, 'pure'), await world.act(run, 'a')]),
    );
    await life.start();
    const intent = await seqOf(stage, 'intent');
    await expect(life.runtime.fork(RUN, { at: intent })).rejects.toMatchObject({
      code: 'FORK_REFUSED',
      message: expect.stringMatching(
        new RegExp(`entry ${intent}.*INTENT of act.*nearest valid entry is ${intent - 1}`),
      ),
      detail: { nearest: intent - 1 },
    });
    await expect(life.runtime.fork(RUN, { at: 999 })).rejects.toMatchObject({
      code: 'FORK_REFUSED',
      message: expect.stringContaining('no entry 999'),
    });
    await expect(life.runtime.fork('nobody', { at: 1 })).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    expect(await (await life.runtime.fork(RUN, { at: intent - 1, id: 'ok' })).outcome()).toMatchObject({
      stop: 'done',
    });
  });

  it('simulates what changes the world: by the rule, by the result of its parent, or not at all [R2-FORK-SIMULATED]', async () => {
    const stage = moving();
    const world = new World();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.step('start', null, () => 1, 'pure');
      const declared = await world.act(run, 'declared', { simulate: (input: string) => `${input} simulated` } as never);
      const parents = await world.act(run, 'parents');
      const choice = await run.wait({ name: 'choose', timeoutMs: 10 });
      const fresh = await world.act(run, `fresh ${choice}`).catch((error: { readonly code: string }) => error.code);
      return done([declared, parents, fresh]);
    };
    const life = stage.open(agent, { options: { suspendAfterMs: 1000 } });
    expect(await life.start()).toMatchObject({ value: ['declared done', 'parents done', 'fresh timed-out done'] });
    const handle = await life.runtime.fork(RUN, { at: await seqOf(stage, 'complete', 1), id: 'fork' });
    await life.runtime.signal('fork', 'choose', 'other');
    expect(await handle.outcome()).toMatchObject({
      stop: 'done',
      value: ['declared simulated', 'parents done', 'NOT_SIMULATED'],
    });
    expect(world.log).toEqual(['act declared', 'act parents', 'act fresh timed-out']);
    expect((await stage.events('complete', 'fork')).map(({ how }) => how)).toEqual(['simulated', 'simulated']);
    expect(await stage.events('abort', 'fork')).toMatchObject([
      { failure: { message: expect.stringContaining('live: true') } },
    ]);
  });

  it('does not undo what it only simulated', async () => {
    const stage = moving();
    const world = new World();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.step('start', null, () => 1, 'pure');
      await world.act(run, 'a');
      return (await run.wait({ name: 'end' })) === 'fail'
        ? failed({ code: 'EFFECT_FAILED', message: 'no', retryable: false })
        : done(null);
    };
    const life = stage.open(agent);
    await life.start();
    await life.runtime.fork(RUN, { at: await seqOf(stage, 'complete', 1), id: 'fork' });
    await life.runtime.signal('fork', 'end', 'fail');
    expect(await life.runtime.handle('fork').outcome()).toMatchObject({ stop: 'failed' });
    expect(world.log).toEqual(['act a']);
  });

  it('that is live acts on the world after one approval, and undoes its own acts only [R2-FORK-SIMULATED] [R2-SHOW-FORK-CANCEL]', async () => {
    const stage = moving();
    const world = new World();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await world.act(run, 'inherited');
      await run.wait({ name: 'go' });
      await world.act(run, `first of ${run.id}`);
      await world.act(run, `second of ${run.id}`);
      await run.wait({ name: 'end' });
      return failed({ code: 'EFFECT_FAILED', message: 'no', retryable: false });
    };
    const life = stage.open(agent, { options: { suspendAfterMs: 1000 } });
    await life.start();
    const handle = await life.runtime.fork(RUN, {
      at: await seqOf(stage, 'complete', 1),
      id: 'fork',
      live: true,
    });
    await life.runtime.signal('fork', 'go');
    expect(await handle.outcome()).toMatchObject({
      stop: 'suspended',
      waiting: [{ kind: 'approval', name: 'approve:live-fork', request: { first: 'act' } }],
    });
    expect(world.log).toEqual(['act inherited']);
    await answer(life.runtime, 'fork', 'approve:live-fork', { verdict: 'approve' });
    await (await life.runtime.resume('fork')).outcome();
    expect(world.log).toEqual(['act inherited', 'act first of fork', 'act second of fork']);
    await life.runtime.signal('fork', 'end');
    expect(await (await life.runtime.resume('fork')).outcome()).toMatchObject({
      stop: 'failed',
      rollback: { success: true },
    });
    expect(world.log.slice(3)).toEqual(['undo second of fork', 'undo first of fork']);
  });

  it('that is live makes no effect when it is not approved [R2-FORK-SIMULATED]', async () => {
    const stage = moving();
    const world = new World();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.step('start', null, () => 1, 'pure');
      return done(await world.act(run, run.id).catch((error: { readonly code: string }) => error.code));
    };
    const life = stage.open(agent);
    await life.start();
    const handle = await life.runtime.fork(RUN, {
      at: await seqOf(stage, 'complete', 1),
      id: 'fork',
      live: true,
    });
    await handle.outcome();
    await answer(life.runtime, 'fork', 'approve:live-fork', { verdict: 'reject', reason: 'no' });
    expect(await (await life.runtime.resume('fork')).outcome()).toMatchObject({
      stop: 'done',
      value: 'APPROVAL_REJECTED',
    });
    expect(world.log).toEqual(['act run']);
  });

  it('gives its waits new tokens, and its keys its own name [R2-FORK]', async () => {
    const stage = moving();
    const agent = async (run: Run): Promise<Outcome<unknown>> => done(await run.wait({ name: 'go' }));
    const life = stage.open(agent);
    await life.start();
    const handle = await life.runtime.fork(RUN, { at: await seqOf(stage, 'wait-start'), id: 'fork' });
    expect(await handle.outcome()).toMatchObject({ waiting: [{ token: 'fork:0:#0' }] });
    // the parent's token is nothing to the fork
    await expect(life.runtime.signal('fork', 'run:0:#0', 'to the parent')).rejects.toMatchObject({
      code: 'SIGNAL_UNEXPECTED',
    });
    expect(await (await life.runtime.resume('fork')).outcome()).toMatchObject({ stop: 'suspended' });
    await life.runtime.signal('fork', 'fork:0:#0', 'mine');
    expect(await (await life.runtime.resume('fork')).outcome()).toMatchObject({ value: 'mine' });
    expect(await life.runtime.handle(RUN).outcome()).toMatchObject({ stop: 'suspended' });
  });

  it('of a fork inherits from both [R2-FORK]', async () => {
    const stage = moving();
    const executed: string[] = [];
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const values: unknown[] = [];
      for (const name of ['a', 'b', 'c']) {
        values.push(
          await run.step(
            name,
            null,
            () => {
              executed.push(`${name} in ${run.id}`);
              return `${name} in ${run.id}`;
            },
            'pure',
          ),
        );
        values.push(await run.wait({ name, timeoutMs: 1 }));
      }
      return done(values);
    };
    const life = stage.open(agent, { options: { suspendAfterMs: 1000 } });
    await life.start();
    const first = await life.runtime.fork(RUN, { at: await seqOf(stage, 'complete', 1), id: 'first' });
    await first.outcome();
    const second = await life.runtime.fork('first', {
      at: await seqOf(stage, 'complete', 1, 'first'),
      id: 'second',
    });
    expect(await second.outcome()).toMatchObject({
      value: ['a in run', 'timed-out', 'b in first', 'timed-out', 'c in second', 'timed-out'],
    });
    expect(executed).toEqual(['a in run', 'b in run', 'c in run', 'b in first', 'c in first', 'c in second']);
  });

  it('draws the random numbers of the run it came from [R2-RUN-RANDOM]', async () => {
    const stage = moving();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const before = run.random();
      await run.step('x', null, () => 1, 'pure');
      return done([before, run.random(), run.scope('s').random()]);
    };
    const life = stage.open(agent);
    const original = await life.start();
    const fork = await (await life.runtime.fork(RUN, { at: await seqOf(stage, 'complete'), id: 'fork' })).outcome();
    const ofFork = await (await life.runtime.fork('fork', { at: 1, id: 'of-fork' })).outcome();
    expect((fork as { value: unknown }).value).toEqual((original as { value: unknown }).value);
    expect((ofFork as { value: unknown }).value).toEqual((original as { value: unknown }).value);
  });

  it('gets a budget of its own, and spends none of it on what it inherits [R2-FORK]', async () => {
    const stage = moving();
    const tool: Tool<number, number> = {
      name: 'count',
      description: 'Counts.',
      effect: 'pure',
      execute: async (n) => n,
    };
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      for (let n = 0; n < 4; n++) await run.call(tool, n);
      return done(run.budget.spent().toolCalls);
    };
    const life = stage.open(agent);
    await life.start();
    const point = await seqOf(stage, 'complete', 2);
    expect(
      await (await life.runtime.fork(RUN, { at: point, id: 'enough', budget: budget({ toolCalls: 2 }) })).outcome(),
    ).toMatchObject({ stop: 'done', usage: { toolCalls: 2 } });
    expect(
      await (await life.runtime.fork(RUN, { at: point, id: 'short', budget: budget({ toolCalls: 1 }) })).outcome(),
    ).toMatchObject({ stop: 'bounded', bound: 'toolCalls', usage: { toolCalls: 1 } });
  });

  it('continues a child that reached a limit, unless its parent did something after that [R19-FORK-LIMIT]', async () => {
    const tool: Tool<number, number> = {
      name: 'count',
      description: 'Counts.',
      effect: 'pure',
      execute: async (n) => n,
    };
    const child = async (run: Run): Promise<Outcome<unknown>> => {
      await run.call(tool, 1);
      return done(await run.call(tool, 2));
    };
    const agent = async (run: Run, goesOn: unknown): Promise<Outcome<unknown>> => {
      const { stop } = await run.spawn(child, null, { toolCalls: 1 });
      if (goesOn === true) await run.call(tool, 3);
      return done(stop);
    };
    for (const [goesOn, inFork] of [
      [false, 'done'],
      [true, 'bounded'],
    ] as const) {
      const life = moving().open(agent);
      const of = life.runtime;
      expect(await life.start(goesOn)).toMatchObject({ stop: 'done', value: 'bounded' });
      const last = (await of.entries(RUN)).length - 2;
      expect(await (await of.fork(RUN, { at: last, id: 'fork' })).outcome()).toMatchObject({ value: inFork });
    }
  });

  it('can be made from an earlier generation', async () => {
    const stage = moving();
    const agent = async (run: Run, input: { readonly n: number } | null): Promise<Outcome<unknown>> => {
      const n = input?.n ?? 0;
      const got = await run.step('x', n, () => `${run.id} ${n}`, 'pure');
      return n < 2 ? run.continueWith({ n: n + 1 }) : done(got);
    };
    const life = stage.open(agent as never);
    await life.start();
    expect(await (await life.runtime.fork(RUN, { at: 0, generation: 1, id: 'fork' })).outcome()).toMatchObject({
      stop: 'done',
      value: 'fork 2',
    });
  });

  it('of a run that is pruned meanwhile is refused, and nothing of it is stored [R11-FORK-PRUNED]', async () => {
    const inner = memoryEngine();
    const engine: Engine = {
      ...inner,
      create: async (run) => {
        if (run.fork !== undefined) await prune(inner);
        return inner.create(run);
      },
    };
    const life = moving(engine).open(async (run: Run) => done(await run.step('x', null, () => 1, 'pure')));
    await life.start();
    await expect(life.runtime.fork(RUN, { at: 1, id: 'fork' })).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    expect(await inner.get('fork')).toBeUndefined();
  });

  it.each(['read', 'blobs'] as const)(
    'of a run that is pruned before its %s are read says that it is gone [R11-FORK-PRUNED]',
    async (part) => {
      const inner = memoryEngine();
      let isOver = false;
      const engine: Engine = {
        ...inner,
        [part]: async (...given: never[]) => {
          if (isOver && (await inner.get(RUN)) !== undefined) {
            await prune(inner);
            await inner.collect(() => []);
          }
          return (inner[part] as (...all: never[]) => unknown)(...given);
        },
      };
      const life = moving(engine).open(async (run: Run) =>
        done(await run.step('x', null, () => 'long '.repeat(5_000), 'pure')),
      );
      await life.start();
      isOver = true;
      await expect(life.runtime.fork(RUN, { at: 1, id: 'fork' })).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
      expect(await inner.get('fork')).toBeUndefined();
    },
  );

  it('of a run that has ended does not change it', async () => {
    const engine = memoryEngine();
    const stage = moving(engine);
    const life = stage.open(async (run: Run) => done(await run.step('x', null, () => 1, 'pure')));
    await life.start();
    const before = JSON.stringify(await stage.entries());
    await (await life.runtime.fork(RUN, { at: 1, id: 'fork' })).outcome();
    expect(JSON.stringify(await stage.entries())).toBe(before);
    expect(eventsOf(await stage.entries('fork'), 'run-start')).toMatchObject([
      { fork: { run: RUN, seq: 1, live: false } },
    ]);
  });
});
