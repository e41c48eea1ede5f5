import { type Agent, blocked, done } from 'flyball';
import { planAndSolve, type Test } from 'flyball/patterns';
import type { Plan } from 'flyball/plans';
import { type ScriptedModel, scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { ended, session } from '../../../../../test/patterns/bed.js';

const GOAL = 'Say which port had the most rain, from the CSV.';
const step = (id: string, description: string, more: object = {}) => ({
  id,
  description,
  expectedOutcome: '',
  ...more,
});
const STEPS = [
  step('read', 'Read rain.csv.'),
  step('sum', 'Add up the rain by port.', { bindings: { rows: { from: 'read' } }, dependsOn: ['read'] }),
  step('rank', 'Rank the ports CANARY-9.', { bindings: { sums: { from: 'sum' } }, dependsOn: ['sum'] }),
  step('check', 'Check the winner.', { bindings: { ranks: { from: 'rank' } }, dependsOn: ['rank'] }),
];
const planOf = (steps: readonly object[]) => JSON.stringify({ goal: GOAL, shape: 'ordered', steps });
const PLAN = planOf(STEPS);
const REVISED = planOf(
  STEPS.map((one) => (one.id === 'rank' ? { ...one, description: 'Sort the sums, then rank.' } : one)),
);

/** Does what its session says; a reply that begins with FAIL fails the step. */
const workerOf = (model: ScriptedModel): Agent<string, string> => {
  const seat = session(model, 'worker', { setup: 'You do one step.' });
  return async (run, task) => {
    const { text } = await run.ask(seat, task);
    return text.startsWith('FAIL') ? blocked(text) : done(text);
  };
};
function bed(plans: readonly string[], work: readonly string[]) {
  const model = scriptedModel({ planner: plans, worker: work, answerer: 'Bergen.' });
  return {
    model,
    planner: session(model, 'planner', { setup: 'You plan.' }),
    worker: workerOf(model),
    answerer: session(model, 'answerer'),
  };
}
const GOOD = ['rows', 'sums', 'FAIL: no ranks', 'ranks', 'Bergen it is'];

describe('planAndSolve', () => {
  it('plans again when a step fails, keeps what is done, and answers: seven calls and the answer [R3.acceptance] [R3.7]', async () => {
    const at = bed([PLAN, REVISED], GOOD);
    const { outcome, uses } = await ended(planAndSolve(at), GOAL);
    expect(outcome).toMatchObject({ stop: 'done', value: 'Bergen.' });
    expect(at.model.requests).toHaveLength(8);
    expect(uses[0]?.learned).toMatchObject({ plans: 2, steps: 5, reviews: 0, answers: 1 });
    const asked = at.model.requestsOf('worker').map(({ messages }) => messages.at(-1)?.content ?? '');
    expect(asked.filter((text) => text.includes('Read rain.csv.'))).toHaveLength(1);
    expect(asked.filter((text) => text.includes('Add up the rain'))).toHaveLength(1);
  });

  it('ends bounded after the last plan it may make, and answers nothing [R3.acceptance]', async () => {
    const again = (n: number) =>
      planOf(STEPS.map((one) => (one.id === 'read' ? { ...one, description: `Read rain.csv, way ${n}.` } : one)));
    const at = bed([PLAN, again(1), again(2), again(3)], ['FAIL', 'FAIL', 'FAIL', 'FAIL']);
    const { outcome } = await ended(planAndSolve(at), GOAL);
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'maxReplans', limit: 3 });
    expect(at.model.requestsOf('answerer')).toHaveLength(0);
  });

  it('lets no reply that is no plan reach the worker [R3.1]', async () => {
    const cyclic = planOf([step('a', 'A.', { dependsOn: ['b'] }), step('b', 'B.', { dependsOn: ['a'] })]);
    const at = bed(['I would first look.', cyclic, '{"steps":[]}'], []);
    const { outcome } = await ended(planAndSolve(at), GOAL);
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'PLAN_INVALID' } });
    expect(at.model.requestsOf('worker')).toHaveLength(0);
  });

  it('has planner and worker in two sessions with two setups [R3.2]', async () => {
    const at = bed([PLAN], ['rows', 'sums', 'ranks', 'ok']);
    await ended(planAndSolve(at), GOAL);
    const setup = (name: string) => at.model.requestsOf(name)[0]?.messages[0]?.content;
    expect(setup('planner')).toContain('You plan work that others carry out');
    expect(setup('planner')).not.toBe(setup('worker'));
  });

  it('runs no step before the plan is approved, and hands what is wrong to the planner [R3.3] [R3.4] [R3.acceptance]', async () => {
    const at = bed([PLAN, REVISED], ['rows', 'sums', 'ranks', 'ok']);
    const seen: Plan[] = [];
    const test: Test<string, Plan> = (_run, plan) => {
      seen.push(plan);
      const started = at.model.requestsOf('worker').length;
      return seen.length === 1 && started === 0 ? { ok: false, because: 'Sort before you rank.' } : { ok: true };
    };
    const { outcome } = await ended(planAndSolve({ ...at, test }), GOAL);
    expect(outcome).toMatchObject({ stop: 'done' });
    expect(at.model.promptAt('planner', 2)).toContain('Sort before you rank.');
    expect(seen[1]?.steps[2]?.description).toBe('Sort the sums, then rank.');
    const never = bed([PLAN, REVISED], []);
    const no: Test<string, Plan> = () => ({ ok: false, because: 'No.' });
    const rejected = await ended(planAndSolve({ ...never, test: no }, { maxReplans: 1 }), GOAL);
    expect(rejected.outcome).toMatchObject({ stop: 'bounded', bound: 'maxReplans' });
    expect(never.model.requestsOf('worker')).toHaveLength(0);
  });

  it('shows the worker one step and what it needs, and nothing of the others [R3.5]', async () => {
    const at = bed([PLAN], ['rows', 'sums', 'ranks', 'ok']);
    await ended(planAndSolve(at), GOAL);
    expect(at.model.promptAt('worker', 2)).toContain('<given name="rows">\nrows\n</given>');
    for (const n of [1, 2, 4]) expect(at.model.promptAt('worker', n)).not.toContain('CANARY-9');
    expect(at.model.promptAt('worker', 4)).not.toContain('sums');
  });

  it('works on a plan that nobody can change [R3.6]', async () => {
    const at = bed([PLAN], ['rows', 'sums', 'ranks', 'ok']);
    let kept: Plan | undefined;
    const test: Test<string, Plan> = (_run, plan) => {
      kept = plan;
      return { ok: true };
    };
    await ended(planAndSolve({ ...at, test }), GOAL);
    expect(Object.isFrozen(kept) && Object.isFrozen(kept?.steps[0])).toBe(true);
  });

  it('refuses a new plan that brings the failed step back as it was [R3.7]', async () => {
    const at = bed([PLAN, PLAN, REVISED], GOOD);
    const { outcome, uses } = await ended(planAndSolve(at), GOAL);
    expect(outcome).toMatchObject({ stop: 'done' });
    expect(uses[0]?.learned).toMatchObject({ plans: 3, steps: 5 });
    expect(at.model.promptAt('planner', 3)).toContain('comes back unchanged');
  });

  it('logs every version and what changed from one to the next [R3.8]', async () => {
    const at = bed([PLAN, REVISED], GOOD);
    const { entries } = await ended(planAndSolve(at), GOAL);
    const notes = entries.flatMap(({ event }) => (event.type === 'note' ? [event.event] : []));
    expect(notes.filter(({ kind }) => kind === 'plan').map(({ version }) => version)).toEqual([1, 2]);
    expect(notes.find(({ kind }) => kind === 'plan-change')).toMatchObject({
      version: 2,
      because: expect.stringContaining('rank'),
      changes: [{ change: 'edited', id: 'rank' }],
    });
  });
});
