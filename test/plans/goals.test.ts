import { type Clock, done, type Run, systemClock } from 'flyball';
import { executePlan, goalPlan, type PlanResult } from 'flyball/loops';
import { type GoalTree, readPlan } from 'flyball/plans';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { Stage } from '../runtime/stage.js';

/** Tools that are called by their name; one that is in `broken` fails. */
function toolbox(broken: readonly string[]) {
  const called: string[] = [];
  const named = (name: string) =>
    tool({
      name,
      description: `Does ${name}. Not for anything else.`,
      effect: 'pure',
      retry: { retries: 0 },
      execute: async () => {
        called.push(name);
        if (broken.includes(name)) throw new Error(`${name} is down`);
        return `${name} done`;
      },
    });
  return { called, tools: ['search', 'mirror', 'archive', 'write'].map(named) };
}

function leaf(id: string): GoalTree {
  const read = readPlan({ goal: id, steps: [{ id, description: id, stepType: 'tool', requiredTools: [id] }] });
  if (!read.ok || read.plan.steps[0] === undefined) throw new Error('no step');
  return { kind: 'leaf', step: read.plan.steps[0] };
}

/** Find it in one of three places, then write it down. */
const TREE: GoalTree = {
  kind: 'and',
  id: 'report',
  goal: 'Report what is known.',
  inOrder: true,
  children: [
    { kind: 'or', id: 'find', goal: 'Find it.', children: [leaf('search'), leaf('mirror'), leaf('archive')] },
    leaf('write'),
  ],
};

async function reach(broken: readonly string[]) {
  const { called, tools } = toolbox(broken);
  const model = scriptedModel({
    worker: ({ messages }) => {
      const asked = messages.map(({ content }) => content).join('\n');
      const name = /The step: (\w+)/.exec(asked)?.[1] ?? '';
      if (messages.some(({ role }) => role === 'tool')) return `${name} is over`;
      return { toolCalls: [{ id: 'c1', name, arguments: '{}' }] };
    },
  });
  const { plan, replanner } = goalPlan(TREE);
  const stage = new Stage<Clock>(systemClock());
  const parts = { worker: { session: { name: 'worker', model, setup: 'Work.' }, tools }, replanner, maxReprompts: 0 };
  const life = stage.open(async (run: Run) => done(await executePlan(run, parts, plan, { goal: 'Report.' })));
  const outcome = await life.start(null, { iterations: 100 });
  if (outcome.stop !== 'done') throw new Error(JSON.stringify(outcome));
  const notes = await stage.events('note');
  return {
    called,
    result: outcome.value as PlanResult,
    changes: notes.filter(({ event }) => event.kind === 'plan-change'),
  };
}

describe('a goal with alternatives', () => {
  it('is reached by the first one where that works [R4-SHAPE-ANDOR]', async () => {
    const { called, result, changes } = await reach([]);
    expect(called).toEqual(['search', 'write']);
    expect(result.completed).toBe(true);
    expect(changes).toEqual([]);
  });

  it('switches to the next one when a branch fails, and tells the change [R4-SHAPE-ANDOR] [R4-PLAN-CHANGES]', async () => {
    const { called, result, changes } = await reach(['search', 'mirror']);
    expect(called).toEqual(['search', 'mirror', 'archive', 'write']);
    expect(result).toMatchObject({ completed: true, revisions: [{ version: 2 }, { version: 3 }] });
    expect(changes).toHaveLength(2);
  });

  it('fails when none is left, and writes nothing [R4-SHAPE-ANDOR]', async () => {
    const { called, result } = await reach(['search', 'mirror', 'archive']);
    expect(called).toEqual(['search', 'mirror', 'archive']);
    expect(result).toMatchObject({ completed: false, why: expect.stringContaining('no alternative is left') });
  });
});
