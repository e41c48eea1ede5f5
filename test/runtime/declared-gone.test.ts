import { budget, type Clock, done, type Run } from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { type Life, moving, type Stage, still } from './stage.js';

const options = { worker: true, pollMs: 100, leaseMs: 3_000 };

async function declareGone(stage: Stage<Clock>, of: string): Promise<void> {
  await stage.engine.declareGone({ at: stage.clock.now(), by: 'operator', action: 'owner-gone', of, why: 'a typo' });
}

async function start({ runtime }: Life, id: string): Promise<void> {
  await runtime.start('agent', null, { id, budget: budget() });
}

describe('a process that is declared gone and is alive', () => {
  it('takes what it works on later under another name, so that its acts are not those of a dead owner [R18-GONE-NAME]', async () => {
    const stage = still();
    const made: string[] = [];
    const agent = async (run: Run) =>
      done(
        await run.step(
          'pay',
          null,
          async (_input, { key }) => {
            made.push(key);
            return new Promise(() => undefined); // it stands still in the middle of the act
          },
          {
            class: 'undoable',
            compensate: async () => undefined,
            verify: async () => ({ happened: 'no' }),
            timeoutMs: 5_000,
          },
        ),
      );
    const pass = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 100) {
        await stage.clock.advance(100);
        await turns(10);
      }
    };
    const alive = stage.open(agent, { options });
    await declareGone(stage, 'life-1');
    await pass(1_000);
    await start(alive, 'later');
    await turns(40);
    expect((await stage.engine.get('later'))?.owner?.id).not.toBe('life-1');
    alive.vanish(); // nothing proves that it is gone
    stage.open(agent, { options });
    await pass(30_000);
    expect(made).toHaveLength(1);
    expect(await stage.engine.waits('later')).toMatchObject([{ asked: true }]);
  });

  it('does not steal its own runs [R18-GONE-NAME]', async () => {
    const stage = moving();
    const life = stage.open(
      async (run: Run) => {
        await run.sleep(20);
        return done(await run.step('work', null, () => turns(400).then(() => 'worked'), 'idempotent'));
      },
      { options },
    );
    await declareGone(stage, 'life-1');
    await start(life, 'own');
    expect(await life.runtime.handle('own').finished()).toMatchObject({ value: 'worked' });
    const entries = await life.runtime.entries('own');
    expect(entries.filter(({ event }) => event.type === 'attempt-start' && event.why === 'takeover')).toEqual([]);
  });

  it('loses what it held at once: it begins no effect there any more [R18-GONE-NAME]', async () => {
    const stage = moving();
    const made: string[] = [];
    const life = stage.open(
      async (run: Run) => {
        for (const name of ['first', 'second', 'third']) {
          await run.step(name, null, () => made.push(name), { class: 'undoable', compensate: async () => undefined });
          if (name === 'first') await declareGone(stage, 'life-1');
        }
        return done(null);
      },
      { options: { ...options, worker: false } },
    );
    await life.start().catch(() => undefined);
    expect(made).toEqual(['first']);
  });
});
