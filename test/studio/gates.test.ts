import { systemClock } from 'flyball';
import { type DefinedTool, tool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { governance, parsePolicy } from '../../packages/flyball/src/tools/governance/index.js';
import { approvalsOf } from '../../packages/studio/src/gates/fold-approvals.js';
import { commitsOf } from '../../packages/studio/src/gates/fold-attempts.js';
import { checksOf, guardedEffectsOf } from '../../packages/studio/src/gates/fold-guards.js';
import { criticized, judging, runCommit } from '../commit/stage-commit.js';
import { proposes, runLoop } from '../loops/stage-loop.js';
import { planText, recordedTools, runPlan, toolStep } from '../plans/stage-plan.js';

/** Wrong at first, right once the sun is named. */
const MENDED = {
  worker: () => 'Because of the moon.',
  judge: judging((shown) => (shown.includes('the sun') ? {} : { correctness: 0.4 })),
  critic: () => criticized({ description: 'The sun is missing.', line: 1 }),
  repairer: () => 'Because of the moon and the sun.',
};

describe('the attempts of a commit loop', () => {
  it('have gates with scores, what the controller made of them and the repairs between them [R6-STUDIO-GATES]', async () => {
    const { stage, outcome } = await runCommit(MENDED);
    expect(outcome.stop).toBe('done');
    const [commit, ...others] = commitsOf(await stage.entries());
    expect(others).toEqual([]);
    expect(commit?.course).toMatchObject({ phase: 'COMMIT', committed: true });
    expect(commit?.attempts).toMatchObject([
      { n: 1, verdict: 'gates-failed', control: 'repair, correctness is worst', disposition: 'reject' },
      { n: 2, verdict: 'gates-passed', control: 'met', repairs: [] },
    ]);
    const gate = (n: number) => commit?.attempts[n - 1]?.gates.find((each) => each.gate === 'correctness');
    expect([gate(1), gate(2)]).toMatchObject([
      { score: 0.4, passed: false },
      { score: 1, passed: true },
    ]);
    expect(commit?.attempts[0]?.repairs).toMatchObject([
      { n: 1, description: 'The sun is missing.', resolved: true, cause: 'logic-error' },
    ]);
    expect(commit?.attempts.every(({ tips }) => tips.length > 0)).toBe(true);
  });

  it('are there while they are made: an attempt that is being measured has no verdict yet [R6-STUDIO-GATES]', async () => {
    const { stage } = await runCommit(MENDED);
    const entries = await stage.entries();
    const seen = entries.map((_, index) => commitsOf(entries.slice(0, index + 1))[0]?.attempts ?? []);
    const told = seen.map((attempts) =>
      attempts.map(({ verdict, gates }) => `${verdict ?? 'open'}:${gates.length > 0}`).join(' '),
    );
    expect([...new Set(told)]).toEqual([
      '',
      'open:false',
      'open:true',
      'gates-failed:true',
      'gates-failed:true open:false',
      'gates-failed:true open:true',
      'gates-failed:true gates-passed:true',
    ]);
  });

  it('name who approved the output and why they were asked [R6-STUDIO-GATES]', async () => {
    const { stage, outcome } = await runCommit(
      {},
      {
        task: { id: 't', goal: 'Say why.', requirements: [], taskClass: 'x', requiresApproval: true },
        people: [['ada', { verdict: 'approve', reason: 'well said' }]],
      },
    );
    expect(outcome.stop).toBe('done');
    const entries = await stage.entries();
    expect(commitsOf(entries)[0]?.attempts).toMatchObject([
      {
        triggers: ['task-requires-approval'],
        approvals: [{ action: 'commit', status: 'approved', by: 'ada', reason: 'well said' }],
      },
    ]);
    const open = entries.findIndex(({ event }) => event.type === 'wait-end');
    expect(approvalsOf(entries.slice(0, open))).toMatchObject([
      { status: 'waiting', why: expect.stringContaining('approval') },
    ]);
  });
});

describe('the decisions of guards', () => {
  const named = (name: string, effect: 'pure' | 'irreversible') =>
    tool({
      name,
      description: `Does ${name}. Not for anything else.`,
      effect,
      input: { type: 'object', properties: {} },
      execute: async () => 'ok',
    }) as unknown as DefinedTool;

  it('stand with the effect that they were made about, the strictest one first in rank [R6-STUDIO-TIMELINE]', async () => {
    const tools = [named('look', 'pure'), named('burn', 'irreversible')];
    const { stage } = await runLoop([proposes('look'), proposes('burn'), 'Done.'], {
      tools,
      seams: governance({ clock: systemClock(), tools, autonomy: 'read-only' }),
      config: { doubleConfirmation: false },
    });
    const guarded = guardedEffectsOf(await stage.entries());
    const burn = guarded.find(({ what }) => what === 'call burn');
    expect(burn).toMatchObject({ verdict: 'denied' });
    expect(burn?.decisions.filter(({ verdict }) => verdict === 'denied')).toHaveLength(1); // told by guard and seam, counted once
    expect(guarded.some(({ what, verdict }) => what === 'call look' && verdict === 'denied')).toBe(false);
  });

  it('of a policy carry its rule and version [R6-STUDIO-TIMELINE]', async () => {
    const mail = named('mail', 'pure');
    const policy = parsePolicy(
      { version: '5', reviewedBy: 'Ada', rules: [{ id: 'never', effect: 'deny', tools: '*', because: 'No mail.' }] },
      { now: 0 },
    );
    const { stage } = await runLoop([proposes('mail'), 'I may not.'], {
      tools: [mail],
      seams: governance({ clock: systemClock(), tools: [mail], autonomy: 'autonomous', policy }),
      config: { doubleConfirmation: false },
    });
    const guarded = guardedEffectsOf(await stage.entries()).find(({ what }) => what === 'call mail');
    expect(guarded?.decisions).toContainEqual(
      expect.objectContaining({
        guard: 'policy',
        verdict: 'denied',
        rule: 'never',
        policy: expect.stringContaining('5'),
      }),
    );
  });
});

describe('the checks that an agent noted', () => {
  it('tell plans, steps and what was missing in them [R6-STUDIO-GATES]', async () => {
    const { tools } = recordedTools('search');
    const { stage } = await runPlan(
      { planner: planText([toolStep('find', 'search')]), worker: ['I found it.', proposes('search'), 'Found.'] },
      { tools },
    );
    expect(checksOf(await stage.entries()).map(({ check, verdict, text }) => [check, verdict, text])).toEqual([
      ['plan version 1', 'passed', 'all feasibility checks passed'],
      ['step find', 'warned', 'enforced: search'],
    ]);
  });
});
