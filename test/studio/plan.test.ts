import { type Clock, done, type Run, systemClock } from 'flyball';
import { executePlan, makePlan } from 'flyball/loops';
import { scriptedModel } from 'flyball/testing';
import { type DefinedTool, tool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../packages/flyball/src/core/events.js';
import { plansOf } from '../../packages/studio/src/plan/fold-plan.js';
import { layered } from '../../packages/studio/src/plan/layout.js';
import type { PlanView } from '../../packages/studio/src/plan/plan-view.js';
import { runCommit } from '../commit/stage-commit.js';
import { proposes } from '../loops/stage-loop.js';
import { planAgent, planText, recordedTools, runPlan, thinking, toolStep } from '../plans/stage-plan.js';
import { RUN, Stage } from '../runtime/stage.js';

const statesIn = (plan: PlanView | undefined) =>
  Object.fromEntries((plan?.steps ?? []).map(({ id, state }) => [id, state]));

async function journalOf(run: ReturnType<typeof runPlan>): Promise<readonly Entry[]> {
  return (await run).stage.entries();
}

describe('the plan of a run', () => {
  it('fills in as its steps complete, and shows the past at every entry [R6-STUDIO-PLAN]', async () => {
    const { tools } = recordedTools('search', 'publish');
    const entries = await journalOf(
      runPlan(
        {
          planner: planText([toolStep('find', 'search'), thinking('weigh'), toolStep('tell', 'publish')]),
          worker: [proposes('search'), 'Found.', 'Weighed.', proposes('publish'), 'Told.'],
        },
        { tools },
      ),
    );
    const seen = entries.map((_, index) => plansOf(entries.slice(0, index + 1))[0]);
    const states = seen.flatMap((plan) => (plan === undefined ? [] : [Object.values(statesIn(plan)).join(' ')]));
    expect([...new Set(states)]).toEqual([
      'planned planned planned',
      'running planned planned',
      'verified planned planned',
      'verified running planned',
      'verified done planned',
      'verified done running',
      'verified done verified',
    ]);
    expect(seen.at(-1)).toMatchObject({
      status: 'completed',
      version: 1,
      steps: [
        {
          required: [{ tool: 'search', satisfiedBy: [expect.stringContaining('#')] }],
          result: 'Found.',
          calls: [{ tool: 'search', status: 'ok' }],
        },
        { required: [], calls: [] },
        { required: [{ tool: 'publish' }] },
      ],
      edges: [
        { from: 'find', to: 'weigh', kind: 'order' },
        { from: 'weigh', to: 'tell', kind: 'order' },
      ],
    });
  });

  it('marks what was verified only at the second try as repaired, and says what was missing [R6-STUDIO-PLAN]', async () => {
    const { tools } = recordedTools('search');
    const entries = await journalOf(
      runPlan(
        { planner: planText([toolStep('find', 'search')]), worker: ['I found it.', proposes('search'), 'Found.'] },
        { tools },
      ),
    );
    const [plan] = plansOf(entries);
    expect(statesIn(plan)).toEqual({ find: 'repaired' });
    expect(plan?.steps[0]).toMatchObject({ attempts: 2, remarks: ['asked again: search was not called'] });
  });

  it('shows both sides of a branch, the skipped one as skipped [R6-STUDIO-PLAN]', async () => {
    const entries = await journalOf(
      runPlan(
        {
          planner: planText(
            [thinking('ask'), thinking('yes', { dependsOn: ['ask'] }), thinking('no', { dependsOn: ['ask'] })],
            {
              shape: 'conditional',
              branches: [{ at: 'ask', observation: 'it rains', ifSo: ['yes'], ifNot: ['no'] }],
            },
          ),
          worker: () => 'It rains.',
          'worker-observer': JSON.stringify({ holds: true, because: 'it says so' }),
        },
        {},
      ),
    );
    const [plan] = plansOf(entries);
    expect(statesIn(plan)).toMatchObject({ ask: 'done', yes: 'done', no: 'skipped' });
    expect(plan?.edges.filter(({ to }) => to === 'no')).toEqual([
      { from: 'ask', to: 'no', kind: 'if-not', label: 'unless it rains (it does)' },
    ]);
    expect(plan?.steps.find(({ id }) => id === 'no')?.why).toContain('it rains');
  });

  it('goes on with a new version when a step fails, and keeps what failed visible [R6-STUDIO-PLAN]', async () => {
    const { tools } = recordedTools('search', 'ask');
    const entries = await journalOf(
      runPlan(
        {
          planner: planText([toolStep('find', 'search'), thinking('sum')]),
          replanner: planText([toolStep('inquire', 'ask'), thinking('sum')]),
          worker: ['No.', 'Still no.', 'Never.', proposes('ask'), 'Asked.', 'Summed.'],
        },
        { tools, execution: { maxReprompts: 2 } },
      ),
    );
    const [plan, ...others] = plansOf(entries);
    expect(others).toEqual([]);
    expect(plan).toMatchObject({
      version: 2,
      status: 'completed',
      revisions: [{ version: 2, added: ['inquire'], dropped: ['find'] }],
    });
    expect(statesIn(plan)).toEqual({ inquire: 'verified', sum: 'done', find: 'failed' });
    const before = entries.findIndex(({ event }) => event.type === 'note' && event.event.kind === 'plan-change');
    expect(statesIn(plansOf(entries.slice(0, before))[0])).toEqual({ find: 'failed', sum: 'planned' });
  });

  it('plans a step that failed again where a new version keeps it, and calls it repaired when it is verified [R6-STUDIO-PLAN]', async () => {
    const { tools } = recordedTools('search', 'ask');
    const entries = await journalOf(
      runPlan(
        {
          planner: planText([toolStep('find', 'search')]),
          replanner: planText([toolStep('find', 'ask')]),
          worker: ['No.', proposes('ask'), 'Asked.'],
        },
        { tools, execution: { maxReprompts: 0 } },
      ),
    );
    const states = entries.map((_, index) => statesIn(plansOf(entries.slice(0, index + 1))[0])['find']);
    expect(states.filter((state, index) => state !== states[index - 1])).toEqual([
      'planned',
      'running',
      'failed',
      'planned',
      'running',
      'repaired',
    ]);
  });

  it('shows a step that waits for an approval, and one that was not approved as blocked [R6-STUDIO-PLAN]', async () => {
    const send = tool({
      name: 'send',
      description: 'Sends it. Not for anything else.',
      effect: 'irreversible',
      input: { type: 'object', properties: {} },
      execute: async () => 'sent',
    }) as unknown as DefinedTool;
    const model = scriptedModel({ planner: planText([toolStep('tell', 'send')]), worker: [] });
    const agent = planAgent(model, { tools: [send], execution: { permits: () => false } });
    const stage = new Stage<Clock>(systemClock());
    const life = stage.open((run: Run) => agent(run, 'Tell them.'), { options: { suspendAfterMs: 1 } });
    const asked = await life.start();
    expect(statesIn(plansOf(await stage.entries())[0])).toEqual({ tell: 'waiting' });
    const token = asked.stop === 'suspended' ? (asked.waiting[0]?.token ?? '') : '';
    await life.runtime.signal(RUN, token, { verdict: 'reject', reason: 'not today' }, { from: 'ada', scopes: ['*'] });
    await life.resume();
    const [plan] = plansOf(await stage.entries());
    expect(plan?.steps).toMatchObject([{ state: 'blocked', why: expect.stringContaining('not today') }]);
    expect(plan?.steps[0]?.remarks).toEqual(['approval: rejected']);
  });

  it('of which only what is left is carried out later stays one plan [R6-STUDIO-PLAN]', async () => {
    const model = scriptedModel({ planner: planText([thinking('a'), thinking('b')]), worker: ['B is done.'] });
    const stage = new Stage<Clock>(systemClock());
    const life = stage.open(async (run: Run) => {
      const plan = await makePlan(run.scope('plan'), { session: { name: 'planner', model }, tools: [] }, { goal: 'g' });
      const left = { ...plan, steps: plan.steps.slice(1).map((step) => ({ ...step, dependsOn: [] })) };
      const worker = { session: { name: 'worker', model, setup: 'Work.' }, tools: [] };
      await executePlan(run.scope('act'), { worker }, left, { goal: 'g', version: 1 });
      return done(null);
    });
    expect(await life.start()).toMatchObject({ stop: 'done' });
    expect(plansOf(await stage.entries()).map(statesIn)).toEqual([{ a: 'planned', b: 'done' }]);
  });

  it('of a commit loop is drawn in one phase and filled in by another [R6-STUDIO-PLAN]', async () => {
    const { stage } = await runCommit();
    const plans = plansOf(await stage.entries());
    expect(plans.map(statesIn)).toEqual([{ explain: 'done' }]);
    expect(plans[0]).toMatchObject({ status: 'completed', steps: [{ result: 'Because of the moon.' }] });
  });
});

describe('the layout of a graph', () => {
  const size = { width: 10, height: 5, gapX: 2, gapY: 3 };

  it('puts every node below all that it hangs on, and nodes of a row side by side [R6-STUDIO-PLAN]', () => {
    const links = [
      { from: 'a', to: 'b' },
      { from: 'a', to: 'c' },
      { from: 'b', to: 'd' },
      { from: 'a', to: 'd' },
    ];
    const { nodes, width, height } = layered(['a', 'b', 'c', 'd'], links, size);
    expect(['a', 'b', 'c', 'd'].map((id) => nodes.get(id)?.layer)).toEqual([0, 1, 1, 2]);
    expect([nodes.get('b')?.x, nodes.get('c')?.x].sort()).toEqual([0, 12]);
    expect([width, height]).toEqual([22, 21]);
    expect(nodes.get('a')?.x).toBe(6); // in the middle
  });

  it('orders a row so that edges do not cross where they need not [R6-STUDIO-PLAN]', () => {
    const links = [
      { from: 'a', to: 'y' },
      { from: 'b', to: 'x' },
    ];
    const { nodes } = layered(['a', 'b', 'x', 'y'], links, size);
    expect((nodes.get('y')?.x ?? 0) < (nodes.get('x')?.x ?? 0)).toBe(
      (nodes.get('a')?.x ?? 0) < (nodes.get('b')?.x ?? 0),
    );
  });

  it('places what goes in circles and what names steps that are not there', () => {
    const links = [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'a' },
      { from: 'gone', to: 'a' },
    ];
    expect([...layered(['a', 'b'], links, size).nodes.keys()].sort()).toEqual(['a', 'b']);
  });
});
