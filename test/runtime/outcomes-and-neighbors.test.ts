import { budget, done, type EffectClass, type Model, type Outcome, type Run, type Tool } from 'flyball';
import { type AutoClock, scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { at, moving, RUN, type Stage } from './stage.js';

/** What a larger budget and a fork change about a child, where other code of the run was at work beside it. */

const WEEK_MS = 7 * 86_400_000;
const HOUR_MS = 3_600_000;

const work: Tool<unknown, string> = {
  name: 'work',
  description: 'Works.',
  effect: { class: 'idempotent', simulate: () => 'simulated' },
  retry: { retries: 0 },
  execute: async () => 'worked',
};

function later(stage: Stage<AutoClock>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    stage.clock.after(ms, resolve);
  });
}

async function three(run: Run): Promise<Outcome<unknown>> {
  for (let n = 0; n < 3; n++) await run.call(work, n);
  return done('all three');
}

describe('a branch that goes by the outcome of a child in the branch beside it', () => {
  const agentOn =
    (stage: Stage<AutoClock>) =>
    async (run: Run): Promise<Outcome<unknown>> => {
      const board: unknown[] = [];
      await run.all<unknown>(
        [
          async (on) => board.push((await on.spawn(three, null, { toolCalls: 1 })).stop),
          async (on) => {
            await on.step('begin', null, () => 'begun', 'pure');
            await on.step('let the child end', null, () => later(stage, 400), 'pure');
            for (let n = 0; n < 4; n++) await on.call(work, [n, ...board]);
          },
        ],
        2,
      );
      await run.wait({ name: 'go' });
      return done(board);
    };

  it('has its past again under a larger budget, in this life and in every later one [R7-BUDGET-NEIGHBOR]', async () => {
    const stage = moving();
    const life = stage.open(agentOn(stage));
    expect(await life.start(null, { toolCalls: 3 })).toMatchObject({ stop: 'bounded', bound: 'toolCalls', limit: 3 });
    expect(await life.resume({ budget: { toolCalls: 40 } })).toMatchObject({ stop: 'suspended' });
    expect((await stage.events('attempt-start')).at(-1)?.keeps).toEqual(['/all.0.0#0']);
    life.die();
    const next = stage.open(agentOn(stage));
    await next.runtime.signal(RUN, 'go');
    expect(await next.resume()).toMatchObject({ stop: 'done', value: ['bounded'] });
  });

  it('has its past again in a fork with a larger budget, and in a fork of that [R7-BUDGET-NEIGHBOR]', async () => {
    const stage = moving();
    const life = stage.open(agentOn(stage));
    await life.start(null, { toolCalls: 3 });
    const call = (await stage.entries()).findLast(({ event }) => event.type === 'complete')?.seq ?? -1;
    const fork = await life.runtime.fork(RUN, { at: call, id: 'fork', budget: budget({ toolCalls: 40 }) });
    expect(await fork.outcome()).toMatchObject({ stop: 'suspended' });
    const last = (await stage.entries('fork')).findLast(({ event }) => event.type === 'complete')?.seq ?? -1;
    const again = await life.runtime.fork('fork', { at: last, id: 'again' });
    expect(await again.outcome()).toMatchObject({ stop: 'suspended' });
  });
});

describe('a run that ends with the outcome of a child which a branch beside it went by', () => {
  it('refuses a larger budget with what to do instead, and that works [R7-BUDGET-NEIGHBOR]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      const board: string[] = [];
      const [child] = await run.all<Outcome<unknown>>(
        [
          async (on) => {
            const outcome = await on.spawn(three, null, { share: 0.5 });
            board.push(outcome.stop);
            return outcome;
          },
          async (on) => {
            await on.step('begin', null, () => 'begun', 'pure');
            await on.step('let the child end', null, () => later(stage, 400), 'pure');
            return done(await on.step('look', board, (seen) => seen, 'pure'));
          },
        ],
        2,
      );
      return child?.ok === true ? child.value : done('no child');
    });
    expect(await life.start(null, { toolCalls: 4 })).toMatchObject({ stop: 'bounded', bound: 'toolCalls', limit: 2 });
    const end = (await stage.entries()).find(({ event }) => event.type === 'spawn-end')?.seq ?? -1;
    await expect(life.resume({ budget: { toolCalls: 40 } })).rejects.toThrow(
      `fork the run at entry ${end} with a larger budget`,
    );
    const fork = await life.runtime.fork(RUN, { at: end, id: 'fork', budget: budget({ toolCalls: 40 }) });
    expect(await fork.outcome()).toMatchObject({ stop: 'done', value: 'all three' });
  });
});

describe('a child that was bounded while something its parent had asked for before was under way', () => {
  it('goes on when that was a pure step, which leaves no trace when it begins [R7-BUDGET-UNDER-WAY]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      const slow = run.step('slow', null, () => later(stage, 400), 'pure');
      const outcome = await run.spawn(three, null, { share: 0.5 });
      await slow;
      return outcome;
    });
    expect(await life.start(null, { toolCalls: 4 })).toMatchObject({ stop: 'bounded', bound: 'toolCalls', limit: 2 });
    expect(await life.resume({ budget: { toolCalls: 40 } })).toMatchObject({ stop: 'done', value: 'all three' });
  });

  it('goes on when that was an act that a later process tried again [R7-BUDGET-UNDER-WAY]', async () => {
    const stage = moving();
    const examined: EffectClass<null, string> = {
      class: 'undoable',
      compensate: async () => undefined,
      verify: async () => ({ happened: 'no' }),
      timeoutMs: 1000,
    };
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const act = run.step('act', null, () => 'acted', examined);
      const outcome = await run.spawn(three, null, { share: 0.5 });
      await act;
      return outcome;
    };
    await stage.crashed(agent, at('after', 'intent'), { limits: { toolCalls: 4 } });
    const life = stage.open(agent);
    expect(await life.resume()).toMatchObject({ stop: 'suspended' }); // until nobody can be about to act any more
    await later(stage, 120_000);
    expect(await life.resume()).toMatchObject({ stop: 'bounded', bound: 'toolCalls', limit: 2 });
    const written = (await stage.entries()).map(({ event }) => event.type);
    expect(written.lastIndexOf('intent')).toBeGreaterThan(written.indexOf('spawn-end'));
    expect(await life.resume({ budget: { toolCalls: 40 } })).toMatchObject({ stop: 'done', value: 'all three' });
  });
});

describe('a child that a fork begins a week later', () => {
  it('has its hour where only an overlap had been told of the turn that asks for it [R7-TIME-OVERLAP]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      const child = async (on: Run): Promise<Outcome<unknown>> => done(await on.step('in', 1, () => 1, 'pure'));
      const hour = { deadline: run.now() + HOUR_MS };
      const [, outcome] = await Promise.all([run.sleep(1), run.spawn(child, null, hour)]);
      return outcome;
    });
    expect(await life.start()).toMatchObject({ stop: 'done' });
    const told = (await stage.entries()).find(({ event }) => event.type === 'scope-overlap')?.seq ?? -1;
    await later(stage, WEEK_MS);
    const fork = await life.runtime.fork(RUN, { at: told, id: 'fork' });
    expect(await fork.outcome()).toMatchObject({ stop: 'done', value: 1 });
  });

  it('reads the time of its own first turn, in the fork and in forks of that [R7-TIME-LATE]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      run.note({ kind: 'began', at: run.now() });
      const child = async (on: Run): Promise<Outcome<unknown>> => {
        const began = on.now();
        await on.step('in', began, () => 1, 'pure');
        await on.step('still in', began, () => 1, 'pure');
        return done(began);
      };
      return run.spawn(child, null, { share: 0.5 });
    });
    await life.start();
    const note = (await stage.entries()).find(({ event }) => event.type === 'note')?.seq ?? -1;
    await later(stage, WEEK_MS);
    const began = stage.clock.now();
    const fork = await life.runtime.fork(RUN, { at: note, id: 'fork' });
    expect(await fork.outcome()).toMatchObject({ stop: 'done', value: began });
    await later(stage, WEEK_MS);
    for (const { seq } of (await stage.entries('fork')).filter(({ event }) => event.type === 'complete')) {
      const again = await life.runtime.fork('fork', { at: seq, id: `again-${seq}` });
      expect(await again.outcome()).toMatchObject({ stop: 'done', value: began });
    }
  });
});

type Branches = readonly ((on: Run) => Promise<unknown>)[];

const edit: Tool<unknown, string> = { ...work, name: 'edit', reserve: () => ({ filesChanged: 1 }) };

async function edits(run: Run): Promise<Outcome<unknown>> {
  for (let n = 0; n < 3; n++) await run.call(edit, n);
  return done('all three');
}

/** Has streamed one token when nothing more comes. */
const stalling: Model = {
  ...scriptedModel({}),
  generate: (_request, { onUsage, signal }) => {
    onUsage?.({ input: 1, output: 1 });
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  },
};

/** Takes an hour, or says in its own words that it was stopped. */
function patient(stage: Stage<AutoClock>): Tool<unknown, string>['execute'] {
  return (_args, { signal }) =>
    new Promise((resolve, reject) => {
      stage.clock.after(HOUR_MS, () => resolve('slow'));
      signal.addEventListener('abort', () => reject(new Error('the connection was closed')));
    });
}

interface Loser {
  readonly what: string;
  /** How the child ends under a larger budget. What was undone, or may have taken place, cannot be taken back. */
  readonly child: 'done' | 'bounded';
  readonly branch: (on: Run, stage: Stage<AutoClock>) => Promise<unknown>;
}

const losers: readonly Loser[] = [
  {
    what: 'a model call of which something was streamed',
    child: 'done',
    branch: (on) => on.ask({ name: 'talker', model: stalling, setup: 'Talk.' }, 'a'),
  },
  {
    what: 'a pure call',
    child: 'done',
    branch: (on, stage) => on.call({ ...work, effect: 'pure', execute: patient(stage), timeoutMs: 2 * HOUR_MS }, 0),
  },
  { what: 'a wait for a message', child: 'done', branch: (on) => on.wait({ name: 'vote' }) },
  {
    what: 'an idempotent call under way',
    child: 'bounded',
    branch: (on, stage) => on.call({ ...work, execute: patient(stage), timeoutMs: 2 * HOUR_MS }, 0),
  },
  ...[0, 3, 6].map(
    (turns): Loser => ({
      what: `an act that begins ${turns} steps after the child`,
      child: 'done',
      branch: async (on) => {
        await on.sleep(10);
        for (let n = 0; n < turns; n++) await on.step('think', n, (x) => x, 'pure');
        return on.step('act', null, () => 'acted', { class: 'undoable', compensate: async () => undefined });
      },
    }),
  ),
];

describe.each([
  { fan: 'some', vote: (run: Run, branches: Branches) => run.some(branches, { need: 1, width: 2 }) },
  { fan: 'first', vote: (run: Run, branches: Branches) => run.first(branches) },
])('a $fan that was left at the bound of a child', ({ vote }) => {
  it.each(losers)('is decided anew under a larger budget, beside $what [R7-BUDGET-DECIDED]', async (loser) => {
    const stage = moving();
    const seen: unknown[] = [];
    const life = stage.open(
      async (run: Run): Promise<Outcome<unknown>> => {
        await vote(run, [
          async (on) => {
            await on.sleep(10);
            const { stop } = await on.spawn(edits, null, { share: 0.5 });
            seen.push(stop);
            return stop;
          },
          (on) =>
            loser.branch(on, stage).catch((error: Error) => {
              seen.push(error.message);
              throw error;
            }),
        ]);
        return done(await run.call({ ...edit, reserve: () => ({ filesChanged: 2 }) }, 0));
      },
      { options: { suspendAfterMs: 1e9 } },
    );
    expect(await life.start(null, { filesChanged: 2 })).toMatchObject({ stop: 'bounded', bound: 'filesChanged' });
    expect(await life.resume({ budget: { filesChanged: 40 } })).toMatchObject({ stop: 'done' });
    const left = expect.stringContaining('Cancelled');
    expect(seen).toEqual(['bounded', left, loser.child, left]);
  });
});
