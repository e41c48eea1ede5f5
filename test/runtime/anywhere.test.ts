import { budget, done, type Outcome, type Run, type Runtime, type Session, type Tool } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { forkPoints } from '../../packages/flyball/src/core/fork-points.js';
import { type Life, moving, RUN } from './stage.js';

/** An agent that uses everything, interrupted at each of its entries in turn. */
class World {
  readonly exists = new Set<string>();
  readonly made: string[] = [];

  readonly tool: Tool<string, string> = {
    name: 'make',
    description: 'Makes something.',
    effect: {
      class: 'undoable',
      verify: async (name) =>
        this.exists.has(name) ? { happened: 'yes', result: `${name} made` } : { happened: 'no' },
      compensate: async (name) => {
        this.exists.delete(name);
      },
    },
    execute: async (name) => {
      this.exists.add(name);
      this.made.push(name);
      return `${name} made`;
    },
  };

  readonly agent = async (run: Run): Promise<Outcome<unknown>> => {
    const model = scriptedModel({ talker: ({ messages }) => `echo ${messages.at(-1)?.content}` });
    const session: Session = { name: 'talker', model, setup: 'Echo.' };
    const child = async (on: Run, name: string): Promise<Outcome<unknown>> => {
      await on.call(this.tool, `${name} of child`);
      await on.sleep(20);
      return done(await on.step('think', name, () => `thought ${name}`, 'pure'));
    };
    run.note({ kind: 'phase', phase: 'start' });
    const read = await run.step('read', { n: 1 }, ({ n }) => n + 1, 'pure');
    const first = await run.call(this.tool, 'first');
    const both = await run.all<unknown>(
      [(on) => on.ask(session, `hello ${read}`).then(({ text }) => text), (on) => on.spawn(child, 'a', { share: 0.5 })],
      2,
    );
    const race = await run.first<string>([
      async (on) => {
        await on.call(this.tool, 'loser');
        await on.sleep(1000);
        return 'slow';
      },
      async (on) => {
        await on.sleep(30);
        await on.call(this.tool, 'winner');
        return 'fast';
      },
    ]);
    const waited = await run.wait({ name: 'never', timeoutMs: 40 });
    await run.sleep(500);
    // what a child costs and does is of the run that pays and acts: a fork's is its own
    const values = both.map((one) => (one.ok ? withoutFacts(one.value) : one.error.message));
    return done(JSON.parse(JSON.stringify([read, first.content, values, race, waited, run.random()])));
  };
}

function withoutFacts(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? { ...value, usage: undefined, acts: undefined } : value;
}

const OPTIONS = { options: { suspendAfterMs: 100 } };

/** Goes on with a run until it ends, sleeping through its timers. */
async function toTheEnd(life: Life, clock: ReturnType<typeof moving>['clock'], id = RUN): Promise<Outcome<unknown>> {
  for (let round = 0; round < 50; round++) {
    const outcome = await life.runtime.handle(id).outcome();
    if (outcome.stop !== 'suspended') return outcome;
    const untils = outcome.waiting.flatMap(({ until }) => (until === undefined ? [] : [until]));
    const next = Math.min(...untils);
    if (outcome.paused !== true && Number.isFinite(next)) {
      await new Promise<void>((resolve) => clock.after(Math.max(0, next - clock.now()), resolve));
    }
    await life.runtime.resume(id).catch((error: { readonly code?: string }) => {
      if (error.code !== 'ALREADY_TERMINAL') throw error;
    });
  }
  throw new Error('It does not come to an end.');
}

async function uninterrupted(): Promise<{ readonly value: unknown; readonly entries: number }> {
  const stage = moving();
  const world = new World();
  const life = stage.open(world.agent, OPTIONS);
  await life.runtime.start('agent', null, { id: RUN, budget: budget() });
  const outcome = await toTheEnd(life, stage.clock);
  expect(outcome).toMatchObject({ stop: 'done' });
  expect([...world.exists].toSorted()).toEqual(['a of child', 'first', 'winner']);
  return { value: 'value' in outcome ? outcome.value : undefined, entries: (await stage.entries()).length };
}

/** Calls `act` once, when the n-th entry has become durable. */
function atEntry(runtime: Runtime, n: number, act: () => Promise<unknown>): { readonly acted: () => boolean } {
  let seen = 0;
  let acted = false;
  runtime.subscribe((_runId, entries) => {
    seen += entries.length;
    if (acted || seen < n) return;
    acted = true;
    act().catch(() => undefined);
  });
  return { acted: () => acted };
}

describe('a run that uses everything', () => {
  it('is forked from any entry that is valid, and comes to the same end without acting [R2-FORK] [R2-FORK-SIMULATED]', async () => {
    const stage = moving();
    const world = new World();
    const life = stage.open(world.agent, OPTIONS);
    await life.runtime.start('agent', null, { id: RUN, budget: budget() });
    const outcome = await toTheEnd(life, stage.clock);
    const made = [...world.made];
    const points = forkPoints(await stage.entries());
    expect(points.length).toBeGreaterThan(10);
    for (const point of points) {
      const id = `fork-at-${point}`;
      await life.runtime.fork(RUN, { at: point, id });
      const forked = await toTheEnd(life, stage.clock, id);
      expect([point, forked.stop, 'value' in forked && forked.value]).toEqual([
        point,
        'done',
        'value' in outcome && outcome.value,
      ]);
    }
    expect(world.made).toEqual(made);
    expect([...world.exists].toSorted()).toEqual(['a of child', 'first', 'winner']);
  });

  it('is paused at any entry, and comes to the same end [R2-PAUSE]', async () => {
    const { value, entries } = await uninterrupted();
    for (let n = 1; n <= entries; n++) {
      const stage = moving();
      const world = new World();
      const life = stage.open(world.agent, OPTIONS);
      atEntry(life.runtime, n, () => life.runtime.pause(RUN));
      await life.runtime.start('agent', null, { id: RUN, budget: budget() });
      const outcome = await toTheEnd(life, stage.clock);
      expect([n, outcome.stop, 'value' in outcome && outcome.value]).toEqual([n, 'done', value]);
      expect(world.made).toHaveLength(4);
    }
  });

  it('is cancelled at any entry, and leaves nothing behind [R2-SAGA-ORDER]', async () => {
    const { entries } = await uninterrupted();
    for (let n = 1; n < entries; n++) {
      const stage = moving();
      const world = new World();
      const life = stage.open(world.agent, OPTIONS);
      atEntry(life.runtime, n, () => life.runtime.cancel(RUN));
      await life.runtime.start('agent', null, { id: RUN, budget: budget() });
      const outcome = await toTheEnd(life, stage.clock);
      expect([n, outcome.stop]).toEqual([n, expect.stringMatching(/cancelled|done/)]);
      if (outcome.stop === 'cancelled') expect([n, ...world.exists]).toEqual([n]);
    }
  });

  it.each([
    ['toolCalls', 4],
    ['modelCalls', 1],
    ['tokensOut', 1000],
    ['width', 4],
    ['depth', 1],
  ] as const)(
    'is bounded at any limit of %s, and comes to the same end under a larger one [R2-RESUME-BUDGET] [R2-SHOW-ONCE]',
    async (axis, most) => {
      const { value } = await uninterrupted();
      for (let limit = 0; limit < most; limit += Math.ceil(most / 5)) {
        const stage = moving();
        const world = new World();
        const life = stage.open(world.agent, OPTIONS);
        await life.runtime.start('agent', null, { id: RUN, budget: budget({ [axis]: limit }) });
        const first = await toTheEnd(life, stage.clock);
        if (first.stop !== 'bounded') continue; // a child without depth is an outcome, which this agent lives with
        expect([limit, first.bound, first.limit]).toEqual([limit, axis, limit]);
        await life.runtime.resume(RUN, { budget: { [axis]: most + limit } });
        const outcome = await toTheEnd(life, stage.clock);
        expect([limit, outcome.stop]).toEqual([limit, 'done']);
        expect([limit, new Set(world.made).size]).toEqual([limit, world.made.length]);
        // a child that got too small a part of the old budget keeps its outcome; everything else is as it would have been
        if (axis !== 'toolCalls') expect([limit, 'value' in outcome && outcome.value]).toEqual([limit, value]);
      }
    },
  );

  it('is given back at any entry by a process that closes, and comes to the same end in another [R2-SUSPEND]', async () => {
    const { value, entries } = await uninterrupted();
    for (let n = 1; n < entries; n++) {
      const stage = moving();
      const world = new World();
      const life = stage.open(world.agent, OPTIONS);
      const closed = new Promise<void>((resolve) => {
        atEntry(life.runtime, n, () => life.runtime.close().then(resolve));
      });
      await life.runtime.start('agent', null, { id: RUN, budget: budget() });
      const ended = toTheEnd(life, stage.clock).catch(() => undefined);
      await Promise.race([closed, ended.then(() => closed)]);
      life.die();
      const second = stage.open(world.agent, OPTIONS);
      await second.runtime.resume(RUN).catch((error: { readonly code?: string }) => {
        if (error.code !== 'ALREADY_TERMINAL') throw error;
      });
      const outcome = await toTheEnd(second, stage.clock);
      expect([n, outcome.stop, 'value' in outcome && outcome.value]).toEqual([n, 'done', value]);
      expect([n, world.made.length]).toEqual([n, 4]);
    }
  });
});
