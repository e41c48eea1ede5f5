import { type Agent, type Clock, type Run, systemClock } from 'flyball';
import { type CommitResult, commitLoop } from 'flyball/loops';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import type { TaskSpec } from '../../packages/flyball/src/core/work.js';
import { parsePlan } from '../../packages/flyball/src/plans/index.js';
import type { Plan } from '../../packages/flyball/src/plans/plan.js';
import { Stage } from '../runtime/stage.js';
import { loopWith, notesOf, PLAN, ROOMY, SMOOTH, TASK } from './stage-commit.js';

type Deeper = (run: Run, loop: Agent<TaskSpec, CommitResult>, task: TaskSpec) => Promise<unknown>;

/** A loop whose planner hands the task to the same loop first, and so on without end. */
function endless(deeper: Deeper): Agent<TaskSpec, CommitResult> {
  const model = scriptedModel(SMOOTH);
  const loop: Agent<TaskSpec, CommitResult> = (run, task) =>
    loopWith(model, {
      planner: async (inner, asked): Promise<Plan> => {
        await deeper(inner, loop, { ...asked, id: `${asked.id}'` });
        const read = parsePlan(PLAN);
        if (!read.ok) throw new Error(read.problem);
        return read.plan;
      },
    })(run, task);
  return loop;
}

async function rooted(deeper: Deeper, limits: object) {
  const stage = new Stage<Clock>(systemClock());
  const loop = endless(deeper);
  const life = stage.open((run, input) => loop(run, input as TaskSpec));
  const outcome = await life.start(TASK, { ...ROOMY, ...limits });
  return { outcome, stage, phases: await notesOf(stage, 'phase') };
}

describe('a commit loop that starts itself without end', () => {
  it('as a child is bounded in depth, and all together by the iterations of the root [R4-RECURSION-GUARD]', async () => {
    const ends: unknown[] = [];
    const { outcome, phases } = await rooted(
      async (run, loop, task) => ends.push(await run.spawn(loop, task, { share: 0.5 })),
      { iterations: 100, depth: 3 },
    );
    expect(outcome.stop).toBe('done');
    expect(ends).toHaveLength(4); // innermost first: the fourth level is refused, three come to their end
    expect(ends[0]).toMatchObject({ stop: 'bounded', bound: 'depth', limit: 3 });
    const loops = phases.filter(({ event }) => event === undefined);
    expect(loops).toHaveLength(4);
    const transitions = phases.length - loops.length;
    expect(outcome.usage?.iterations).toBeGreaterThanOrEqual(transitions);
    expect(outcome.usage?.iterations).toBeLessThanOrEqual(100);
  });

  it('as a child of a deep tree ends when the shared iterations are used up [R4-RECURSION-GUARD]', async () => {
    const { outcome, phases } = await rooted((run, loop, task) => run.spawn(loop, task, { share: 0.9 }), {
      iterations: 30,
      depth: 1000,
    });
    expect(['done', 'bounded']).toContain(outcome.stop);
    expect(outcome.usage?.iterations).toBeLessThanOrEqual(30);
    expect(phases.filter(({ event }) => event !== undefined && event !== 'exhausted').length).toBeLessThanOrEqual(30);
  });

  it('in its own scope spends the same iterations and ends bounded [R4-RECURSION-GUARD]', async () => {
    const { outcome, phases } = await rooted((run, loop, task) => loop(run.scope('inner'), task), { iterations: 12 });
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'iterations', limit: 12, usage: { iterations: 12 } });
    expect(phases.filter(({ event }) => event === undefined).length).toBeLessThanOrEqual(13);
  });

  it('is made of loops that keep their own limits and results apart [R4-RECURSION-GUARD]', async () => {
    const children: unknown[] = [];
    const { outcome } = await rooted(
      async (run, loop, task) => {
        if (task.id.length > TASK.id.length + 1) return;
        children.push(await run.spawn(loop, task, { share: 0.5 }));
      },
      { iterations: 100 },
    );
    expect(children).toMatchObject([{ stop: 'done', value: { provenance: { task: `${TASK.id}'` } } }]);
    expect(outcome).toMatchObject({ stop: 'done', value: { provenance: { task: TASK.id } } });
  });
});

it('a commit loop without a name is refused when it is made', () => {
  const session = { name: 'a', model: scriptedModel({}), setup: '' };
  const parts = { planner: async () => ({}) as Plan, execution: { worker: { session } } };
  expect(() => commitLoop({ ...parts, name: ' ' } as never)).toThrow('needs a name');
});
