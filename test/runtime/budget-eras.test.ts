import { budget, done, type Outcome, type Run, type Session, type Tool } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { VIRTUAL_START } from '../../packages/flyball/src/testing/virtual-clock.js';
import { at, eventsOf, moving, RUN, still } from './stage.js';

/** What a run does when its budget changes: resumed under another one, or forked with one of its own. */

function worker(): { readonly tool: Tool<unknown, string>; readonly acted: string[] } {
  const acted: string[] = [];
  const tool: Tool<unknown, string> = {
    name: 'work',
    description: 'Works.',
    effect: { class: 'idempotent', simulate: () => 'simulated' },
    execute: async (args) => {
      acted.push(JSON.stringify(args));
      return 'worked';
    },
  };
  return { tool, acted };
}

const calls =
  (tool: Tool<unknown, string>, count: number) =>
  async (run: Run, name: unknown): Promise<Outcome<unknown>> => {
    for (let n = 0; n < count; n++) await run.call(tool, [name, n]);
    return done(name);
  };

describe('a larger budget', () => {
  const session: Session = {
    name: 'q',
    model: scriptedModel({ q: () => 'x' }, { capabilities: { maxOutputTokens: 100 } }),
    setup: '',
  };

  it('has room for a call before the parts of children that were asked for after it [R11-N5-ORDER]', async () => {
    const look: Tool<unknown> = { name: 'look', description: 'Looks.', effect: 'pure', execute: async () => 'seen' };
    const part = async (on: Run): Promise<Outcome<unknown>> => done(await on.step('x', null, () => 1, 'pure'));
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const late = run.call(look, null).then(async () => (await run.spawn(part, null, { of: 2 })).stop);
      const early = run.within({ of: 2 }, (on) => on.call(look, null).then(() => on.sleep(10)));
      const said = run.ask(session, 'hi');
      return done(await Promise.all([late, said.then(({ text }) => text), early.then(() => 'early')]));
    };
    const life = moving().open(agent, { options: { suspendAfterMs: 1e9 } });
    expect(await life.start(null, { tokensOut: 120 })).toMatchObject({ stop: 'bounded', bound: 'tokensOut' });
    expect(await life.resume({ budget: { tokensOut: 10_000 } })).toMatchObject({
      stop: 'done',
      value: ['done', 'x', 'early'],
    });
  });

  it('is given once, where two children go on with their parts before their parent gets there [R11-N5-ONCE]', async () => {
    const stage = moving();
    const taker = async (on: Run): Promise<Outcome<unknown>> => {
      for (let n = 0; n < 4; n++) on.budget.take('iterations');
      return done(await on.step('last', null, () => 1, 'pure'));
    };
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const both = await Promise.all([0, 1].map((n) => run.spawn(taker, n, { share: 0.5 })));
      run.budget.take('iterations', 200);
      return done(both.map(({ stop }) => stop));
    };
    const life = stage.open(agent);
    expect(await life.start(null, { iterations: 6 })).toMatchObject({ stop: 'bounded' });
    expect(await life.resume({ budget: { iterations: 1000 } })).toMatchObject({
      stop: 'done',
      value: ['done', 'done'],
    });
    const [first = 0, second = 0] = (await stage.events('slice-change')).map(({ limits }) => limits.iterations);
    expect(first).toBeGreaterThan(490);
    expect(second).toBeLessThan(260); // half of what the first leaves
  });

  it('counts for a child that goes on before its parent gets there what that child has already [R11-N5-ONCE]', async () => {
    const stage = moving();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const taker = async (on: Run): Promise<Outcome<unknown>> => {
        for (let n = 0; n < 4; n++) on.budget.take('iterations');
        return done(await on.step('last', null, () => 1, 'pure'));
      };
      const { stop } = await run.spawn(taker, null, { share: 0.5 });
      run.budget.take('iterations', 200);
      return done(stop);
    };
    const life = stage.open(agent);
    expect(await life.start(null, { iterations: 6, toolCalls: 40 })).toMatchObject({ stop: 'bounded' });
    const larger = { budget: { iterations: 1000, toolCalls: 40 } };
    expect(await life.resume(larger)).toMatchObject({ stop: 'done', value: 'done' });
    expect((await stage.events('slice-change')).map(({ limits }) => limits.toolCalls)).toEqual([20]);
  });
});

describe('a child of a fork', () => {
  it('spends no more than the budget of the fork, wherever the fork begins [F-X1]', async () => {
    const stage = moving();
    const { tool } = worker();
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      const child = await run.spawn(calls(tool, 6), 'child', { share: 0.5 });
      return done(child.stop);
    });
    expect(await life.start(null, { toolCalls: 40 })).toMatchObject({ stop: 'done', value: 'done' });
    const entries = await stage.entries();
    const starts = entries.filter(({ event }) => ['run-start', 'complete'].includes(event.type));
    expect(starts.length).toBe(7);
    for (const { seq } of starts.slice(0, 4)) {
      const fork = await life.runtime.fork(RUN, { at: seq, id: `fork-${seq}`, budget: budget({ toolCalls: 3 }) });
      const outcome = await fork.outcome();
      expect(outcome.usage?.toolCalls).toBeLessThanOrEqual(3);
      expect(outcome).toMatchObject({ stop: 'done', value: 'bounded' }); // half of three is one call
    }
  });

  it('is asked by nobody about the limits of the run it was forked from [F-X1]', async () => {
    const stage = moving();
    const { tool } = worker();
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      const child = await run.spawn(calls(tool, 6), 'child', { toolCalls: 20 });
      return done(child.stop);
    });
    await life.start(null, { toolCalls: 40 });
    const fork = await life.runtime.fork(RUN, { at: 0, id: 'fork', budget: budget({ toolCalls: 3 }) });
    expect(await fork.outcome()).toMatchObject({ usage: { toolCalls: 3 } });
    const [start] = await stage.events('spawn-start', 'fork');
    expect(start).toMatchObject({ slice: { toolCalls: 20 }, limits: { toolCalls: 3 } });
  });

  it('that ends in what the fork inherits leaves its calls on the bill of the parent [R11-FORK-CHILD-BILL]', async () => {
    const stage = moving();
    const session: Session = { name: 'q', model: scriptedModel({ q: () => 'x' }), setup: '' };
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      const child = async (on: Run): Promise<Outcome<unknown>> => {
        const { text } = await on.ask(session, 'hi');
        on.note({ kind: 'said' });
        return done(text);
      };
      const both = await Promise.all([0, 1].map((n) => run.spawn(child, n, { of: 2 })));
      await run.ask(session, 'and?');
      return done(both.map(({ stop }) => stop));
    });
    expect(await life.start()).toMatchObject({ stop: 'done', usage: { modelCalls: 3 } });
    const notes = (await stage.entries()).filter(({ event }) => event.type === 'note');
    expect(notes.length).toBe(2);
    for (const { seq } of notes) {
      const id = `fork-${seq}`;
      const fork = await life.runtime.fork(RUN, { at: seq, id, budget: budget({ modelCalls: 1 }) });
      expect(await fork.outcome()).toMatchObject({ stop: 'done', value: ['done', 'done'], usage: { modelCalls: 1 } });
      // and a fork of that one, in which the ends of the children are inherited
      const again = await life.runtime.fork(id, { at: (await stage.entries(id)).length - 2, id: `${id}-again` });
      expect(await again.outcome()).toMatchObject({ stop: 'done', usage: { modelCalls: 0 } });
    }
  });

  it('counts its time from where the fork begins [F-X10]', async () => {
    const stage = moving();
    const work = (ms: number) => () => new Promise<number>((resolve) => void stage.clock.after(ms, () => resolve(ms)));
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      await run.step('prepare', null, work(60_000), 'pure');
      const child = await run.spawn(
        async (on: Run): Promise<Outcome<unknown>> => {
          for (let n = 0; n < 10; n++) await on.step(`work ${n}`, n, work(1000), 'pure');
          return done('all ten');
        },
        null,
        { wallMs: 5000 },
      );
      return done([child.stop, child.usage?.wallMs]);
    });
    expect(await life.start()).toMatchObject({ value: ['bounded', 5000] });
    const [started] = (await stage.entries()).filter(({ event }) => event.type === 'spawn-start');
    const fork = await life.runtime.fork(RUN, { at: started?.seq ?? 0, id: 'fork' });
    expect(await fork.outcome()).toMatchObject({ value: ['bounded', 5000] });
  });
});

describe('a run that is resumed under a smaller budget', () => {
  it('does not let an open child spend what it was given before [F-X1]', async () => {
    const stage = moving();
    const { tool, acted } = worker();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const child = await run.spawn(
        async (on: Run): Promise<Outcome<unknown>> => {
          await on.call(tool, 'first');
          await on.wait({ name: 'go' });
          return calls(tool, 9)(on, 'more');
        },
        null,
        { share: 0.5 },
      );
      return done(child.stop);
    };
    const life = stage.open(agent);
    await life.start(null, { toolCalls: 40 });
    await life.resume({ budget: { toolCalls: 3 } });
    await life.runtime.signal(RUN, 'go');
    expect(await life.resume()).toMatchObject({ stop: 'done', value: 'bounded' });
    expect(acted.length).toBeLessThanOrEqual(3);
    expect(await stage.events('slice-change')).toMatchObject([{ limits: { toolCalls: 1 } }]);
  });
});

describe('a run that is bounded because a child was', () => {
  const sequence =
    (tool: Tool<unknown, string>) =>
    async (run: Run): Promise<Outcome<unknown>> => {
      for (const name of ['a', 'b', 'c']) {
        const child = await run.spawn(calls(tool, 2), name, { share: 0.5 });
        if (child.stop !== 'done') return child;
      }
      return done('all');
    };

  it('goes on under a larger budget: the child gets its part of it [F-X7]', async () => {
    const stage = moving();
    const { tool, acted } = worker();
    const life = stage.open(sequence(tool));
    expect(await life.start(null, { toolCalls: 4 })).toMatchObject({ stop: 'bounded', bound: 'toolCalls', limit: 1 });
    expect(await life.resume({ budget: { toolCalls: 50 } })).toMatchObject({ stop: 'done', value: 'all' });
    expect(acted).toHaveLength(6); // nothing was done twice
  });

  it('goes on however often that happens, through crashes, one step of the budget after the other [F-X7]', async () => {
    const stage = moving();
    const { tool, acted } = worker();
    let outcome = await stage.open(sequence(tool)).start(null, { toolCalls: 1 });
    for (let limit = 2; outcome.stop === 'bounded' && limit < 30; limit++) {
      const life = stage.open(sequence(tool));
      outcome = await life.resume({ budget: { toolCalls: limit } });
      life.die();
    }
    expect(outcome).toMatchObject({ stop: 'done', value: 'all' });
    expect(new Set(acted).size).toBe(6);
    expect(acted).toHaveLength(6);
  });

  it('goes on in branches side by side and in children of children [F-X7]', async () => {
    const stage = moving();
    const { tool, acted } = worker();
    const middle = async (run: Run, name: string): Promise<Outcome<unknown>> => {
      await run.call(tool, `${name} itself`);
      return run.spawn(calls(tool, 3), name, { share: 0.5 });
    };
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      const settled = await run.all(
        ['x', 'y', 'z'].map((name) => (on: Run) => on.spawn(middle, name, { share: 0.4 })),
        3,
      );
      for (const one of settled) {
        if (!one.ok) throw one.error;
        if (one.value.stop !== 'done') return one.value;
      }
      return done('all');
    });
    let outcome = await life.start(null, { toolCalls: 4 });
    expect(outcome.stop).toBe('bounded');
    for (let limit = 8; outcome.stop === 'bounded' && limit < 1000; limit *= 2)
      outcome = await life.resume({ budget: { toolCalls: limit } });
    expect(outcome).toMatchObject({ stop: 'done', value: 'all' });
    expect(new Set(acted).size).toBe(acted.length);
    expect(acted).toHaveLength(12);
  });

  it('keeps the outcome of a child after which its parent went on [F-X7]', async () => {
    const stage = moving();
    const { tool, acted } = worker();
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      const child = await run.spawn(calls(tool, 3), 'child', { toolCalls: 1 });
      await run.step('report', child.stop, (stop) => acted.push(`reported ${stop}`), 'idempotent');
      for (let n = 0; n < 3; n++) await run.call(tool, n);
      return done(child.stop);
    });
    expect(await life.start(null, { toolCalls: 2 })).toMatchObject({ stop: 'bounded', limit: 2 });
    expect(await life.resume({ budget: { toolCalls: 50 } })).toMatchObject({ stop: 'done', value: 'bounded' });
    expect(acted.filter((what) => what.startsWith('reported'))).toEqual(['reported bounded']);
  });
});

describe('the part of a budget that a child was given', () => {
  it('is read off the journal, whatever the code would give it today [F-K2]', async () => {
    const stage = still();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const child = await run.spawn(
        async (on: Run): Promise<Outcome<unknown>> => done(await on.wait({ name: 'never' })),
        null,
        { deadline: stage.clock.now() + 100, toolCalls: stage.clock.now() - VIRTUAL_START + 7 },
      );
      return done([child.stop, child.stop === 'bounded' && child.limit]);
    };
    const first = stage.open(agent);
    const started = first.start();
    await stage.clock.advance(60);
    expect(await started).toMatchObject({ stop: 'suspended' });
    const second = stage.open(agent);
    const resumed = second.resume();
    await stage.clock.advance(50);
    expect(await resumed).toMatchObject({ stop: 'done', value: ['bounded', VIRTUAL_START + 100] });
    expect(await stage.events('spawn-start')).toMatchObject([
      { limits: { toolCalls: 7, deadline: VIRTUAL_START + 100 } },
    ]);
    expect(await stage.events('attempt-start')).toHaveLength(2);
  });

  it('is the same in every life after a budget changed [F-K2] [F-X7]', async () => {
    const stage = moving();
    const { tool } = worker();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const child = await run.spawn(
        async (on: Run): Promise<Outcome<unknown>> => {
          for (let n = 0; n < 3; n++) {
            await on.call(tool, [n, on.budget.remaining('toolCalls'), on.budget.limits.toolCalls]);
            await on.wait({ name: `go-${n}` });
          }
          return done('child');
        },
        null,
        { share: 0.5 },
      );
      return done(child.stop);
    };
    await stage.open(agent).start(null, { toolCalls: 20 });
    for (const limit of [40, 30]) {
      const life = stage.open(agent);
      await life.resume({ budget: { toolCalls: limit } });
      await life.runtime.signal(RUN, `go-${limit === 40 ? 0 : 1}`);
      await life.resume();
      life.die();
    }
    const last = stage.open(agent);
    await last.runtime.signal(RUN, 'go-2');
    expect(await last.resume()).toMatchObject({ stop: 'done', value: 'done' });
  });
});

describe('a run that goes on after a long rest', () => {
  it('has the time of the life that goes on, so that a deadline an hour ahead is an hour ahead [F-X10]', async () => {
    const stage = still();
    const WEEK = 7 * 24 * 3600_000;
    const { tool } = worker();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.call(tool, 'before');
      const from = run.now();
      await run.call(tool, ['at', from]);
      const heard = await run.wait({ name: 'never', timeoutMs: 3600_000 });
      return done([from, heard]);
    };
    const life = stage.open(agent);
    expect(await life.start(null, { toolCalls: 1 })).toMatchObject({ stop: 'bounded' });
    await stage.clock.advance(WEEK);
    const resumed = life.resume({ budget: { toolCalls: 5 } });
    await stage.clock.advance(1000);
    expect(await resumed).toMatchObject({ stop: 'suspended' });
    await stage.clock.advance(3600_000);
    const ended = stage.open(agent).resume(); // a later life is told the same
    await stage.clock.advance(1);
    expect(await ended).toMatchObject({ stop: 'done', value: [VIRTUAL_START + WEEK, 'timed-out'] });
  });

  it('has that time also when somebody redirected it meanwhile [F-X10]', async () => {
    const stage = still();
    const WEEK = 7 * 24 * 3600_000;
    const { tool } = worker();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.call(tool, 'before');
      const from = run.now();
      await run.call(tool, 'after');
      return done([from, run.instructions().map(({ text }) => text)]);
    };
    const life = stage.open(agent);
    expect(await life.start(null, { toolCalls: 1 })).toMatchObject({ stop: 'bounded' });
    await life.runtime.redirect(RUN, 'Be brief.', { by: 'ann' });
    await stage.clock.advance(WEEK);
    const value = [VIRTUAL_START + WEEK, ['Be brief.']];
    expect(await life.resume({ budget: { toolCalls: 5 } })).toMatchObject({ stop: 'done', value });
  });

  it('keeps the old time where the code had acted on it already [F-X10]', async () => {
    const stage = still();
    const { tool, acted } = worker();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.call(tool, 'before');
      const from = run.now();
      await run.wait({ name: 'go', request: { from } });
      await run.call(tool, ['at', from]);
      return done(from);
    };
    const life = stage.open(agent);
    const rested = life.start();
    await stage.clock.advance(1000);
    expect(await rested).toMatchObject({ stop: 'suspended' });
    await stage.clock.advance(3600_000);
    await life.runtime.signal(RUN, 'go');
    expect(await life.resume({ budget: { toolCalls: 9 } })).toMatchObject({ stop: 'done', value: VIRTUAL_START });
    expect(acted).toEqual(['"before"', `["at",${VIRTUAL_START}]`]);
  });
});

describe('a fork of a run whose deadline has passed', () => {
  const waiter = async (on: Run): Promise<Outcome<unknown>> => {
    await on.step('think', null, () => 'thought', 'pure');
    await on.wait({ name: 'go', timeoutMs: 200 });
    return done('waited');
  };

  it('has no deadline unless it is given one, and nor have its children [F-X10]', async () => {
    const stage = still();
    const life = stage.open(async (run: Run) => done((await run.spawn(waiter, null, {})).stop));
    const started = life.start(null, { deadline: VIRTUAL_START + 100 });
    await stage.clock.advance(1000);
    await started;
    const entries = await stage.entries();
    const thought = entries.find(({ event }) => event.type === 'complete')?.seq ?? -1;
    const forked = await life.runtime.fork(RUN, { at: thought, id: 'fork' });
    const rested = forked.outcome();
    await stage.clock.advance(500);
    expect(await rested).toMatchObject({ stop: 'suspended' });
    const ended = life.runtime.resume('fork').then((handle) => handle.outcome());
    await stage.clock.advance(1);
    expect(await ended).toMatchObject({ stop: 'done', value: 'done' });
  });

  it('keeps the deadline that a child was given itself: one that is open ends, one that has ended stays so [R7-GEN-CHILD-DEADLINE]', async () => {
    const stage = still();
    const forever = async (on: Run): Promise<Outcome<unknown>> => {
      await on.step('think', null, () => 'thought', 'pure');
      return done(await on.wait({ name: 'never' }));
    };
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      const child = await run.spawn(forever, null, { deadline: VIRTUAL_START + 50 });
      return child.stop === 'bounded' ? child : done(child.stop);
    });
    const started = life.start();
    await stage.clock.advance(1000);
    await started;
    const resumed = life.resume().catch(() => undefined);
    await stage.clock.advance(1000);
    await resumed;
    const entries = await stage.entries();
    const points = entries.filter(({ event }) => event.type === 'complete' || event.type === 'spawn-end');
    expect(points).toHaveLength(2);
    for (const { seq } of points) {
      const forked = await life.runtime.fork(RUN, { at: seq, id: `fork-${seq}` });
      const outcome = forked.outcome();
      await stage.clock.advance(1);
      expect(await outcome).toMatchObject({ stop: 'bounded', bound: 'deadline', limit: VIRTUAL_START + 50 });
    }
    const last = points.at(-1)?.seq ?? 0;
    expect((await stage.events('wait-start', `fork-${last}`)).length).toBe(0);
  });
});

describe('a child that goes on under a new budget while its parent still lives its past', () => {
  const counting = async (on: Run): Promise<Outcome<unknown>> => {
    on.budget.take('iterations');
    await on.wait({ name: 'go' });
    await on.wait({ name: 'again' });
    return done('waited');
  };

  it('follows the new deadline of the run, also in the next life [F-X10]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => run.spawn(counting, null, {}));
    const first = await life.start(null, { iterations: 1, deadline: VIRTUAL_START + 1000 });
    expect(first).toMatchObject({ stop: 'bounded', bound: 'iterations' });
    await new Promise<void>((then) => void stage.clock.after(5000, then));
    const deadline = VIRTUAL_START + 3_600_000;
    expect(await life.resume({ budget: { iterations: 4, deadline } })).toMatchObject({ stop: 'suspended' });
    expect((await stage.events('slice-change')).map(({ limits }) => limits.deadline)).toEqual([deadline]);
    await life.runtime.signal(RUN, 'go');
    expect(await life.resume()).toMatchObject({ stop: 'suspended', waiting: [{ name: 'again' }] });
    await life.runtime.signal(RUN, 'again');
    expect(await life.resume()).toMatchObject({ stop: 'done', value: 'waited' });
  });
});

describe('a warning about the budget', () => {
  it('is given again under a new budget [F-X10]', async () => {
    const stage = moving();
    const { tool } = worker();
    const life = stage.open(calls(tool, 20));
    await life.start('it', { toolCalls: 5 });
    await life.resume({ budget: { toolCalls: 10 } });
    await life.resume({ budget: { toolCalls: 100 } });
    const warnings = await stage.events('budget-warning');
    expect(warnings.map(({ spent, limit }) => [spent, limit])).toEqual([
      [4, 5],
      [8, 10],
    ]);
  });

  it('is given where the new budget is nearly used up as it begins, and only once [R10-SIM-NEW-WARNING]', async () => {
    const stage = moving();
    const { tool } = worker();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      for (let n = 0; n < 4; n++) await run.call(tool, n);
      return done(await run.wait({ name: 'go' }));
    };
    const life = stage.open(agent);
    expect(await life.start(null, { toolCalls: 20 })).toMatchObject({ stop: 'suspended' });
    expect(await stage.events('budget-warning')).toEqual([]);
    life.die();
    const second = stage.open(agent);
    expect(await second.resume({ budget: { toolCalls: 5 } })).toMatchObject({ stop: 'suspended' });
    const warning = { type: 'budget-warning', node: '', axis: 'toolCalls', spent: 4, limit: 5 };
    expect(await stage.events('budget-warning')).toEqual([warning]);
    second.die();
    const third = stage.open(agent);
    await third.runtime.signal(RUN, 'go');
    expect(await third.resume()).toMatchObject({ stop: 'done' });
    expect(await stage.events('budget-warning')).toEqual([warning]);
  });
});

describe('a crash while the budget changes', () => {
  it.each(['before', 'after'] as const)('%s the new parts are durable, changes nothing [F-X7]', async (when) => {
    const stage = moving();
    const { tool, acted } = worker();
    const agent = async (run: Run): Promise<Outcome<unknown>> => run.spawn(calls(tool, 5), 'child', { share: 0.5 });
    await stage.open(agent).start(null, { toolCalls: 4 });
    const crashing = stage.open(agent, { crash: at(when, 'slice-change') });
    const ended = crashing.resume({ budget: { toolCalls: 40 } });
    await Promise.race([crashing.crashed, ended]);
    crashing.die();
    expect(await stage.open(agent).resume()).toMatchObject({ stop: 'done', value: 'child' });
    expect(acted).toHaveLength(5);
    expect(eventsOf(await stage.entries(), 'run-end').map(({ outcome }) => outcome.stop)).toEqual(['bounded', 'done']);
  });
});

describe('a fork of a run that reached its deadline', () => {
  it('that has none can be given more of what it lacks [R7-GEN-DEADLINE]', async () => {
    const stage = moving();
    const { tool } = worker();
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      await run.step('slow', null, () => new Promise((then) => void stage.clock.after(60_000, () => then(1))), 'pure');
      return run.spawn(calls(tool, 3), 'child', { toolCalls: 2 });
    });
    expect(await life.start(null, { deadline: VIRTUAL_START + 1000 })).toMatchObject({ bound: 'deadline' });
    const trip = (await stage.entries()).findLast(({ event }) => event.type === 'trip');
    const fork = await life.runtime.fork(RUN, { at: trip?.seq ?? 0, id: 'fork', budget: budget({ toolCalls: 1 }) });
    expect(await fork.finished()).toMatchObject({ stop: 'bounded', bound: 'toolCalls', limit: 1 });
    const larger = await life.runtime.resume('fork', { budget: { toolCalls: 10 } });
    expect(await larger.outcome()).toMatchObject({ stop: 'bounded', bound: 'toolCalls', limit: 2 });
  });
});
