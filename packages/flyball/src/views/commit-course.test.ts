import type { Clock, RunEvent } from 'flyball';
import { systemClock } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { criticized, judging, loopWith, ROOMY, runCommit, SMOOTH, TASK } from '../../../../test/commit/stage-commit.js';
import { gate, RUN, Stage } from '../../../../test/runtime/stage.js';
import type { TaskSpec } from '../core/work.js';
import { commitCourseOf, commitCoursesOf } from './commit-course.js';
import { attemptStart, JournalBuilder, runStart } from './fixtures.test-data.js';

const started = (path = ''): RunEvent => ({
  type: 'note',
  path,
  event: { kind: 'phase', phase: 'PLAN', iteration: 0 },
});
const moved = (from: string, event: string, to: string, iteration: number, more: object = {}, path = ''): RunEvent => ({
  type: 'note',
  path,
  event: { kind: 'phase', phase: to, from, event, iteration, ...more },
});

function journal(...events: readonly RunEvent[]): JournalBuilder {
  const builder = new JournalBuilder().add(runStart(), attemptStart(1));
  for (const event of events) builder.after(10).add(event);
  return builder;
}

describe('the course of a commit loop', () => {
  it('is the moves that the journal tells, with the phase it stands in', () => {
    const { entries } = journal(started(), moved('PLAN', 'planned', 'DECOMPOSE', 1, { why: 'first' }));
    expect(commitCourseOf(entries)).toEqual({
      loop: '',
      generation: 0,
      seq: 2,
      phase: 'DECOMPOSE',
      iteration: 1,
      transitions: [
        { from: 'PLAN', event: 'planned', to: 'DECOMPOSE', iteration: 1, at: 1_700_000_000_020, why: 'first' },
      ],
      startedAt: 1_700_000_000_010,
      committed: false,
    });
  });

  it('is none where no loop began', () => {
    expect(commitCourseOf(journal().entries)).toBeUndefined();
    const other: RunEvent = { type: 'note', path: '', event: { kind: 'phase', phase: 'drafting' } };
    expect(commitCourseOf(journal(other).entries)).toBeUndefined();
  });

  it('names the limit that ended it', () => {
    const { entries } = journal(started(), moved('REPAIR', 'repaired', 'FAIL', 1, { limit: 'maxIterations' }));
    expect(commitCourseOf(entries)).toMatchObject({ phase: 'FAIL', transitions: [{ limit: 'maxIterations' }] });
  });

  it('is one for each loop: inside another, in a row, and in the next generation', () => {
    const builder = journal(started(), started('/child'), moved('PLAN', 'planned', 'DECOMPOSE', 1, {}, '/child/'));
    builder.add(started(), moved('PLAN', 'error', 'FAIL', 1));
    builder.nextGeneration().add(started());
    const { entries } = builder;
    expect(commitCoursesOf(entries).map(({ loop, phase, generation }) => [loop, phase, generation])).toEqual([
      ['', 'PLAN', 0],
      ['/child', 'DECOMPOSE', 0],
      ['', 'FAIL', 0],
      ['', 'PLAN', 1],
    ]);
    expect(commitCourseOf(entries)).toMatchObject({ loop: '', generation: 1 });
    expect(commitCourseOf(entries, { loop: '/child' })).toMatchObject({ phase: 'DECOMPOSE' });
    expect(commitCourseOf(entries, { loop: '/other' })).toBeUndefined();
  });

  it('has no halt where it is over, whoever pauses the run after it', () => {
    const { entries } = journal(started(), moved('COMMIT', 'committed', 'COMMIT', 1), started('/other'), {
      type: 'run-pause',
      by: 'ada',
    });
    const [over, other] = commitCoursesOf(entries);
    expect(over).toMatchObject({ committed: true });
    expect(over?.halt).toBeUndefined();
    expect(other?.halt).toMatchObject({ phase: 'PLAN', by: 'ada' });
  });

  it('shows where a paused loop rests, who stopped it and when, until somebody lets it go on [R4-EXIT-ARTEFACTS]', async () => {
    const held = gate();
    const model = scriptedModel({
      ...SMOOTH,
      worker: async () => {
        await held.opened;
        return 'Because of the moon.';
      },
    });
    const loop = loopWith(model);
    const stage = new Stage<Clock>(systemClock());
    const agent = (run: Parameters<typeof loop>[0], input: unknown) => loop(run, input as TaskSpec);
    const life = stage.open(agent);
    const resting = life.start(TASK, ROOMY);
    await model.reached('worker');
    await life.runtime.pause(RUN, { by: 'ada' });
    held.open();
    expect(await resting).toMatchObject({ stop: 'suspended', paused: true });

    const entries = await stage.entries();
    const pause = entries.find(({ event }) => event.type === 'run-pause');
    const course = commitCourseOf(entries, { runId: RUN });
    expect(course).toMatchObject({
      phase: 'VERIFY', // what was in flight has ended, and nothing new begins
      iteration: 4,
      halt: { run: RUN, phase: 'VERIFY', iteration: 4, by: 'ada', at: pause?.at },
    });
    expect(entries.some(({ event }) => event.type === 'rollback-start')).toBe(false);

    expect(await stage.open(agent).resume()).toMatchObject({ stop: 'done', value: { status: 'committed' } });
    const after = commitCourseOf(await stage.entries(), { runId: RUN });
    expect(after?.halt).toBeUndefined();
    expect(after).toMatchObject({ phase: 'COMMIT', committed: true });
  });

  it('holds the report of a loop that failed [R4-EXIT-ARTEFACTS]', async () => {
    const { outcome, stage } = await runCommit({
      judge: judging(() => ({ correctness: 0.6, completeness: 0 })),
      critic: () => criticized({ description: 'the moon is not named', line: 1 }),
    });
    expect(outcome.stop).toBe('failed');
    const course = commitCourseOf(await stage.entries());
    expect(course).toMatchObject({
      phase: 'FAIL',
      committed: false,
      failure: {
        diagnosis: expect.arrayContaining([expect.objectContaining({ dimension: 'correctness' })]) as unknown,
        checkpoint: { run: RUN, phase: 'REPAIR', iteration: course?.iteration },
      },
    });
    expect(course?.failure?.reason).toBe(course?.transitions.at(-1)?.why);
    // the outcome holds the texts as well
    const { reason, repairs, checkpoint } = course?.failure ?? {};
    expect(outcome).toMatchObject({ failure: { detail: { report: { reason, repairs, checkpoint } } } });
  });
});
