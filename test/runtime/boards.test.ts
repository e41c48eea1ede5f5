import { type Agent, done, type Run } from 'flyball';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { at, moving } from './stage.js';

/** Finds something and posts it; then waits, so that the run can be resumed while one child is open. */
const finder: Agent<string, string> = async (run, topic) => {
  const found = await run.step('find', topic, (what) => `${what}!`, 'pure');
  await run.board<string>('facts').post(found);
  return done(found);
};

const LENT = { share: 0.3, boards: ['facts'] } as const;

async function gathered(run: Run) {
  const facts = run.board<string>('facts');
  await run.spawn(finder, 'a', LENT);
  await run.spawn(finder, 'b', LENT);
  await run.sleep(20);
  return done(facts.read().map(({ entry, author, position }) => `${position} ${entry} ${author}`));
}

describe('a board', () => {
  it('holds what two children posted after the run was resumed [R11-N1-RESUMED]', async () => {
    const value = ['0 a! /finder.0', '1 b! /finder.1'];
    expect(await moving().open(gathered).start()).toMatchObject({ stop: 'done', value });
    const stage = moving();
    await stage.crashed(gathered, at('after', 'sleep-start'));
    expect(await stage.open(gathered).resume()).toMatchObject({ stop: 'done', value });
    expect((await stage.events('post')).map(({ owner, board, entry }) => [owner, board, entry])).toEqual([
      ['', 'facts', 'a!'],
      ['', 'facts', 'b!'],
    ]);
  });

  it('gives readers beside a child the same as before at every crash point [R11-N1-RESUMED]', async () => {
    const agent = async (run: Run) => {
      const seen: string[] = [];
      const facts = run.board<string>('facts');
      const look = async (who: string) => {
        await run.scope(who).step('look', facts.read(), (posted) => posted.length, 'pure');
        seen.push(`${who}${facts.read().length}`);
      };
      await Promise.all([
        run
          .scope('one')
          .spawn(finder, 'a', LENT)
          .then(() => look('x')),
        run
          .scope('two')
          .spawn(finder, 'b', LENT)
          .then(() => look('y')),
      ]);
      await facts.post('own');
      await look('z');
      return done([...seen, ...facts.read().map(({ entry }) => entry)]);
    };
    const whole = moving();
    const straight = await whole.open(agent).start();
    expect(straight.stop).toBe('done');
    let died = 0;
    for (let n = 1; n < 40; n++) {
      const stage = moving();
      const life = stage.open(agent, { crash: (point) => point.n === n && point.when === 'after' });
      const ended = await Promise.race([life.start(), life.crashed.then(() => undefined)]);
      life.die();
      if (ended !== undefined) break;
      died++;
      if ((await stage.engine.get('run')) === undefined) continue;
      const isOver = (await stage.engine.get('run'))?.status === 'done';
      const next = stage.open(agent);
      const again = await (isOver ? next.runtime.handle('run').outcome() : next.resume());
      expect({ ...again, usage: undefined }).toEqual({ ...straight, usage: undefined });
    }
    expect(died).toBeGreaterThan(3);
  });

  it('is the child’s own unless its slice names it, and passes down as far as slices say [R11-N1-LENT]', async () => {
    const reader: Agent<null, number> = async (run) => done(run.board('facts').read().length);
    const middle: Agent<boolean, unknown> = async (run, lends) => {
      await run.board('facts').post('of the middle');
      return run.spawn(reader, null, { share: 0.5, ...(lends ? { boards: ['facts'] } : {}) });
    };
    const agent = async (run: Run) => {
      await run.board('facts').post('of the run');
      const seen: unknown[] = [];
      for (const boards of [['facts'], []])
        for (const lends of [true, false]) {
          const outcome = await run.spawn(middle, lends, { share: 0.2, boards });
          seen.push(outcome.stop === 'done' ? outcome.value : outcome.stop);
        }
      return done([...seen, run.board('facts').read().length]);
    };
    // both lent: the run's and the middle's; only to the middle: none; then its own board, which the reader sees or not
    expect(await moving().open(agent).start()).toMatchObject({ stop: 'done', value: [2, 0, 1, 0, 3] });
  });

  it('is the same in a fork up to its point, and empty in a new generation [R11-N1-RULES]', async () => {
    const agent = async (run: Run, round: number | null): Promise<ReturnType<typeof done<unknown>>> => {
      const facts = run.board<string>('facts');
      const before = facts.read().length;
      await run.spawn(finder, `round ${round ?? 0}`, LENT);
      await run.step('after', facts.read().length, (n) => n, 'pure');
      if (round === null) run.continueWith(1);
      return done([before, ...facts.read().map(({ entry }) => entry)]);
    };
    const stage = moving();
    const life = stage.open(agent as never);
    const outcome = await life.start();
    expect(outcome).toMatchObject({ stop: 'done', value: [0, 'round 1!'] });
    const last = (await stage.entries()).findLast(({ event }) => event.type === 'complete');
    const fork = await life.runtime.fork('run', { at: last?.seq ?? 0, generation: 1 });
    expect(await fork.finished()).toMatchObject({ stop: 'done', value: [0, 'round 1!'] });
  });

  it('takes what its schema makes of an entry, and refuses the rest; nobody can change what is on it [R11-N1-SCHEMA]', async () => {
    const Fact = z.object({ text: z.string().trim() });
    const agent = async (run: Run) => {
      const facts = run.board('facts', Fact);
      await facts.post({ text: ' a ' });
      const refused = await facts.post({ text: 1 } as never).catch((error: { code: string }) => error.code);
      const entry = facts.read()[0]?.entry as { text: string };
      expect(() => {
        entry.text = 'b';
      }).toThrow();
      const nameless = await (async () => run.board('a b'))().catch((error: { code: string }) => error.code);
      return done([facts.read().map((posted) => posted.entry), refused, nameless]);
    };
    expect(await moving().open(agent).start()).toMatchObject({
      stop: 'done',
      value: [[{ text: 'a' }], 'INPUT_INVALID', 'CONFIG_INVALID'],
    });
  });

  it('is written to through the state.write seam, which can change or refuse a post [R11-N1-SEAM] [V7.4]', async () => {
    const agent = async (run: Run) => {
      const facts = run.board<string>('facts');
      await facts.post('secret');
      const refused = await facts.post('forbidden').catch((error: { code: string }) => error.code);
      return done([...facts.read().map(({ entry }) => entry), refused]);
    };
    const stage = moving();
    const seams = {
      'state.write': [
        (next: never) => async (write: { readonly collection: string; readonly value: unknown }, ctx: never) => {
          if (write.value === 'forbidden') throw new Error(`not on ${write.collection}`);
          return (next as (value: unknown, ctx: unknown) => Promise<unknown>)({ ...write, value: '***' }, ctx);
        },
      ],
    };
    const outcome = await stage.open(agent, { seams: seams as never }).start();
    expect(outcome).toMatchObject({ stop: 'done', value: ['***', 'EFFECT_FAILED'] });
  });
});
