import { type Budget, budget, changed, done, type Outcome, type Run, type Session, type Tool } from 'flyball';
import { scriptedModel, turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { VIRTUAL_START } from '../../packages/flyball/src/testing/virtual-clock.js';
import { eventsOf, gate, moving, still } from './stage.js';

/** Each loop would go on for ever: only its bound ends it. */

const price = { input: 0, output: 1_000_000 };

function talker(usage: {
  readonly input: number;
  readonly output: number;
}): Session & { readonly calls: () => number } {
  const replies = Array.from({ length: 50 }, () => ({ text: 'ok', usage }));
  const model = { ...scriptedModel({ talker: replies }), price };
  return {
    name: 'talker',
    model,
    setup: 'Talk.',
    sampling: { maxOutputTokens: usage.output },
    calls: () => model.requests.length,
  };
}

async function bounded(limits: Partial<Budget>, agent: (run: Run) => Promise<Outcome<unknown>>) {
  const stage = moving();
  const outcome = await stage.open(agent).start(null, limits);
  const trips = eventsOf(await stage.entries(), 'trip');
  return { outcome, trips };
}

describe('each axis alone', () => {
  it('iterations end the loop at the limit [R2-SHOW-BUDGET-ALONE] [R2-BUDGET-AXES]', async () => {
    let rounds = 0;
    const { outcome, trips } = await bounded({ iterations: 3 }, async (run) => {
      for (;;) {
        run.budget.take('iterations');
        rounds++;
        await run.step('work', rounds, () => null, 'pure');
      }
    });
    expect(outcome).toMatchObject({
      stop: 'bounded',
      bound: 'iterations',
      limit: 3,
      usage: { iterations: 3, toolCalls: 0 },
    });
    expect(rounds).toBe(3);
    expect(trips).toMatchObject([{ bound: 'iterations', limit: 3, spent: 3, wanted: 1, node: '' }]);
  });

  it('model calls end the run before the call that would exceed them [R2-SHOW-BUDGET-ALONE]', async () => {
    const session = talker({ input: 1, output: 1 });
    const { outcome, trips } = await bounded({ modelCalls: 2, costUsd: 1000 }, async (run) => {
      for (;;) await run.ask(session, 'go on');
    });
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'modelCalls', limit: 2, usage: { modelCalls: 2 } });
    expect(session.calls()).toBe(2);
    expect(trips).toHaveLength(1);
  });

  it('tool calls end the run before the call that would exceed them [R2-SHOW-BUDGET-ALONE]', async () => {
    let executed = 0;
    const tool: Tool<number, number> = {
      name: 'count',
      description: 'Counts.',
      effect: 'pure',
      execute: async () => ++executed,
    };
    const { outcome } = await bounded({ toolCalls: 3 }, async (run) => {
      for (let n = 0; ; n++) await run.call(tool, n);
    });
    expect(outcome).toMatchObject({
      stop: 'bounded',
      bound: 'toolCalls',
      limit: 3,
      usage: { toolCalls: 3, modelCalls: 0 },
    });
    expect(executed).toBe(3);
  });

  it('prompt tokens end the run while the worst case of the next call does not fit [R2-SHOW-BUDGET-ALONE] [R2-BUDGET-RESERVE]', async () => {
    const session = talker({ input: 100, output: 1 });
    const { outcome } = await bounded({ tokensIn: 250, costUsd: 1000 }, async (run) => {
      for (;;) await run.ask(session, 'go on');
    });
    expect(outcome).toMatchObject({
      stop: 'bounded',
      bound: 'tokensIn',
      limit: 250,
      usage: { tokensIn: 200, modelCalls: 2 },
    });
    expect(session.calls()).toBe(2);
  });

  it('reply tokens end the run while the output limit of the next call does not fit [R2-SHOW-BUDGET-ALONE] [R2-BUDGET-RESERVE]', async () => {
    const session = talker({ input: 1, output: 10 });
    const { outcome } = await bounded({ tokensOut: 25, costUsd: 1000 }, async (run) => {
      for (;;) await run.ask(session, 'go on');
    });
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'tokensOut', limit: 25, usage: { tokensOut: 20 } });
    expect(session.calls()).toBe(2);
  });

  it('cost ends the run before a call that could cost more than is left [R2-SHOW-BUDGET-ALONE] [R2-BUDGET-RESERVE]', async () => {
    const session = talker({ input: 1, output: 10 }); // 10 USD a call
    const { outcome } = await bounded({ costUsd: 25 }, async (run) => {
      for (;;) await run.ask(session, 'go on');
    });
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'costUsd', limit: 25 });
    expect(outcome.usage?.costUsd).toBeCloseTo(20);
    expect(session.calls()).toBe(2);
  });

  it('depth refuses a child below the limit, and the parent goes on [R2-SHOW-BUDGET-ALONE]', async () => {
    const path: string[] = [];
    async function nest(run: Run): Promise<Outcome<unknown>> {
      path.push(run.path);
      return run.spawn(nest, null, { share: 0.5 });
    }
    const { outcome } = await bounded({ depth: 2 }, nest);
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'depth', limit: 2 });
    expect(path).toEqual(['', '/nest.0', '/nest.0/nest.0']);
  });

  it('width refuses more branches than the limit, nested ones counted [R2-SHOW-BUDGET-ALONE]', async () => {
    let started = 0;
    const { outcome } = await bounded({ width: 3 }, async (run) => {
      const inner = async (on: Run): Promise<void> => {
        started++;
        await on.all([async () => 1, async () => 2], 2);
      };
      await run.all<unknown>([inner, async () => 0], 2);
      return done(null);
    });
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'width', limit: 3 });
    expect(started).toBe(1);
  });

  it('files changed are reserved before a call and settled by what it reports [R2-SHOW-BUDGET-ALONE]', async () => {
    let written = 0;
    const write: Tool<string, string> = {
      name: 'write',
      description: 'Writes a file.',
      effect: 'idempotent',
      reserve: () => ({ filesChanged: 1 }),
      execute: async (name) => {
        written++;
        return changed(name, { filesChanged: 1 }) as unknown as string;
      },
    };
    const { outcome } = await bounded({ filesChanged: 2 }, async (run) => {
      for (let n = 0; ; n++) await run.call(write, `file ${n}`);
    });
    expect(outcome).toMatchObject({
      stop: 'bounded',
      bound: 'filesChanged',
      limit: 2,
      usage: { filesChanged: 2, linesChanged: 0 },
    });
    expect(written).toBe(2);
  });

  it('lines changed count what the tool says, and what it does not use of its reservation is free again [R2-SHOW-BUDGET-ALONE]', async () => {
    let edits = 0;
    const edit: Tool<number, number> = {
      name: 'edit',
      description: 'Edits a file.',
      effect: 'idempotent',
      reserve: () => ({ linesChanged: 10 }),
      execute: async (n) => {
        edits++;
        return changed(n, { linesChanged: 4 }) as unknown as number;
      },
    };
    const { outcome } = await bounded({ linesChanged: 20 }, async (run) => {
      for (let n = 0; ; n++) await run.call(edit, n);
    });
    // 4, 8, 12 spent: another worst case of 10 does not fit into 20 any more
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'linesChanged', limit: 20, usage: { linesChanged: 12 } });
    expect(edits).toBe(3);
  });

  it('a tool that does not report is charged with what was reserved for it [R2-BUDGET-RESERVE]', async () => {
    let written = 0;
    const write: Tool<number, number> = {
      name: 'write',
      description: 'Writes a file.',
      effect: 'idempotent',
      reserve: () => ({ filesChanged: 1 }),
      execute: async () => ++written,
    };
    const { outcome } = await bounded({ filesChanged: 2, toolCalls: 10 }, async (run) => {
      for (let n = 0; ; n++) await run.call(write, n);
    });
    expect(outcome).toMatchObject({ bound: 'filesChanged', usage: { filesChanged: 2 } });
    expect(written).toBe(2);
  });

  it('what the code counts itself is bounded too', async () => {
    const { outcome } = await bounded({ iterations: 10 }, async (run) => {
      for (;;) run.budget.take('iterations', 4);
    });
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'iterations', usage: { iterations: 8 } });
  });

  it('no progress ends a run that repeats a call and gets its earlier result [R2-SHOW-BUDGET-ALONE] [R2-BUDGET-NO-PROGRESS]', async () => {
    let executed = 0;
    const look: Tool<string, string> = {
      name: 'look',
      description: 'Looks.',
      effect: 'pure',
      execute: async () => {
        executed++;
        return 'nothing new';
      },
    };
    const { outcome } = await bounded({ noProgress: 3 }, async (run) => {
      for (;;) await run.call(look, 'there');
    });
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'noProgress', limit: 3, usage: { toolCalls: 4 } });
    expect(executed).toBe(4); // the first look, and three that brought nothing new
  });

  it('a repeated call with another result, or another call, is progress [R2-BUDGET-NO-PROGRESS]', async () => {
    let executed = 0;
    const poll: Tool<string, number> = {
      name: 'poll',
      description: 'Polls.',
      effect: 'pure',
      execute: async () => ++executed,
    };
    const fixed: Tool<string, string> = {
      name: 'fixed',
      description: 'Fixed.',
      effect: 'pure',
      execute: async () => 'same',
    };
    const { outcome } = await bounded({ noProgress: 1, toolCalls: 20 }, async (run) => {
      for (let n = 0; n < 3; n++) {
        await run.call(poll, 'there');
        await run.call(fixed, `${n}`);
      }
      return done(executed);
    });
    expect(outcome).toMatchObject({ stop: 'done', value: 3 });
  });
});

describe('time', () => {
  it('active time trips alone and aborts what is in flight [R2-SHOW-BUDGET-ALONE] [R2-BUDGET-ABORT] [V9.4]', async () => {
    const stage = still();
    let aborted: unknown;
    const life = stage.open(async (run) => {
      await run.step(
        'slow',
        null,
        (_, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              aborted = signal.reason;
              reject(signal.reason as Error);
            });
          }),
        'pure',
      );
      return done(null);
    });
    const ended = life.start(null, { wallMs: 1000 });
    await stage.clock.advance(999);
    expect(aborted).toBeUndefined();
    await stage.clock.advance(1);
    expect(await ended).toMatchObject({ stop: 'bounded', bound: 'wallMs', limit: 1000, usage: { wallMs: 1000 } });
    expect(aborted).toMatchObject({ code: 'BOUND_REACHED', bound: 'wallMs' });
  });

  it('active time does not run while the run only waits', async () => {
    const stage = moving();
    const life = stage.open(
      async (run) => {
        await run.sleep(3_600_000);
        return done(run.now() - VIRTUAL_START >= 3_600_000);
      },
      { options: { worker: true, pollMs: 1e9 } },
    );
    const handle = await life.runtime.start('agent', null, { id: 'run', budget: budget({ wallMs: 1000 }) });
    expect(await handle.finished()).toMatchObject({ stop: 'done', value: true });
  });

  it('the deadline trips alone, waiting included, and aborts what is in flight [R2-SHOW-BUDGET-ALONE] [R2-BUDGET-ABORT]', async () => {
    const stage = still();
    const begun = gate();
    let aborted = false;
    const life = stage.open(async (run) => {
      await run.step(
        'slow',
        null,
        (_, { signal }) =>
          new Promise((_resolve, reject) => {
            begun.open();
            signal.addEventListener('abort', () => {
              aborted = true;
              reject(signal.reason as Error);
            });
          }),
        'pure',
      );
      return done(null);
    });
    const deadline = VIRTUAL_START + 5000;
    const ended = life.start(null, { deadline });
    await begun.opened;
    await stage.clock.advance(4999);
    await turns();
    expect(aborted).toBe(false);
    await stage.clock.advance(1);
    expect(await ended).toMatchObject({ stop: 'bounded', bound: 'deadline', limit: deadline });
    expect(aborted).toBe(true);
  });

  it('a deadline passes while a run is suspended, and it is told when it wakes', async () => {
    const stage = moving();
    const life = stage.open(async (run) => done(await run.wait({ name: 'never' })), {
      options: { worker: true, pollMs: 1e9 },
    });
    const handle = await life.runtime.start('agent', null, {
      id: 'run',
      budget: budget({ deadline: VIRTUAL_START + 60_000 }),
    });
    expect(await handle.finished()).toMatchObject({ stop: 'bounded', bound: 'deadline' });
    expect(stage.clock.now()).toBeGreaterThanOrEqual(VIRTUAL_START + 60_000);
  });
});
