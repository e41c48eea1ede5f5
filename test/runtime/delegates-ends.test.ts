import { type Agent, blocked, done, type Run } from 'flyball';
import { delegateTo, delegateTool } from 'flyball/tools';
import { auditLines, traceOf, withoutPrivate } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import { lastOf, toTheEnd } from './fork-stage.js';
import { moving, RUN } from './stage.js';

const STAYS = { options: { suspendAfterMs: 60_000 } };

function ofHelper(name: string, helper: Agent<string, unknown>, input = 'SECRET-INPUT') {
  return delegateTool({
    name,
    description: 'Has a helper look.',
    delegates: () => delegateTo(helper, input, { share: 0.5 }),
  });
}

describe('a tool that a delegate works for', () => {
  it('is private with all that the delegate is given, does and gives, in a fork too [R11-N2-PRIVATE]', async () => {
    const stage = moving();
    const helper: Agent<string, string> = async (run, input) => {
      run.best({ so: 'SECRET-BEST' });
      await run.step('look', input, () => 'SECRET-INNER', 'pure');
      await run.sleep(5);
      run.note({ kind: 'thought', text: 'SECRET-THOUGHT' });
      await run.step('look', 'SECRET-AGAIN', () => 'SECRET-LATE', 'pure');
      return done('SECRET-VALUE');
    };
    const guard = { 'tool.post': [(next: never) => next] } as never;
    const life = stage.open(
      async (run: Run) => {
        run.note({ kind: 'private', tools: ['diary'] });
        await run.call(ofHelper('diary', helper), {});
        await run.guarded(guard).call(ofHelper('diary', helper), {});
        await run.call(
          ofHelper('open', async () => done('EVERYBODY-READS'), 'nothing'),
          {},
        );
        return done(1);
      },
      { ...STAYS, seams: { handoff: [(next: never) => next] } as never },
    );
    expect(await life.start()).toMatchObject({ stop: 'done' });
    await life.runtime.fork(RUN, { at: lastOf(await stage.entries(), 'sleep-start'), id: 'fork' });
    expect(await toTheEnd(life, 'fork')).toMatchObject({ stop: 'done' });
    for (const id of [RUN, 'fork']) {
      const entries = await stage.entries(id);
      const shown = withoutPrivate(entries);
      expect(JSON.stringify(entries), id).toContain('SECRET-LATE');
      expect(JSON.stringify(shown), id).toContain('EVERYBODY-READS');
      for (const view of [shown, auditLines(id, shown), traceOf(id, shown)])
        expect(JSON.stringify(view).match(/SECRET-\w+/g) ?? [], id).toEqual([]);
    }
  });

  it('tells its caller what there is of the work, however it ended [R11-N2-PARTIAL]', async () => {
    const stuck: Agent<string, unknown> = async (run) => {
      run.best({ found: 'half' });
      return blocked('nobody owns it', { reason: { code: 'no-owner', data: { asked: 'ops' } } as never });
    };
    const broken: Agent<string, unknown> = async (run) => {
      run.best({ found: 'a third' });
      throw new Error('boom');
    };
    const outcome = await moving()
      .open(async (run: Run) => {
        const first = await run.call(ofHelper('stuck', stuck), {});
        const second = await run.call(ofHelper('broken', broken), {});
        return done([first, second]);
      })
      .start();
    expect(outcome).toMatchObject({
      stop: 'done',
      value: [
        {
          content: 'stuck failed: stuck is blocked: nobody owns it. So far: {"found":"half"}',
          failure: { detail: { reason: { code: 'no-owner' } } },
        },
        { content: 'broken failed: boom. So far: {"found":"a third"}' },
      ],
    });
  });
});

describe('run.start', () => {
  it.each([{ of: 4 }, { shared: true }])(
    'refuses a part that is no part of its own: %j [R11-N6-PART]',
    async (slice) => {
      const outcome = await moving()
        .open(async (run: Run) => {
          await run.start('agent', null, { slice: slice as never });
          return done(1);
        })
        .start();
      expect(outcome).toMatchObject({
        stop: 'failed',
        failure: { code: 'CONFIG_INVALID', message: expect.stringContaining('pass amounts or `share`') },
      });
    },
  );
});
