import { existsSync, statSync } from 'node:fs';
import { done, failed, type Outcome, type Run } from 'flyball';
import { describe, expect, it } from 'vitest';
import { at, still } from '../../../../test/runtime/stage.js';
import { type Project, project } from '../../../../test/security/project.js';

const failure = { code: 'EFFECT_FAILED', message: 'it went wrong', retryable: false } as const;

/** Touches everything the tools can touch. */
function work({ tool }: Project) {
  return async (run: Run): Promise<void> => {
    const calls: readonly (readonly [string, unknown])[] = [
      ['write_file', { path: 'new/a.txt', content: 'a\n' }],
      ['edit_file', { path: 'b.txt', edits: [{ old: 'b', new: 'B' }] }],
      ['edit_file', { path: 'b.txt', edits: [{ old: 'B', new: 'BB\nBB' }] }],
      ['move_file', { path: 'b.txt', to: 'c.txt' }],
      ['delete_file', { path: 'd.txt' }],
    ];
    for (const [name, args] of calls) {
      const result = await run.call(tool(name), args);
      if (!result.ok) throw new Error(result.content);
    }
  };
}

function scene(): Project {
  const place = project();
  place.put('b.txt', 'b\n');
  place.put('d.txt', 'd\nd\n');
  return place;
}

function expectUntouched(place: Project): void {
  expect([place.get('b.txt'), place.get('d.txt')]).toEqual(['b\n', 'd\nd\n']);
  expect(['new', 'c.txt'].filter((name) => existsSync(place.path(name)))).toEqual([]);
}

describe('a run that changes files', () => {
  it('and fails leaves them as they were [R3-FILES-UNDO]', async () => {
    const place = scene();
    const outcome = await still()
      .open(async (run: Run): Promise<Outcome<unknown>> => {
        await work(place)(run);
        return failed(failure);
      })
      .start();
    expect(outcome).toMatchObject({ stop: 'failed', rollback: { success: true } });
    expectUntouched(place);
  });

  it('counts files and lines as they changed', async () => {
    const place = scene();
    const outcome = await still()
      .open(async (run: Run): Promise<Outcome<unknown>> => {
        await work(place)(run);
        return done(null);
      })
      .start();
    expect(outcome).toMatchObject({ stop: 'done', usage: { filesChanged: 6, linesChanged: 1 + 1 + 2 + 0 + 2 } });
  });

  it.each(['before', 'after'] as const)(
    'and dies right %s the end of a write is recorded goes on without writing twice, and can still undo [R3-FILES-UNDO]',
    async (when) => {
      const place = scene();
      const stage = still();
      const args = { path: 'b.txt', content: 'changed\n' };
      const end = async (run: Run): Promise<Outcome<unknown>> => {
        await run.step('next', null, () => 1, { class: 'idempotent', compensate: async () => undefined });
        return failed(failure);
      };
      const agent = async (run: Run): Promise<Outcome<unknown>> => {
        await run.call(place.tool('write_file'), args);
        return end(run);
      };
      await stage.crashed(agent, at(when, 'complete'));
      expect(place.get('b.txt')).toBe('changed\n');
      const inode = statSync(place.path('b.txt')).ino;
      await stage.clock.advance(66_000); // the dead owner could have acted until then
      const inodes: number[] = [];
      const seen = async (run: Run): Promise<Outcome<unknown>> => {
        await run.call(place.tool('write_file'), args);
        inodes.push(statSync(place.path('b.txt')).ino);
        return end(run);
      };
      expect(await stage.open(seen).resume()).toMatchObject({ stop: 'failed', rollback: { success: true } });
      expect(inodes).toEqual([inode]); // not written again
      expectUntouched(place);
    },
  );

  it('and dies before it acted writes once it is resumed [R3-FILES-UNDO]', async () => {
    const place = scene();
    const stage = still();
    const agent = async (run: Run): Promise<Outcome<unknown>> =>
      done(await run.call(place.tool('write_file'), { path: 'b.txt', content: 'changed\n' }));
    await stage.crashed(agent, at('after', 'intent'));
    expect(place.get('b.txt')).toBe('b\n');
    await stage.clock.advance(66_000);
    expect(await stage.open(agent).resume()).toMatchObject({ stop: 'done', value: { ok: true } });
    expect(place.get('b.txt')).toBe('changed\n');
  });

  it('gets a refusal as an observation it can read', async () => {
    const place = scene();
    const outcome = await still()
      .open(
        async (run: Run): Promise<Outcome<unknown>> =>
          done(await run.call(place.tool('read_file'), { path: '../secret.txt' })),
      )
      .start();
    expect(outcome).toMatchObject({
      value: { ok: false, content: expect.stringMatching(/outside the allowed folders/), failure: { code: 'DENIED' } },
    });
  });
});
