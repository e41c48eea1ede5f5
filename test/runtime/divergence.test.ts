import { done, type Outcome, type Run, type Tool } from 'flyball';
import { defineAgent } from 'flyball/agents';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { at, moving, RUN } from './stage.js';

type Acts = string[];

/** What was made, in order; the code changes between lives. */
const make = (run: Run, made: Acts, name: string, input: unknown = null): Promise<unknown> =>
  run.step(
    name,
    input,
    () => {
      made.push(name);
      return name;
    },
    'idempotent',
  );

async function original(run: Run, made: Acts): Promise<Outcome<unknown>> {
  const first = await make(run, made, 'first');
  const second = await make(run, made, 'second', { n: 2 });
  await run.wait({ name: 'go' });
  return done([first, second, await make(run, made, 'third')]);
}

const CHANGES: readonly (readonly [string, (run: Run, made: Acts) => Promise<Outcome<unknown>>, RegExp])[] = [
  [
    'another input at the same place',
    async (run, made) => {
      await make(run, made, 'first');
      await make(run, made, 'second', { n: 3 });
      return done(null);
    },
    /At #1 the journal holds the step "second", but the code asks for the step "second" with a different input\./,
  ],
  [
    'another name at the same place',
    async (run, made) => {
      await make(run, made, 'renamed');
      return done(null);
    },
    /At #0 the journal holds the step "first", but the code asks for the step "renamed"\./,
  ],
  [
    'new code before',
    async (run, made) => {
      await make(run, made, 'new');
      return original(run, made);
    },
    /At #0 the journal holds the step "first", but the code asks for the step "new"\./,
  ],
  [
    'a call that is missing',
    async (run, made) => {
      await make(run, made, 'first');
      await run.scope('elsewhere').step('x', null, () => made.push('x'), 'idempotent');
      return done(null);
    },
    /At #1 the journal holds the step "second", but the code does not ask for it\./,
  ],
  [
    'a function that returns with history left',
    async () => done('early'),
    /the step "first", but the code does not ask for it/,
  ],
  [
    'a wait that is not there any more',
    async (run, made) => {
      await make(run, made, 'first');
      await make(run, made, 'second', { n: 2 });
      return done('did not wait');
    },
    /At #2 the journal holds the wait "go", but the code does not ask for it\./,
  ],
  [
    'another kind of effect',
    async (run) => {
      await run.sleep(5);
      return done(null);
    },
    /asks for the sleep\./,
  ],
];

describe('code that no longer fits its journal', () => {
  it.each(CHANGES)('is stopped before any effect: %s [R2-DIVERGENCE]', async (_what, changedCode, message) => {
    const stage = moving();
    const made: Acts = [];
    const life = stage.open((run: Run) => original(run, made));
    expect(await life.start()).toMatchObject({ stop: 'suspended' });
    life.die();

    const after: Acts = [];
    const wrong = stage.open((run: Run) => changedCode(run, after));
    await expect(wrong.resume()).rejects.toMatchObject({
      code: 'REPLAY_DIVERGED',
      message: expect.stringMatching(message),
    });
    expect(after).toEqual([]);
    expect(await wrong.runtime.get(RUN)).toMatchObject({
      status: 'stalled',
      attention: expect.stringMatching(message),
    });
    wrong.die();

    const right = stage.open((run: Run) => original(run, made));
    await right.runtime.signal(RUN, 'go');
    expect(await right.resume()).toMatchObject({ stop: 'done', value: ['first', 'second', 'third'] });
    expect(made).toEqual(['first', 'second', 'third']);
  });

  it('is stopped when it returns while an INTENT is open: the doubt is never forgotten [R2-DIVERGENCE]', async () => {
    const stage = moving();
    const made: Acts = [];
    await stage.crashed((run: Run) => original(run, made), at('after', 'intent', 2));
    const wrong = stage.open(async (run: Run) => done(await make(run, made, 'first')));
    await expect(wrong.resume()).rejects.toMatchObject({
      code: 'REPLAY_DIVERGED',
      message: expect.stringMatching(/At #1 the journal holds the step "second", but/),
    });
    expect(made).toEqual(['first']);
    expect((await wrong.runtime.get(RUN)).status).toBe('stalled');
  });

  it('shows both sides to programs too [R2-DIVERGENCE]', async () => {
    const stage = moving();
    const life = stage.open((run: Run) => original(run, []));
    await life.start();
    life.die();
    const wrong = stage.open((run: Run) => make(run, [], 'renamed').then(done));
    await expect(wrong.resume()).rejects.toMatchObject({
      detail: {
        id: '#0',
        recorded: 'the step "first"',
        asked: 'the step "renamed"',
        versions: { agent: 'agent', began: '1', here: '1' },
      },
    });
  });

  it.each([
    ['1', 'The run began with version 1 of "agent", and this process has version 1 too: its code has changed.'],
    ['2', 'The run began with version 1 of "agent"; this process has version 2.'],
  ])(
    'says in words that the prompt of version %s differs, and what helps without code of its own [R19-DIVERGED-WORDS]',
    async (version, versions) => {
      const stage = moving();
      const guide = (description: string, of: string) =>
        defineAgent({
          name: 'agent',
          version: of,
          description,
          model: scriptedModel({ agent: () => ({ toolCalls: [{ id: 'c1', name: 'pay', arguments: '{}' }] }) }),
          tools: [
            { name: 'pay', description: 'Pays.', effect: { class: 'irreversible' }, execute: async () => 'paid' },
          ],
          outputs: { advice: { type: 'string', description: 'one sentence' } },
        });
      const life = stage.open(guide('You tell people what to bring.', '1'));
      expect(await life.start('Going out.')).toMatchObject({ stop: 'suspended' });
      life.die();

      const changed = stage.open(guide('You tell people briefly what to bring.', version));
      await expect(changed.resume()).rejects.toThrow(
        'At #1 the journal holds the model call "agent", but the code asks for the model call "agent" with a different prompt. ' +
          `No effect was made. ${versions} Start a worker with the code that wrote this run, then retry the run. `,
      );
    },
  );

  it('is stopped when a tool got other arguments', async () => {
    const stage = moving();
    const tool: Tool<unknown, number> = { name: 'look', description: 'Looks.', effect: 'pure', execute: async () => 1 };
    const code =
      (args: unknown) =>
      async (run: Run): Promise<Outcome<unknown>> => {
        await run.call(tool, args);
        return done(await run.wait({ name: 'go' }));
      };
    const life = stage.open(code({ at: 1 }));
    await life.start();
    life.die();
    await expect(stage.open(code({ at: 2 })).resume()).rejects.toMatchObject({
      code: 'REPLAY_DIVERGED',
      detail: { recorded: 'the tool call "look"', asked: 'the tool call "look" with different arguments' },
    });
  });

  it('goes on when the change lies ahead of the history', async () => {
    const stage = moving();
    const life = stage.open((run: Run) => original(run, []));
    await life.start();
    life.die();
    const made: Acts = [];
    const newer = stage.open(async (run: Run) => {
      await make(run, made, 'first');
      await make(run, made, 'second', { n: 2 });
      await run.wait({ name: 'go' });
      return done(await make(run, made, 'a better third'));
    });
    await newer.runtime.signal(RUN, 'go');
    expect(await newer.resume()).toMatchObject({ stop: 'done', value: 'a better third' });
    expect(made).toEqual(['a better third']);
  });
});

describe('a change that is marked', () => {
  const oldWay = async (run: Run, made: Acts): Promise<Outcome<unknown>> => {
    await make(run, made, 'old');
    await run.wait({ name: 'go' });
    return done('old way');
  };
  const newWay = async (run: Run, made: Acts): Promise<Outcome<unknown>> => {
    if (run.changed('use-new')) {
      await make(run, made, 'new');
      await run.wait({ name: 'go' });
      return done('new way');
    }
    return oldWay(run, made);
  };

  it('keeps old runs on the old branch, for good [R2-RUN-CHANGED]', async () => {
    const stage = moving();
    const made: Acts = [];
    const life = stage.open((run: Run) => oldWay(run, made));
    await life.start();
    life.die();
    const second = stage.open((run: Run) => newWay(run, made));
    expect(await second.resume()).toMatchObject({ stop: 'suspended' });
    second.die();
    const third = stage.open((run: Run) => newWay(run, made));
    await third.runtime.signal(RUN, 'go');
    expect(await third.resume()).toMatchObject({ stop: 'done', value: 'old way' });
    expect(made).toEqual(['old']);
    expect(await stage.events('changed')).toEqual([]);
  });

  it('takes new runs to the new branch, over crashes too [R2-RUN-CHANGED]', async () => {
    const stage = moving();
    const made: Acts = [];
    const life = stage.open((run: Run) => newWay(run, made));
    expect(await life.start()).toMatchObject({ stop: 'suspended' });
    life.die();
    const second = stage.open((run: Run) => newWay(run, made));
    await second.runtime.signal(RUN, 'go');
    expect(await second.resume()).toMatchObject({ stop: 'done', value: 'new way' });
    expect(made).toEqual(['new']);
    expect(await stage.events('changed')).toEqual([{ type: 'changed', id: 'use-new', path: '' }]);
  });

  it('takes an old run that had not come there yet to the new branch [R2-RUN-CHANGED]', async () => {
    const stage = moving();
    const made: Acts = [];
    const early = async (run: Run): Promise<void> => {
      await make(run, made, 'common');
      await run.wait({ name: 'start' });
    };
    const life = stage.open(async (run: Run) => {
      await early(run);
      return oldWay(run, made);
    });
    await life.start();
    life.die();
    const second = stage.open(async (run: Run) => {
      await early(run);
      return newWay(run, made);
    });
    await second.runtime.signal(RUN, 'start');
    await second.runtime.signal(RUN, 'go');
    expect(await second.resume()).toMatchObject({ stop: 'done', value: 'new way' });
    expect(made).toEqual(['common', 'new']);
  });

  const order = (made: Acts): Tool<string, string> => ({
    name: 'order',
    description: 'Orders.',
    effect: 'idempotent',
    execute: async (what) => {
      made.push(what);
      return what;
    },
  });
  const oldOrder = async (run: Run, made: Acts): Promise<Outcome<unknown>> => {
    await run.call(order(made), 'common');
    await run.call(order(made), 'old');
    return done('old way');
  };
  const newOrder = async (run: Run, made: Acts): Promise<Outcome<unknown>> => {
    await run.call(order(made), 'common');
    const isNew = run.changed('use-new');
    await run.call(order(made), isNew ? 'new' : 'old');
    return done(isNew ? 'new way' : 'old way');
  };

  it('stops older code where the mark is the last of the history, before any effect [R2-CHANGED-UNKNOWN]', async () => {
    const stage = moving();
    const made: Acts = [];
    const life = stage.open((run: Run) => newOrder(run, made));
    expect(await life.start(null, { toolCalls: 1 })).toMatchObject({ stop: 'bounded', bound: 'toolCalls' });
    life.die();

    const older = stage.open((run: Run) => oldOrder(run, made));
    await expect(older.resume({ budget: { toolCalls: 5 } })).rejects.toMatchObject({
      code: 'REPLAY_DIVERGED',
      message: expect.stringContaining("At use-new the journal holds run.changed('use-new')"),
    });
    expect(made).toEqual(['common']);
    older.die();

    const right = stage.open((run: Run) => newOrder(run, made));
    expect(await right.resume()).toMatchObject({ stop: 'done', value: 'new way' });
    expect(made).toEqual(['common', 'new']);
  });

  it('lets the old branch go as long as the call stays [R2-CHANGED-UNKNOWN]', async () => {
    const stage = moving();
    const made: Acts = [];
    const life = stage.open((run: Run) => newOrder(run, made));
    await life.start(null, { toolCalls: 1 });
    life.die();
    const cleaned = stage.open(async (run: Run) => {
      await run.call(order(made), 'common');
      run.changed('use-new');
      await run.call(order(made), 'new');
      return done('only way');
    });
    expect(await cleaned.resume({ budget: { toolCalls: 5 } })).toMatchObject({ stop: 'done', value: 'only way' });
    expect(made).toEqual(['common', 'new']);
  });

  it('is not looked for in a child that has ended, whose code does not run again [R2-CHANGED-UNKNOWN]', async () => {
    const stage = moving();
    const child = async (run: Run): Promise<Outcome<unknown>> => done(run.changed('use-new'));
    const code = async (run: Run): Promise<Outcome<unknown>> => {
      const ended = await run.spawn(child, null, { share: 0.5 });
      await run.wait({ name: 'go' });
      return done(ended);
    };
    const life = stage.open(code);
    expect(await life.start()).toMatchObject({ stop: 'suspended' });
    life.die();
    expect(await stage.events('changed')).toEqual([{ type: 'changed', id: 'use-new', path: '/child.0' }]);
    const next = stage.open(code);
    await next.runtime.signal(RUN, 'go');
    expect(await next.resume()).toMatchObject({ stop: 'done', value: { stop: 'done', value: true } });
  });

  it('is not looked for on the way out of a bound that was lifted [R2-CHANGED-UNKNOWN]', async () => {
    const stage = moving();
    const made: Acts = [];
    const code = async (run: Run): Promise<Outcome<unknown>> => {
      await run.call(order(made), 'first');
      try {
        await run.call(order(made), 'second');
        return done('both');
      } finally {
        if (made.length === 1) run.changed('leave-word');
      }
    };
    const life = stage.open(code);
    expect(await life.start(null, { toolCalls: 1 })).toMatchObject({ stop: 'bounded' });
    life.die();
    expect(await stage.events('changed')).toMatchObject([{ id: 'leave-word' }]);
    const next = stage.open(code);
    expect(await next.resume({ budget: { toolCalls: 5 } })).toMatchObject({ stop: 'done', value: 'both' });
  });

  it('is told with the version of the agent that wrote the run', async () => {
    const stage = moving();
    const life = stage.open({ agent: async () => done(1), version: '2026-01' });
    await life.start();
    expect(await life.runtime.get(RUN)).toMatchObject({ agent: 'agent', version: '2026-01' });
    expect(await stage.events('run-start')).toMatchObject([{ version: '2026-01', v: 1 }]);
  });
});
