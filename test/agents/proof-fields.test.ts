import type { StandardSchema, ToolRef } from 'flyball';
import { checkAgentSpec, conversation, defineAgent } from 'flyball/agents';
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
  refund: z.object({ status: z.enum(['paid', 'credited', 'open', 'x']), amount: z.number().optional() }),
  steps: z.array(z.object({ did: z.enum(['looked', 'paid']) })).optional(),
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
    ['misspelt', { refnd: { paid: 'refund' } }, 'proofs.refnd is not an output field'],
    ['misspelt inside', { 'refund.state': { paid: 'refund' } }, 'proofs.refund.state is not an output field'],
    ['in no list of fields', { 'refund.status.code': { paid: 'refund' } }, 'is not an output field'],
    ['misspelt in a list', { 'steps.done': { paid: 'refund' } }, 'proofs.steps.done is not an output field'],
  ])('are refused with the definition where they are %s in a zod schema [R8-TRUTH-FIELDS]', (_how, proofs, problem) => {
    expect(() => defined(proofs)).toThrow(problem);
  });

  it('are refused where they claim a value that the field cannot have [R8-TRUTH-FIELDS]', () => {
    const output = z.object({ decision: z.enum(['refunded', 'refused']) });
    expect(() => defined({ decision: { Refunded: 'refund' } }, output)).not.toThrow();
    expect(() => defined({ decision: { refundet: 'refund' } }, output)).toThrow(
      'proofs.decision.refundet is not one of refunded, refused',
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
      { decision: { refunded: 'refund', refused: [] } },
      ['{"verdict":"refunded"}', '{"decision":"refused"}'],
      open,
    );
    expect(outcome).toMatchObject({ stop: 'done', value: { output: { decision: 'refused' } } });
    expect(model.requests[1]?.messages.at(-1)?.content).toContain('decision is missing');
  });
});

const SPELLINGS = [
  ...['REFUNDED!', 're\u200bfunded', 'r\u0435funded', 're-funded', 're funded', 're_funded', 'r\u0301efunded'],
  ...['re\u034ffunded', 're\u3164funded', 're\u2800funded', '<b>refunded</b>', 're&#102;unded', 'erstattet'],
  ...['refunded 120 EUR', '\u202erefunded\u202c', '\u{1d42b}efunded', { status: 'refunded' }],
];
const FREE: StandardSchema = z.record(z.string(), z.unknown()) as never;

describe('values of proofs', () => {
  it.each([
    ['text', z.object({ decision: z.string() })],
    ['text or nothing', z.object({ decision: z.string().nullable() })],
    ['one of several, or text', z.object({ decision: z.enum(['refunded']).or(z.string()) })],
    ['anything', { type: 'object', properties: { decision: {} } }],
    ['text of a pattern', { type: 'object', properties: { decision: { type: 'string', pattern: '^re' } } }],
  ])('are refused with the definition where the field holds %s [R8-TRUTH-CLOSED]', (_what, output) => {
    expect(() => defined({ decision: { refunded: 'refund' } }, output)).toThrow(
      /proofs\.decision\.refunded is claimed in a field .*enum.*function/,
    );
    expect(() => defined({ decision: [{ says: () => true, needs: 'refund' }] }, output)).not.toThrow();
    expect(() => defined({ decision: { '*': 'refund' } }, output)).not.toThrow();
  });

  it.each([
    ['an enum', z.object({ decision: z.enum(['refunded', 'open']) }), { refunded: 'refund' }],
    ['constants', z.object({ decision: z.literal('refunded').or(z.literal('open')) }), { refunded: 'refund' }],
    ['true or false', z.object({ decision: z.boolean() }), { true: 'refund' }],
    ['a number', z.object({ decision: z.number().nullable() }), [{ says: 5, needs: 'refund' }]],
  ])('may be those of a field that holds %s [R8-TRUTH-CLOSED]', (_what, output, claims) => {
    expect(() => defined({ decision: claims }, output)).not.toThrow();
  });

  it.each(SPELLINGS)('are no way around a proof when they are spelled %j [R8-TRUTH-CLOSED]', async (decision) => {
    const claim = JSON.stringify({ decision });
    const proofs = { decision: { refunded: 'refund', open: [] } };
    const honest = '{"decision":"open"}';
    const { outcome, model } = await ran(proofs, [claim, honest], FREE);
    expect(outcome).toMatchObject({ stop: 'done', value: { output: { decision: 'open' } } });
    expect(model.requests[1]?.messages.at(-1)?.content).toMatch(
      /decision says .*(not one of refunded, open|no call of refund)/,
    );
    const listed = z.object({ decision: z.enum(['refunded', 'open']) });
    expect((await ran(proofs, [claim, honest], listed)).outcome).toMatchObject({
      value: { output: { decision: 'open' } },
    });
    const plan = await runPlan(
      { planner: planText([thinking('decide')]), worker: [claim, honest] },
      { tools: [refund], output: { proofs } },
    );
    expect(plan.outcome).toMatchObject({ stop: 'done', value: { output: honest } });
  });

  it('are those of the field, whatever a schema beside it says [R8-TRUTH-CLOSED]', async () => {
    const model = scriptedModel({ desk: ['{"decision":"erstattet"}', '{"decision":"open"}'] });
    const outputJsonSchema = { type: 'object', properties: { decision: { enum: ['refunded', 'open'] } } };
    const proofs = { decision: { refunded: 'refund' } };
    const agent = defineAgent({ ...base, model, output: FREE as never, outputJsonSchema, proofs });
    const outcome = await moving()
      .open(agent.agent as never)
      .start('Refund it.');
    expect(outcome).toMatchObject({ stop: 'done', value: { output: { decision: 'open' } } });
  });

  it('may be several, numbers, or a test of your own [R8-TRUTH-VALUES]', async () => {
    const several = { 'refund.status': [{ says: ['paid', 'credited'], needs: 'refund' }] };
    const large = { 'refund.amount': [{ says: (amount: unknown) => Number(amount) > 0, needs: 'refund' }] };
    const exact = { 'refund.amount': [{ says: 5, needs: ['refund'] }] };
    const amount = (n: number) => JSON.stringify({ refund: { status: 'x', amount: n } });
    for (const [given, claim, honest] of [
      [several, says('credited'), says('open')],
      [large, amount(5), amount(0)],
      [exact, amount(5), amount(6)],
    ] as const) {
      const { outcome, model } = await ran(given, [claim, honest]);
      expect(outcome).toMatchObject({ stop: 'done', value: { output: JSON.parse(honest) as object } });
      expect(model.requests).toHaveLength(2);
    }
  });

  it('may be listed in a file, and are read to the last field [R8-TRUTH-VALUES]', () => {
    const spec = {
      name: 'desk',
      description: 'd',
      tools: ['refund'],
      outputs: { decision: { enum: ['paid', true, 5] } },
    };
    const checked = (proofs: unknown) => () => checkAgentSpec({ ...spec, proofs }, 'a.yaml');
    expect(checked({ decision: [{ says: ['paid', true, 5], needs: 'refund' }] })).not.toThrow();
    expect(checked({ decision: [{ says: 'paid', need: 'refund' }] })).toThrow('proofs.decision[0].need is not known');
    expect(checked({ decision: [{ says: 'paid' }] })).toThrow('proofs.decision[0].needs is missing');
    expect(checked({ decision: [{ says: 'paid', needs: 'refnd' }] })).toThrow(
      'names refnd, which is not one of the tools',
    );
  });
});

describe('a claim in prose', () => {
  const desk = {
    proofs: { decision: { refunded: 'refund' } },
    outputs: { decision: { type: 'string', enum: ['refunded', 'open'] } },
  } as const;

  /** What the person reads, after this was said first and "Nothing yet." when asked again. */
  async function told(words: string, proofs: Record<string, unknown> = desk.proofs): Promise<unknown> {
    const model = scriptedModel({ desk: [words, 'Nothing yet.'] });
    const life = moving().open(conversation(defineAgent({ ...base, ...desk, proofs: proofs as never, model })));
    await life.start('Is it refunded?');
    const [turn] = (await life.runtime.entries(RUN)).flatMap(({ event }) =>
      event.type === 'note' && event.event.kind === 'turn-end' ? [event.event['answer']] : [],
    );
    return turn;
  }

  it.each([
    'Good news! {"decision": "refunded"} Have a nice day.',
    '```json\n{"decision": "Refunded"}\n```\nAnything else?',
    'First {"a": 1}, then {"decision": "refunded"}.',
    'See [1] and { broken: {"decision": "refunded"} }',
    'An open [ bracket, {"decision": "refunded"}',
    '**Decision:** refunded',
  ])('of a conversation is checked: %j [R8-TRUTH-PROSE]', async (claim) => {
    expect(await told(claim)).toBe('Nothing yet.');
  });

  it.each([
    '_decision_: _refunded_',
    'decision\uff1a refunded',
    'deci\u200bsion: re\u034ffunded',
    'decision:\nrefunded',
    '| decision | refunded |',
    '<decision>refunded</decision>',
    'decision — refunded',
    'decision: refunded 120 EUR, on its way',
    '{"message":"{\\"decision\\":\\"refunded\\"}"}',
  ])('of a conversation is found after the name of its field: %j [R8-TRUTH-NAMED]', async (claim) => {
    expect(await told(claim)).toBe('Nothing yet.');
  });

  it.each(['decision: not refunded', 'decision: open. Refunded orders take a week.', 'indecision: refunded'])(
    'is not seen where there is none: %j [R8-TRUTH-NAMED]',
    async (words) => {
      expect(await told(words)).toBe(words);
    },
  );

  it('is the longest value that stands there [R8-TRUTH-NAMED]', async () => {
    const proofs = { refund_status: { refunded: 'refund', 'refunded partly': [] } };
    const outputs = { refund_status: { type: 'string', enum: ['refunded', 'refunded partly'] } } as const;
    const model = scriptedModel({ desk: ['refund_status: refunded partly'] });
    const life = moving().open(conversation(defineAgent({ ...base, outputs, proofs, model })));
    await life.start('Is it refunded?');
    model.assertFinished();
    expect((await life.runtime.entries(RUN)).map(({ event }) => event)).toContainEqual(
      expect.objectContaining({ event: expect.objectContaining({ answer: 'refund_status: refunded partly' }) }),
    );
  });

  it('in other words is not found: the words of a conversation are no output [R8-TRUTH-NAMED]', async () => {
    expect(await told('The decision is that you are refunded.')).toBe('The decision is that you are refunded.');
  });

  it('of a plan is checked, also beside other values [R8-TRUTH-PROSE]', async () => {
    const claim = 'I looked at {"order": 1}. {"decision": "refunded"}';
    const { outcome } = await runPlan(
      { planner: planText([thinking('decide')]), worker: [claim, '{"decision":"open"}'] },
      { tools: [refund], output: { proofs: { decision: { ...desk.proofs.decision, open: [] } } } },
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
