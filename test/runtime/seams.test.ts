import {
  budget,
  done,
  governedStore,
  type Middleware,
  memoryStore,
  type Outcome,
  type Run,
  type SeamContext,
  type Seams,
  type Session,
  type Tool,
  type ToolVerdict,
} from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import type { SeamName } from '../../packages/flyball/src/core/seams.js';
import { moving, RUN } from './stage.js';

const tool: Tool<{ readonly path: string }, string> = {
  name: 'read',
  description: 'Reads.',
  effect: 'idempotent',
  execute: async ({ path }) => `content of ${path}`,
};

/** A middleware on every seam that notes its name and passes everything on. */
function watchers(passed: string[]): Seams {
  const watch = (name: SeamName): readonly Middleware<never, never>[] => [
    (next) => async (value, ctx) => {
      passed.push(name);
      return next(value, ctx);
    },
  ];
  const names: readonly SeamName[] = [
    'run',
    'input',
    'model',
    'tools.load',
    'tool.pre',
    'tool.exec',
    'tool.post',
    'outbound',
    'state.write',
    'handoff',
    'output',
  ];
  return Object.fromEntries(names.map((name) => [name, watch(name)])) as Seams;
}

describe('the named seams', () => {
  it('are all passed by what they stand around [R2-SEAMS]', async () => {
    const passed: string[] = [];
    const seams = watchers(passed);
    const model = scriptedModel({ talker: 'hello' });
    const session: Session = { name: 'talker', model, setup: 'Talk.', tools: [tool] };
    const store = memoryStore();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.ask(session, 'hi');
      await run.call(tool, { path: 'a' });
      await run.spawn(async () => done(1), null, { share: 0.5 });
      await run.step(
        'write',
        null,
        async () => {
          const governed = governedStore(store, seams, { runId: run.id, tenant: run.tenant, subject: run.subject });
          await governed.propose(
            { tenant: run.tenant, owner: run.subject, collection: 'notes', key: 'n' },
            { id: 'p', over: 0, value: 1, now: 0 },
          );
        },
        'idempotent',
      );
      return done(await run.wait({ name: 'go', timeoutMs: 1, request: { question: 'ok?' } }));
    };
    const life = moving().open(agent, { seams, options: { suspendAfterMs: 1000 } });
    expect(await life.start()).toMatchObject({ stop: 'done' });
    expect(passed).toEqual([
      'input',
      'run',
      'tools.load',
      'model',
      'tool.pre',
      'tool.exec',
      'tool.post',
      'handoff',
      'state.write',
      'outbound',
      'output',
    ]);
  });

  it('run in the order given: the first sees the value first and the result last [R2-SEAMS]', async () => {
    const order: string[] = [];
    const mark =
      (name: string): Middleware<{ readonly tool: unknown; readonly args: unknown; readonly key: string }, unknown> =>
      (next) =>
      async (value, ctx) => {
        order.push(`${name} before`);
        const result = await next(value, ctx);
        order.push(`${name} after`);
        return result;
      };
    const life = moving().open(async (run: Run) => done(await run.call(tool, { path: 'a' })), {
      seams: { 'tool.exec': [mark('outer'), mark('inner')] as never },
    });
    await life.start();
    expect(order).toEqual(['outer before', 'inner before', 'inner after', 'outer after']);
  });

  it('know the run, its tenant and subject, and where they stand [R2-SEAMS] [R2-TENANT]', async () => {
    const seen: SeamContext[] = [];
    const seams: Seams = {
      'tool.pre': [
        (next) => async (value, ctx) => {
          seen.push(ctx);
          return next(value, ctx);
        },
      ],
    };
    const life = moving().open(async (run: Run) => done(await run.scope('s').call(tool, { path: 'a' })), { seams });
    await (
      await life.runtime.start('agent', null, { id: RUN, budget: budget(), subject: 'ada', tenant: 'acme' })
    ).outcome();
    expect(seen).toMatchObject([{ runId: RUN, tenant: 'acme', subject: 'ada', at: '/s#0' }]);
  });
});

describe('before a tool call', () => {
  const guarded = (verdict: (args: unknown) => ToolVerdict | Promise<ToolVerdict>): Seams => ({
    'tool.pre': [
      (next) => async (value, ctx) => {
        const said = await verdict(value.args);
        return said.allow ? next({ ...value, args: said.args }, ctx) : said;
      },
    ],
  });

  it('a guard refuses: nothing is executed, the model sees why, and it is told in the journal [R2-SEAMS] [R2-RUN-CALL]', async () => {
    const stage = moving();
    let executed = 0;
    const life = stage.open(
      async (run: Run) => done(await run.call({ ...tool, execute: async () => String(++executed) }, { path: '/etc' })),
      { seams: guarded(() => ({ allow: false, why: 'outside of the project' })) },
    );
    expect(await life.start()).toMatchObject({
      stop: 'done',
      value: { ok: false, content: expect.stringContaining('outside of the project') },
    });
    expect(executed).toBe(0);
    expect(await stage.events('guard-refused')).toEqual([
      { type: 'guard-refused', id: '#0', seam: 'tool.pre', why: 'outside of the project' },
    ]);
    expect(await stage.events('intent')).toEqual([]);
  });

  it('a guard changes the arguments, and INTENT holds what is really done [R2-SEAMS]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run) => done((await run.call(tool, { path: 'a' })).content), {
      seams: guarded(() => ({ allow: true, args: { path: 'safe/a' } })),
    });
    expect(await life.start()).toMatchObject({ value: 'content of safe/a' });
    expect(await stage.events('intent')).toMatchObject([{ input: { path: 'safe/a' } }]);
  });

  it('a guard that breaks lets nothing through [R2-SEAMS]', async () => {
    const life = moving().open(async (run: Run) => done(await run.call(tool, { path: 'a' })), {
      seams: guarded(() => {
        throw new Error('policy file unreadable');
      }),
    });
    expect(await life.start()).toMatchObject({
      value: { ok: false, content: expect.stringContaining('policy file unreadable') },
    });
  });

  it('a guard is not asked again on replay: its decision is in the journal [R2-SEAMS]', async () => {
    const stage = moving();
    let asked = 0;
    const seams = guarded((args) => {
      asked++;
      return (args as { path: string }).path === 'bad'
        ? { allow: false, why: 'no' }
        : { allow: true, args: { path: `${asked}` } };
    });
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const results = [(await run.call(tool, { path: 'good' })).content, (await run.call(tool, { path: 'bad' })).ok];
      await run.wait({ name: 'go' });
      return done(results);
    };
    const life = stage.open(agent, { seams });
    await life.start();
    life.die();
    const second = stage.open(agent, { seams: guarded(() => ({ allow: false, why: 'stricter now' })) });
    await second.runtime.signal(RUN, 'go');
    expect(await second.resume()).toMatchObject({ value: ['content of 1', false] });
    expect(asked).toBe(2);
  });
});

describe('around the rest', () => {
  it('a request can be changed, a reply too, and a failing model replaced [R2-SEAMS] [R2-FAILURE-MODEL]', async () => {
    const model = scriptedModel({ talker: [new Error('overloaded'), 'never seen'] });
    const seams: Seams = {
      model: [
        (next) => async (request, ctx) => {
          try {
            return await next(
              { ...request, messages: [...request.messages, { role: 'user', content: 'Be brief.' }] },
              ctx,
            );
          } catch {
            return { text: 'from the other model', toolCalls: [], finish: 'stop', usage: { input: 1, output: 1 } };
          }
        },
      ],
    };
    const session: Session = { name: 'talker', model, setup: 'Talk.' };
    const life = moving().open(async (run: Run) => done((await run.ask(session, 'hi')).text), { seams });
    expect(await life.start()).toMatchObject({ value: 'from the other model' });
    expect(model.promptAt('talker')).toContain('Be brief.');
  });

  it('a view of tools is narrowed before a model sees it [R2-SEAMS]', async () => {
    const model = scriptedModel({ talker: 'ok' });
    const session: Session = { name: 'talker', model, setup: 'Talk.', tools: [tool, { ...tool, name: 'delete' }] };
    const seams: Seams = {
      'tools.load': [(next) => async (tools, ctx) => (await next(tools, ctx)).filter(({ name }) => name !== 'delete')],
    };
    await moving()
      .open(async (run: Run) => done((await run.ask(session, 'hi')).text), { seams })
      .start();
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['read']);
  });

  it('a result is guarded after it was executed, before the journal keeps it [R2-SEAMS]', async () => {
    const stage = moving();
    const seams: Seams = {
      'tool.post': [
        (next) => async (value, ctx) => {
          const seen = await next(value, ctx);
          return { ...seen, text: seen.text.replace('content', '[masked]') };
        },
      ],
    };
    const life = stage.open(async (run: Run) => done((await run.call(tool, { path: 'a' })).content), { seams });
    expect(await life.start()).toMatchObject({ value: '[masked] of a' });
    expect(JSON.stringify(await stage.entries())).not.toContain('content of a');
  });

  it('an input is changed before it is journaled, or refused before the run exists [R2-SEAMS]', async () => {
    const stage = moving();
    const seams: Seams = {
      input: [
        (next) => async (value, ctx) => {
          if (value === 'bad') throw new Error('refused at the door');
          return next(`clean ${String(value)}`, ctx);
        },
      ],
    };
    const life = stage.open(async (_run: Run, input: string) => done(input), { seams });
    await expect(life.start('bad')).rejects.toThrow('refused at the door');
    expect((await life.runtime.list()).runs).toEqual([]);
    expect(await life.start('text')).toMatchObject({ value: 'clean text' });
    expect(await stage.events('run-start')).toMatchObject([{ input: 'clean text' }]);
  });

  it('an output is guarded before it is the outcome [R2-SEAMS]', async () => {
    const seams: Seams = {
      output: [
        (next) => async (outcome, ctx) => {
          const given = await next(outcome, ctx);
          return given.stop === 'done' && given.value === 'secret'
            ? { stop: 'blocked', because: 'it would tell a secret' }
            : given;
        },
      ],
    };
    expect(
      await moving()
        .open(async () => done('secret'), { seams })
        .start(),
    ).toMatchObject({ stop: 'blocked', because: 'it would tell a secret' });
  });

  it('a handoff changes what a child sees, once [R2-SEAMS]', async () => {
    const stage = moving();
    let asked = 0;
    const seams: Seams = {
      handoff: [
        (next) => async (value, ctx) => {
          asked++;
          const { topic } = (await next(value, ctx)) as { topic: string };
          return { topic: `${topic} for ${value.agent}` };
        },
      ],
    };
    async function helper(run: Run, input: { readonly topic: string }): Promise<Outcome<unknown>> {
      await run.wait({ name: 'go' });
      return done(input.topic);
    }
    const agent = async (run: Run): Promise<Outcome<unknown>> => run.spawn(helper, { topic: 'tea' }, { share: 0.5 });
    const life = stage.open(agent, { seams });
    await life.start();
    life.die();
    const second = stage.open(agent, { seams });
    await second.runtime.signal(RUN, 'go');
    expect(await second.resume()).toMatchObject({ stop: 'done', value: 'tea for helper' });
    expect(asked).toBe(1);
  });

  it('what is shown to the other side of a wait or an approval can be masked [R2-SEAMS]', async () => {
    const seams: Seams = {
      outbound: [
        (next) => async (value, ctx) => ({ masked: JSON.stringify(await next(value, ctx)).replace('4711', '****') }),
      ],
    };
    const life = moving().open(
      async (run: Run) => done(await run.step('pay', { card: '4711' }, () => 1, { class: 'irreversible' })),
      { seams },
    );
    const outcome = await life.start();
    expect(JSON.stringify(outcome)).not.toContain('4711');
    expect(JSON.stringify(outcome)).toContain('****');
  });

  it('a write of state is changed or refused [R2-SEAMS] [V7.4]', async () => {
    const store = memoryStore();
    const seams: Seams = {
      'state.write': [
        (next) => async (write, ctx) => {
          if (write.key === 'forbidden') throw new Error('no such key');
          return next({ ...write, value: { wrapped: write.value } }, ctx);
        },
      ],
    };
    const governed = governedStore(store, seams, { runId: RUN, tenant: 't', subject: 's' });
    const key = { tenant: 't', owner: 's', collection: 'c', key: 'k' };
    await governed.propose(key, { id: 'p', over: 0, value: 1, now: 0 });
    await governed.commit(key, 'p', 0);
    expect(await governed.get(key)).toMatchObject({ value: { wrapped: 1 } });
    await expect(
      governed.propose({ ...key, key: 'forbidden' }, { id: 'q', over: 0, value: 1, now: 0 }),
    ).rejects.toThrow('no such key');
  });

  it('the run itself can be wrapped', async () => {
    const seams: Seams = {
      run: [
        (next) => async (value, ctx) => {
          const outcome = await next(`${String(value)}!`, ctx);
          return outcome.stop === 'done' ? done([outcome.value, ctx.runId]) : outcome;
        },
      ],
    };
    expect(
      await moving()
        .open(async (_run: Run, input: string) => done(input), { seams })
        .start('hello'),
    ).toMatchObject({ value: ['hello!', RUN] });
  });
});

describe('guards that an agent brings along', () => {
  const mark =
    (order: string[], name: string): NonNullable<Seams['tool.pre']>[number] =>
    (next) =>
    async (value, ctx) => {
      order.push(name);
      return next(value, ctx);
    };
  const refuse: NonNullable<Seams['tool.pre']>[number] = () => async () => ({
    allow: false,
    why: 'this agent may not',
  });

  it('hold for the calls made through it, after those of the runtime, for children and branches too [R3-GOV-AUTONOMY]', async () => {
    const order: string[] = [];
    const child = async (run: Run) => done((await run.call(tool, { path: 'child' })).content);
    const life = moving().open(
      async (run: Run) => {
        const held = run.guarded({ 'tool.pre': [mark(order, 'agent'), refuse] });
        const branches = await held.all([(branch) => branch.call(tool, { path: 'branch' })], 1);
        const [branch] = branches.map((settled) => (settled.ok ? settled.value.content : 'failed'));
        const spawned = await held.spawn(child, null, { share: 0.5 });
        const scoped = (await held.scope('below').call(tool, { path: 'scope' })).content;
        const free = (await run.call(tool, { path: 'free' })).content;
        return done([branch, spawned.stop === 'done' ? spawned.value : '', scoped, free]);
      },
      { seams: { 'tool.pre': [mark(order, 'runtime')] } },
    );
    const refused = expect.stringContaining('this agent may not');
    expect(await life.start()).toMatchObject({ value: [refused, refused, refused, 'content of free'] });
    expect(order).toEqual(['runtime', 'agent', 'runtime', 'agent', 'runtime', 'agent', 'runtime']);
  });
});

describe('what a response guard sees', () => {
  const masks: Seams = {
    'tool.post': [
      (next) => async (value, ctx) => {
        const seen = await next(value, ctx);
        return { ...seen, text: seen.text.replaceAll('secret', '[masked]') };
      },
    ],
  };

  it('is also a result that verifying or a person tells afterwards [R3-GOV-GUARDS]', async () => {
    const stage = moving();
    const pay: Tool<null, string> = {
      name: 'pay',
      description: 'Pays.',
      effect: {
        class: 'undoable',
        compensate: async () => undefined,
        verify: async () => ({ happened: 'yes', result: 'paid with secret' }),
      },
      execute: async () => {
        throw Object.assign(new Error('broken off'), { code: 'ECONNRESET' });
      },
    };
    const life = stage.open(async (run: Run) => done((await run.call(pay, null)).content), { seams: masks });
    expect(await life.start()).toMatchObject({ value: 'paid with [masked]' });
    expect(JSON.stringify(await stage.entries())).not.toContain('with secret');
  });
});

describe('guards over counters', () => {
  it('judge calls side by side one after the other, with what was let pass counted [R3-AUTO-LEDGER]', async () => {
    const seams: Seams = {
      'tool.pre': [
        () =>
          async ({ args }, ctx) =>
            ctx.budget.spent.toolCalls < 2 ? { allow: true, args } : { allow: false, why: 'two are enough' },
      ],
    };
    const life = moving().open(
      async (run: Run) => {
        const calls = await Promise.all(['a', 'b', 'c', 'd'].map((path) => run.call(tool, { path })));
        return done(calls.map(({ ok }) => ok));
      },
      { seams },
    );
    expect(await life.start()).toMatchObject({ value: [true, true, false, false] });
  });
});
