import { budget, done, type Run } from 'flyball';
import { requestApproval } from 'flyball/people';
import { provenanceOf } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import type { ApprovalRules, Verdict } from '../../packages/flyball/src/core/approval.js';
import type { Decided } from '../../packages/flyball/src/people/request-approval.js';
import { type Life, moving, RUN, type Stage } from '../runtime/stage.js';

const REQUEST = { action: 'commit', output: 'Dear Ada', why: 'novel', confidence: 0.8, risk: 'medium' } as const;

/** Asks about an output, and about what it was modified to, until there is a verdict. */
const agent = (rules: Partial<ApprovalRules>) => async (run: Run) => {
  let output: unknown = REQUEST.output;
  let decided: Decided = await requestApproval(run, REQUEST, rules, 'review');
  while (decided.verdict === 'modified') {
    output = decided.value;
    decided = await requestApproval(run, { ...REQUEST, output, history: decided.history }, rules, 'review');
  }
  return done({ output, decided });
};

async function openWait(stage: Stage<never>) {
  const ended = new Set((await stage.events('wait-end')).map(({ id }) => id));
  return (await stage.events('wait-start')).findLast(({ id }) => !ended.has(id));
}

/** One verdict after the other, each in a process of its own. */
async function decide(
  rules: Partial<ApprovalRules>,
  ...verdicts: readonly (readonly [by: string, verdict: Verdict])[]
) {
  const stage = moving();
  const first = stage.open(agent(rules));
  let outcome = await first.start();
  first.die();
  for (const [from, verdict] of verdicts) {
    const life: Life = stage.open(agent(rules));
    const wait = await openWait(stage as unknown as Stage<never>);
    await life.runtime.signal(RUN, wait?.token ?? '', verdict, { from, scopes: ['*'] });
    outcome = await life.resume();
    life.die();
  }
  return { stage, outcome };
}

const approve: Verdict = { verdict: 'approve' };

describe('an output that people approve', () => {
  it('is shown with all that a person has to know, and waits [R4-PEOPLE-VERDICTS]', async () => {
    const { outcome } = await decide({});
    expect(outcome).toMatchObject({
      stop: 'suspended',
      waiting: [{ kind: 'approval', name: 'review', request: REQUEST }],
    });
  });

  it('is approved by whom [R4-PEOPLE-VERDICTS] [R4-PEOPLE-PROVENANCE]', async () => {
    const { outcome, stage } = await decide({}, ['ada', approve]);
    expect(outcome).toMatchObject({ value: { decided: { verdict: 'approved', by: ['ada'] } } });
    const { approvals } = provenanceOf(RUN, await stage.entries());
    expect(approvals).toMatchObject([{ name: 'review', by: 'ada', verdict: 'approve' }]);
  });

  it('is rejected with the reason', async () => {
    const { outcome } = await decide({}, ['bob', { verdict: 'reject', reason: 'too long' }]);
    expect(outcome).toMatchObject({
      value: { decided: { verdict: 'rejected', by: 'bob', why: expect.stringContaining('too long') as string } },
    });
  });

  it('takes two different people, one after the other [R4-PEOPLE-TWO]', async () => {
    const { outcome, stage } = await decide({ people: 2 }, ['ada', approve]);
    expect(outcome).toMatchObject({
      stop: 'suspended',
      waiting: [{ name: 'review.2', request: { people: 2, history: [{ verdict: 'approve', by: 'ada' }] } }],
    });
    const life = stage.open(agent({ people: 2 }));
    const token = (await openWait(stage as unknown as Stage<never>))?.token ?? '';
    await expect(life.runtime.signal(RUN, token, approve, { from: 'ada', scopes: ['*'] })).rejects.toMatchObject({
      code: 'DENIED',
    });
    await life.runtime.signal(RUN, token, approve, { from: 'bob', scopes: ['*'] });
    expect(await life.resume()).toMatchObject({ value: { decided: { by: ['ada', 'bob'] } } });
  });

  it('goes back to the caller when it is modified, and is asked about again with its history [R4-PEOPLE-MODIFY-REGATED]', async () => {
    const modify: Verdict = { verdict: 'modify', value: 'Dear Bob', reason: 'wrong name' };
    const { outcome, stage } = await decide({ people: 2 }, ['ada', approve], ['bob', modify]);
    // what ada agreed to is no longer proposed: she may decide about the new one
    expect(outcome).toMatchObject({
      waiting: [
        {
          name: 'review.3',
          request: {
            output: 'Dear Bob',
            history: [{ by: 'ada' }, { verdict: 'modify', by: 'bob', reason: 'wrong name' }],
          },
        },
      ],
    });
    expect((await stage.events('wait-start')).at(-1)).not.toHaveProperty('needs'); // anybody may, ada too
  });

  it('can be modified only so often, over all that was asked [R4-PEOPLE-MODIFY-REGATED]', async () => {
    const modify = (value: string): Verdict => ({ verdict: 'modify', value });
    const { outcome } = await decide({ maxModifications: 1 }, ['ada', modify('b')], ['ada', modify('c')]);
    expect(outcome).toMatchObject({
      value: { output: 'b', decided: { verdict: 'rejected', why: 'it was already modified 1 times' } },
    });
  });

  it('goes to the next level when it is escalated, and is refused where there is none [R4-PEOPLE-ESCALATE]', async () => {
    const escalation = [{ to: 'head of sales', scopes: ['sales:head'] }];
    const up: Verdict = { verdict: 'escalate', reason: 'above my limit' };
    const { outcome, stage } = await decide({ escalation, scopes: ['sales'] }, ['ada', up]);
    expect(outcome).toMatchObject({
      waiting: [{ request: { to: 'head of sales', history: [{ verdict: 'escalate', by: 'ada' }] } }],
    });
    expect(await stage.events('wait-start')).toMatchObject([
      { needs: { scopes: ['sales'] } },
      { needs: { scopes: ['sales:head'] } },
    ]);
    const twice = await decide({ escalation }, ['ada', up], ['bob', up]);
    expect(twice.outcome).toMatchObject({
      value: { decided: { verdict: 'rejected', why: expect.stringContaining('there is nobody left') as string } },
    });
  });

  it('is not approved by silence [R4-PEOPLE-TIMEOUT]', async () => {
    const life = moving().open(agent({ timeoutMs: 3_600_000 }), { options: { worker: true } });
    const handle = await life.runtime.start('agent', null, { id: RUN, budget: budget({}) });
    expect(await handle.finished()).toMatchObject({ value: { decided: { verdict: 'timed-out', history: [] } } });
  });

  it.each([
    ['nobody', { people: 0 }, 'at least one person'],
    ['half a modification', { maxModifications: 0.5 }, 'whole number'],
    ['no time', { timeoutMs: 0 }, 'above 0'],
    ['no time later', { escalation: [{ to: 'x', scopes: [], timeoutMs: -1 }] }, 'above 0'],
  ])('refuses rules that ask for %s', async (_, rules, sentence) => {
    expect(await moving().open(agent(rules)).start()).toMatchObject({
      stop: 'failed',
      because: expect.stringContaining(sentence) as string,
    });
  });
});
