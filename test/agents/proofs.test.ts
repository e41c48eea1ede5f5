import type { Seams, ToolRef } from 'flyball';
import { checkAgentSpec, conversation, defineAgent, MESSAGE } from 'flyball/agents';
import { type ScriptedReply, scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { beforeAll, describe, expect, it } from 'vitest';
import { proposes } from '../loops/stage-loop.js';
import { planText, runPlan, thinking, toolStep } from '../plans/stage-plan.js';
import { moving, RUN } from '../runtime/stage.js';

beforeAll(async () => {
  await import('@cfworker/json-schema'); // the first check loads it, and virtual time would jump meanwhile
});

const refund = tool({
  name: 'refund',
  description: 'Pays an order back.',
  effect: 'idempotent',
  input: { type: 'object', properties: {} },
  execute: async () => 'refunded',
}) as unknown as ToolRef;

const denied: Seams = { 'tool.pre': [() => async () => ({ allow: false, why: 'not without the manager' })] };

const DESK = {
  name: 'desk',
  description: 'You handle refunds.',
  tools: [refund],
  outputs: { decision: { type: 'string', enum: ['refunded', 'refused'] }, message: { type: 'string' } },
  proofs: { decision: { refunded: 'refund', refused: '!refund' } },
  loop: { doubleConfirmation: false },
} as const;
const says = (decision: string) => JSON.stringify({ decision, message: 'Dear customer' });

async function ran(replies: readonly ScriptedReply[], more: Record<string, unknown> = {}, seams: Seams = {}) {
  const model = scriptedModel({ desk: [...replies] });
  const agent = defineAgent({ ...DESK, ...more, model });
  const outcome = await moving()
    .open(agent.agent as never, { seams })
    .start('My order is broken.');
  return { outcome, model };
}

describe('an output that claims an act', () => {
  it('is asked for again with the facts, and is taken once it says what happened [F-T4]', async () => {
    const { outcome, model } = await ran([proposes('refund'), says('refunded'), says('refused')], {}, denied);
    expect(outcome).toMatchObject({
      stop: 'done',
      value: { output: { decision: 'refused' } },
      acts: [{ name: 'refund', what: 'refused' }],
    });
    expect(model.requests.at(-1)?.messages.at(-1)?.content).toContain(
      'decision says "refunded", but the last call of refund did not succeed (DENIED)',
    );
  });

  it('fails after the last re-ask, and never ends done [F-T4]', async () => {
    const { outcome, model } = await ran(
      [proposes('refund'), says('refunded'), ` ${says('refunded')}`, `  ${says('refunded')}`],
      {},
      denied,
    );
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'CLAIM_UNPROVEN' } });
    model.assertFinished(); // one answer and two re-asks
  });

  it('is degraded where the definition says so [F-T4]', async () => {
    const { outcome } = await ran([says('refunded'), says('refunded')], { whenUnproven: 'degrade' });
    expect(outcome).toMatchObject({
      stop: 'degraded',
      because: expect.stringContaining('the journal shows no call of refund'),
      value: { output: { decision: 'refunded' } },
      acts: [],
    });
  });

  it('passes when the journal shows it, and may not deny what took place [F-T4]', async () => {
    expect((await ran([proposes('refund'), says('refunded')])).outcome).toMatchObject({ stop: 'done' });
    const { outcome } = await ran([proposes('refund'), says('refused'), says('refused')]);
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'CLAIM_UNPROVEN' } });
  });

  it('is checked in a single shot, which can call nothing [F-T4]', async () => {
    const model = scriptedModel({ desk: [says('refunded'), says('refused')] });
    const outcome = await moving()
      .open(defineAgent({ ...DESK, model }).invoke as never)
      .start('Refund it.');
    expect(outcome).toMatchObject({ stop: 'done', value: { output: { decision: 'refused' } } });
  });

  it('is checked in a conversation against all of its turns, where the answer holds the field [F-T4]', async () => {
    const model = scriptedModel({
      desk: [says('refunded'), 'Nothing yet.', proposes('refund'), 'Done.', says('refunded')],
    });
    const life = moving().open(conversation(defineAgent({ ...DESK, model })));
    await life.start('Is it refunded?');
    for (const text of ['Do it.', 'Is it refunded now?']) {
      await life.runtime.signal(RUN, MESSAGE, { text });
      await life.resume();
    }
    const turns = (await life.runtime.entries(RUN)).flatMap(({ event }) =>
      event.type === 'note' && event.event.kind === 'turn-end' ? [event.event['answer']] : [],
    );
    expect(turns).toEqual(['Nothing yet.', 'Done.', says('refunded')]);
  });

  it('is checked at the end of a plan [F-T4]', async () => {
    const output = { proofs: DESK.proofs };
    const planner = planText([thinking('decide')]);
    const corrected = await runPlan(
      { planner, worker: [says('refunded'), says('refused')] },
      { tools: [refund], output },
    );
    expect(corrected.outcome).toMatchObject({ stop: 'done', value: { output: says('refused') } });
    const stubborn = await runPlan(
      { planner, worker: [says('refunded'), says('refunded'), says('refunded')] },
      { tools: [refund], output },
    );
    expect(stubborn.outcome).toMatchObject({ stop: 'failed', failure: { code: 'CLAIM_UNPROVEN' } });
    const honest = await runPlan(
      { planner: planText([toolStep('pay', 'refund')]), worker: [proposes('refund'), says('refunded')] },
      { tools: [refund], output },
    );
    expect(honest.outcome).toMatchObject({ stop: 'done' });
  });

  it('is refused as a definition where its proof can never be given [F-T4]', () => {
    const spec = {
      name: 'desk',
      description: 'd',
      tools: ['refund'],
      outputs: { decision: { type: 'string', enum: ['refunded', 'refused'] } },
    };
    const checked = (proofs: unknown) => () => checkAgentSpec({ ...spec, proofs }, 'a.yaml');
    expect(checked({ decision: { refunded: ['refund'] } })).not.toThrow();
    expect(checked({ verdict: { refunded: 'refund' } })).toThrow('proofs.verdict is not an output field');
    expect(checked({ decision: { refunded: 'refnd' } })).toThrow('names refnd, which is not one of the tools');
    expect(checked({ decision: 'refund' })).toThrow('proofs.decision must be a mapping');
  });
});
