import { budget, done, failed, type Run, type Tool } from 'flyball';
import { auditLines, traceOf, withoutPrivate } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import { lastOf, toTheEnd } from './fork-stage.js';
import { moving, RUN } from './stage.js';

const STAYS = { options: { suspendAfterMs: 60_000 } };

describe('what is private', () => {
  it('is private in a fork, in every view of it, although the mark is in its parent [F-X4]', async () => {
    const stage = moving();
    const vault: Tool<number, string> = {
      name: 'vault',
      description: 'Opens the vault.',
      effect: 'pure',
      execute: async (n) => `SECRET-${n}`,
    };
    const life = stage.open(async (run: Run) => {
      run.note({ kind: 'private', tools: ['vault'] });
      run.scope('diary').note({ kind: 'private' });
      await run.call(vault, 1);
      await run.sleep(5);
      await run.call(vault, 2);
      await run.scope('diary').step('write', 'SECRET-I', () => 'SECRET-3', 'pure');
      return done(1);
    }, STAYS);
    await life.start();
    await life.runtime.fork(RUN, { at: lastOf(await stage.entries(), 'sleep-end'), id: 'fork' });
    expect(await toTheEnd(life, 'fork')).toMatchObject({ stop: 'done' });
    await life.runtime.fork('fork', { at: 2, id: 'of-fork' });
    expect(await toTheEnd(life, 'of-fork')).toMatchObject({ stop: 'done' });
    for (const id of [RUN, 'fork', 'of-fork']) {
      const entries = await stage.entries(id);
      expect(JSON.stringify(entries), id).toContain('SECRET');
      for (const view of [
        withoutPrivate(entries),
        auditLines(id, withoutPrivate(entries)),
        traceOf(id, withoutPrivate(entries)),
      ])
        expect(JSON.stringify(view), id).not.toContain('SECRET');
    }
  });

  it('is private in the outcome of a child whose start a fork inherited [F-X4]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run) => {
      const child = async (on: Run) => {
        on.note({ kind: 'private' });
        await on.sleep(5);
        return done('SECRET-OF-CHILD');
      };
      await run.spawn(child, null, { share: 0.5 });
      return done(1);
    }, STAYS);
    await life.start();
    await life.runtime.fork(RUN, { at: lastOf(await stage.entries(), 'sleep-start'), id: 'fork' });
    await toTheEnd(life, 'fork');
    const entries = await stage.entries('fork');
    expect(JSON.stringify(entries)).toContain('SECRET-OF-CHILD');
    expect(JSON.stringify(withoutPrivate(entries))).not.toContain('SECRET-OF-CHILD');
  });

  it('covers what people told the run, in the next generation and in forks too [F-X4]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run, input) => {
      run.note({ kind: 'private' });
      await run.sleep(5);
      return input === null ? run.continueWith(1) : done(run.instructions().length);
    }, STAYS);
    await life.runtime.start('agent', null, { id: RUN, budget: budget() });
    await life.runtime.redirect(RUN, 'SECRET-TOLD', { by: 'ann' });
    expect(await toTheEnd(life, RUN)).toMatchObject({ value: 1 });
    await life.runtime.fork(RUN, { at: 1, generation: 1, id: 'fork' });
    expect(await toTheEnd(life, 'fork')).toMatchObject({ value: 1 });
    for (const id of [RUN, 'fork']) {
      expect(JSON.stringify(await stage.entries(id))).toContain('SECRET-TOLD');
      expect(JSON.stringify(withoutPrivate(await stage.entries(id)))).not.toContain('SECRET-TOLD');
    }
  });

  it('covers why somebody cancelled the run [F-X4]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run) => {
      run.scope('diary').note({ kind: 'private' });
      await run.step('act', 1, () => 1, { class: 'idempotent', compensate: async () => undefined });
      await run.wait({ name: 'go' });
      return done(1);
    });
    await life.start();
    await life.runtime.cancel(RUN, { by: 'ann', why: 'SECRET-WHY' });
    expect(await (await life.runtime.wake(RUN)).outcome()).toMatchObject({ stop: 'cancelled' });
    expect(JSON.stringify(withoutPrivate(await stage.entries()))).not.toContain('SECRET-WHY');
  });

  it('covers why an act of an earlier generation could not be undone [F-X4]', async () => {
    const stage = moving();
    const stubborn = (name: string): Tool<null, string> => ({
      name,
      description: name,
      effect: {
        class: 'idempotent',
        compensate: async () => {
          throw new Error(`SECRET-${name}`);
        },
      },
      execute: async () => 'ok',
    });
    const life = stage.open(
      async (run: Run, input) => {
        if (input === null) {
          run.note({ kind: 'private', tools: ['vault'] });
          await run.call(stubborn('vault'), null);
          return run.continueWith(1);
        }
        await run.call(stubborn('plain'), null);
        return failed({ code: 'EFFECT_FAILED', message: 'no', retryable: false });
      },
      { options: { compensationAttempts: 1 } },
    );
    expect(await life.start()).toMatchObject({ stop: 'failed', rollback: { success: false } });
    const shown = JSON.stringify(withoutPrivate(await stage.entries()));
    expect(shown).not.toContain('SECRET-vault');
    expect(shown).toContain('SECRET-plain');
  });
});
