import type { StandardSchema, ToolRef } from 'flyball';
import { checkAgentSpec, conversation, defineAgent, MESSAGE } from 'flyball/agents';
import { type ScriptedReply, scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { proposes } from '../loops/stage-loop.js';
import { planText, runPlan, thinking } from '../plans/stage-plan.js';
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

const CASE = z.object({
  refund: z.object({ status: z.string(), amount: z.number().optional() }),
  steps: z.array(z.object({ did: z.string() })).optional(),
  message: z.string().optional(),
});
const base = { name: 'desk', description: 'd', tools: [refund], loop: { doubleConfirmation: false } } as const;
const says = (status: string, more: object = {}) => JSON.stringify({ refund: { status }, ...more });

function defined(proofs: unknown, output: unknown = CASE, replies: readonly ScriptedReply[] = ['x']) {
  const model = scriptedModel({ desk: [...replies] });
  return { agent: defineAgent({ ...base, model, output: output as never, proofs: proofs as never }), model };
}

async function ran(proofs: unknown, replies: readonly ScriptedReply[], output: unknown = CASE) {
  const { agent, model } = defined(proofs, output, replies);
  return {
    outcome: await moving()
      .open(agent.agent as never)
      .start('Refund it.'),
    model,
  };
}

describe('fields of proofs', () => {
  it.each([
    ['misspelt', { refnd: { paid: 'refund' } }, 'proofs.refnd is no output field'],
    ['misspelt inside', { 'refund.state': { paid: 'refund' } }, 'proofs.refund.state is no output field'],
    ['in no list of fields', { 'refund.status.code': { paid: 'refund' } }, 'is no output field'],
    ['misspelt in a list', { 'steps.done': { paid: 'refund' } }, 'proofs.steps.done is no output field'],
  ])('are refused with the definition where they are %s in a zod schema [R8-TRUTH-FIELDS]', (_how, proofs, problem) => {
    expect(() => defined(proofs)).toThrow(problem);
  });

  it('are refused where they claim a value that the field cannot have [R8-TRUTH-FIELDS]', () => {
    const output = z.object({ decision: z.enum(['refunded', 'refused']) });
    expect(() => defined({ decision: { Refunded: 'refund' } }, output)).not.toThrow();
    expect(() => defined({ decision: { refundet: 'refund' } }, output)).toThrow(
      'proofs.decision.refundet is none of refunded, refused',
    );
  });

  it('may lie inside, in lists too [R8-TRUTH-FIELDS]', async () => {
    const nested = { 'refund.status': { paid: 'refund' } };
    expect((await ran(nested, [says('paid'), says('open')])).outcome).toMatchObject({
      stop: 'done',
      value: { output: { refund: { status: 'open' } } },
    });
    expect((await ran(nested, [proposes('refund'), says('paid')])).outcome).toMatchObject({ stop: 'done' });
    const listed = { 'steps.did': { paid: 'refund' } };
    const claimed = says('open', { steps: [{ did: 'looked' }, { did: 'paid' }] });
    expect((await ran(listed, [claimed, claimed])).outcome).toMatchObject({ failure: { code: 'CLAIM_UNPROVEN' } });
  });

  it('are asked for where the schema does not tell whether they exist [R8-TRUTH-FIELDS]', async () => {
    const open: StandardSchema = z.record(z.string(), z.unknown()) as never;
    const { outcome, model } = await ran(
      { decision: { refunded: 'refund' } },
      ['{"verdict":"refunded"}', '{"decision":"refused"}'],
      open,
    );
    expect(outcome).toMatchObject({ stop: 'done', value: { output: { decision: 'refused' } } });
    expect(model.requests[1]?.messages.at(-1)?.content).toContain('decision is missing');
  });
});

describe('values of proofs', () => {
  const proofs = { 'refund.status': { 'paid back': 'refund' } };

  it.each(['paid back', 'Paid back', ' PAID  BACK ', 'paid_back', 'Paid back.', 'ｐａｉｄ back', 'paid\u200b back'])(
    'are claimed by %j too [R8-TRUTH-VALUES]',
    async (status) => {
      const { outcome } = await ran(proofs, [says(status), says('open')]);
      expect(outcome).toMatchObject({ stop: 'done', value: { output: { refund: { status: 'open' } } } });
    },
  );

  it('are not claimed by other words [R8-TRUTH-VALUES]', async () => {
    const { outcome, model } = await ran(proofs, [says('not paid back')]);
    expect(outcome).toMatchObject({ stop: 'done' });
    expect(model.requests).toHaveLength(1);
  });

  it('may be several, numbers, or a test of your own [R8-TRUTH-VALUES]', async () => {
    const several = { 'refund.status': [{ says: ['paid', 'credited'], needs: 'refund' }] };
    const large = { 'refund.amount': [{ says: (amount: unknown) => Number(amount) > 0, needs: 'refund' }] };
    const exact = { 'refund.amount': [{ says: 5, needs: ['refund'] }] };
    const amount = (n: number) => JSON.stringify({ refund: { status: 'x', amount: n } });
    for (const [given, claim, honest] of [
      [several, says('Credited'), says('open')],
      [large, amount(5), amount(0)],
      [exact, amount(5), amount(6)],
    ] as const) {
      const { outcome, model } = await ran(given, [claim, honest]);
      expect(outcome).toMatchObject({ stop: 'done', value: { output: JSON.parse(honest) as object } });
      expect(model.requests).toHaveLength(2);
    }
  });

  it('may be listed in a file, and are read to the last field [R8-TRUTH-VALUES]', () => {
    const spec = { name: 'desk', description: 'd', tools: ['refund'], outputs: ['decision'] };
    const checked = (proofs: unknown) => () => checkAgentSpec({ ...spec, proofs }, 'a.yaml');
    expect(checked({ decision: [{ says: ['paid', true, 5], needs: 'refund' }] })).not.toThrow();
    expect(checked({ decision: [{ says: 'paid', need: 'refund' }] })).toThrow('proofs.decision[0].need is not known');
    expect(checked({ decision: [{ says: 'paid' }] })).toThrow('proofs.decision[0].needs is missing');
    expect(checked({ decision: [{ says: 'paid', needs: 'refnd' }] })).toThrow(
      'names refnd, which is none of the tools',
    );
  });
});

describe('a claim in prose', () => {
  const desk = { proofs: { decision: { refunded: 'refund' } }, outputs: { decision: { type: 'string' } } } as const;

  it.each([
    'Good news! {"decision": "refunded"} Have a nice day.',
    '```json\n{"decision": "Refunded"}\n```\nAnything else?',
    'First {"a": 1}, then {"decision": "refunded"}.',
    'See [1] and { broken: {"decision": "refunded"} }',
    'An open [ bracket, {"decision": "refunded"}',
    '**Decision:** refunded',
  ])('of a conversation is checked: %j [R8-TRUTH-PROSE]', async (claim) => {
    const model = scriptedModel({ desk: [claim, 'Nothing yet.'] });
    const life = moving().open(conversation(defineAgent({ ...base, ...desk, model })));
    await life.start('Is it refunded?');
    const turns = (await life.runtime.entries(RUN)).flatMap(({ event }) =>
      event.type === 'note' && event.event.kind === 'turn-end' ? [event.event['answer']] : [],
    );
    expect(turns).toEqual(['Nothing yet.']);
    await life.runtime.signal(RUN, MESSAGE, { text: 'bye' }).catch(() => undefined);
  });

  it('of a plan is checked, also beside other values [R8-TRUTH-PROSE]', async () => {
    const claim = 'I looked at {"order": 1}. {"decision": "refunded"}';
    const { outcome } = await runPlan(
      { planner: planText([thinking('decide')]), worker: [claim, '{"decision":"open"}'] },
      { tools: [refund], output: { proofs: desk.proofs } },
    );
    expect(outcome).toMatchObject({ stop: 'done', value: { output: '{"decision":"open"}' } });
  });
});

describe('a plain JSON Schema as output', () => {
  const SCHEMA = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } as const;

  it('is taken as tools take it [R8-TRUTH-SCHEMA]', async () => {
    const model = scriptedModel({ desk: ['{"sum": "x"}', '{"sum": 3}'] });
    const agent = defineAgent({ ...base, model, output: SCHEMA });
    expect(
      await moving()
        .open(agent.agent as never)
        .start('1 + 2?'),
    ).toMatchObject({
      stop: 'done',
      value: { output: { sum: 3 } },
    });
    expect(agent.outputJsonSchema).toMatchObject(SCHEMA);
    expect(() => defineAgent({ ...base, model, output: { type: 'objekt' } as never })).toThrow(/objekt/);
    expect(() => defineAgent({ ...base, model, output: 'text' as never })).toThrow(/Standard Schema/);
  });

  it('of a session is refused with what to pass instead [R8-TRUTH-SCHEMA]', async () => {
    const model = scriptedModel({ q: 'x' });
    const session = { name: 'q', model, setup: 's', output: SCHEMA } as never;
    const outcome = await moving()
      .open(async (run) => ({ stop: 'done', value: (await run.ask(session, 'go')).value }))
      .start();
    expect(outcome).toMatchObject({
      stop: 'failed',
      failure: { code: 'CONFIG_INVALID', message: expect.stringMatching(/Standard Schema.*jsonSchemaStandard/) },
    });
    expect(model.requests).toHaveLength(0);
  });
});
