import { defineAgent } from 'flyball/agents';
import { type ScriptedReply, scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readOutput } from '../../packages/flyball/src/agents/output.js';
import { wholeJson } from '../../packages/flyball/src/core/read-json.js';
import { smallTools } from '../loops/small-tools.js';
import { proposes } from '../loops/stage-loop.js';
import { gained, runAgent } from './stage-agent.js';

const CLERK = { name: 'clerk', description: 'You add up invoices.' };
const OUTPUTS = { total: { type: 'number' }, lines: { type: 'array' } } as const;

/** Answers in both ways of asking: single shot, and loop. */
async function answers(
  replies: readonly ScriptedReply[],
  definition: Partial<Parameters<typeof defineAgent>[0]> = {},
  how: 'invoke' | 'invokeIterative' = 'invoke',
) {
  const model = scriptedModel({ clerk: [...replies] });
  const agent = defineAgent({ ...CLERK, model, ...definition });
  const { outcome } = await runAgent<unknown>(agent[how], 'Add up.');
  return { outcome, model };
}

const outputIn = (outcome: Parameters<typeof gained>[0]) => (gained(outcome) as { readonly output: unknown }).output;

describe('an answer', () => {
  it.each(['invoke', 'invokeIterative'] as const)(
    'is parsed against the schema of the outputs: %s [R3-AGENT-OUTPUT]',
    async (how) => {
      const { outcome } = await answers(['{"total": 3, "lines": [1, 2]}'], { outputs: OUTPUTS }, how);
      expect(outputIn(outcome)).toEqual({ total: 3, lines: [1, 2] });
    },
  );

  it.each([
    '```json\n{"total": 3, "lines": []}\n```',
    '```\n{"total": 3, "lines": []}\n```\n',
    '\n ```JSON  \r\n{"total": 3, "lines": []}\r\n```',
    '{"total": 3, "lines": []}',
  ])('has its fence stripped: %j [R3-AGENT-OUTPUT]', async (text) => {
    expect(outputIn((await answers([text], { outputs: OUTPUTS })).outcome)).toEqual({ total: 3, lines: [] });
  });

  it('may hold fences inside, which stay [R3-AGENT-OUTPUT] [R9-KERNEL-JSON]', async () => {
    const value = { code: '```js\nlet a;\n```' };
    const { outcome } = await answers([`\`\`\`json\n${JSON.stringify(value)}\n\`\`\``], {
      outputs: { code: { type: 'string' } },
    });
    expect(outputIn(outcome)).toEqual(value);
    expect(wholeJson('```json\n1\n```')).toEqual({ value: 1 });
    for (const text of ['Here: ```json\n1\n```', '```', '']) expect(wholeJson(text)).toBeUndefined();
  });

  it('without a schema is a JSON object, or raw text under the first output field [R3-AGENT-OUTPUT]', async () => {
    const outputs = { summary: { description: 'in short' }, source: {} };
    expect(outputIn((await answers(['{"summary": "x", "more": 1}'], { outputs })).outcome)).toEqual({
      summary: 'x',
      more: 1,
    });
    expect(outputIn((await answers(['```json\n{"summary": "y"}\n```'], { outputs })).outcome)).toEqual({
      summary: 'y',
    });
    expect(outputIn((await answers(['Just text.'], { outputs })).outcome)).toEqual({ summary: 'Just text.' });
    expect(outputIn((await answers(['[1, 2]'], { outputs })).outcome)).toEqual({ summary: '[1, 2]' });
    expect(outputIn((await answers(['```\ncode\n```'], { outputs })).outcome)).toEqual({ summary: '```\ncode\n```' });
  });

  it('without any output is wrapped under result [R3-AGENT-OUTPUT]', async () => {
    expect(outputIn((await answers(['Hello.'])).outcome)).toEqual({ result: 'Hello.' });
    expect(outputIn((await answers(['"quoted"'])).outcome)).toEqual({ result: '"quoted"' });
    expect(outputIn((await answers(['{"a": 1}'])).outcome)).toEqual({ a: 1 });
  });

  it('may leave out what has a default, and the output has it [R3-AGENT-OUTPUT]', async () => {
    const outputs = { total: { type: 'number' }, currency: { type: 'string', default: 'EUR' } } as const;
    expect(outputIn((await answers(['{"total": 3}'], { outputs })).outcome)).toEqual({ total: 3, currency: 'EUR' });
    expect(outputIn((await answers(['{"total": 3, "currency": "CHF"}'], { outputs })).outcome)).toEqual({
      total: 3,
      currency: 'CHF',
    });
    expect(outputIn((await answers(['Text.'], { outputs: { a: {}, b: { default: 1 } } })).outcome)).toEqual({
      a: 'Text.',
      b: 1,
    });
  });

  it.each(['invoke', 'invokeIterative'] as const)(
    'that does not fit is repaired within bounds, with the exact error as the last thing said: %s [R3-AGENT-OUTPUT]',
    async (how) => {
      const { outcome, model } = await answers(
        ['The total is three.', '{"total": "three", "lines": []}', '{"total": 3, "lines": []}'],
        { outputs: OUTPUTS },
        how,
      );
      expect(outputIn(outcome)).toEqual({ total: 3, lines: [] });
      expect(model.requests[1]?.messages.slice(0, 2)).toEqual(model.requests[0]?.messages);
      expect(model.requests[1]?.messages.at(-2)).toEqual({ role: 'assistant', content: 'The total is three.' });
      expect(model.requests[1]?.messages.at(-1)?.content).toMatch(
        /corrected answer\.\nThe problem: It is not JSON: .+$/,
      );
      expect(model.requests[2]?.messages.at(-1)?.content).toMatch(/total: .*number/);
    },
  );

  it.each(['invoke', 'invokeIterative'] as const)(
    'that never fits fails after 1 + 2 calls: %s [R3-AGENT-OUTPUT]',
    async (how) => {
      const { outcome, model } = await answers(['a', 'b', 'c', 'd'], { outputs: OUTPUTS }, how);
      expect(outcome).toMatchObject({
        stop: 'failed',
        failure: {
          code: 'REPLY_INVALID',
          message: expect.stringMatching(/no usable reply after 3 replies\. The last problem: It is not JSON/),
        },
      });
      expect(model.requests).toHaveLength(3);
    },
  );

  it('is repaired as often as the definition says [R3-AGENT-OUTPUT]', async () => {
    expect((await answers(['a'], { outputs: OUTPUTS, maxReasks: 0 })).model.requests).toHaveLength(1);
    expect((await answers(['a', 'b', 'c', 'd', 'e'], { outputs: OUTPUTS, maxReasks: 4 })).model.requests).toHaveLength(
      5,
    );
  });

  it('that is wrong in the same words twice is not asked for a third time [R3-AGENT-OUTPUT]', async () => {
    for (const how of ['invoke', 'invokeIterative'] as const)
      expect((await answers(['a', 'a', 'a'], { outputs: OUTPUTS }, how)).model.requests).toHaveLength(2);
  });

  it('is nothing that was coerced: a number in quotes is none [R3-AGENT-OUTPUT]', async () => {
    const form = await answers(['{"total": "3", "lines": []}', '{"total": 3, "lines": []}'], { outputs: OUTPUTS });
    expect(form.model.requests).toHaveLength(2);
  });
});

describe('a schema of a library', () => {
  const invoice = z
    .object({ total: z.number(), lines: z.array(z.number()) })
    .refine(
      ({ total, lines }) => total === lines.reduce((sum, line) => sum + line, 0),
      'the total is not the sum of the lines',
    );

  it('is held with its invariants, and what it makes is the output [R3-AGENT-OUTPUT]', async () => {
    const model = scriptedModel({
      clerk: ['Prose.', '{"total": 4, "lines": [1, 2]}', '{"total": 3, "lines": [1, 2], "extra": true}'],
    });
    const agent = defineAgent({ ...CLERK, model, output: invoice, outputJsonSchema: { type: 'object' } });
    const { outcome } = await runAgent(agent.invoke, 'Add up.');
    const { output } = gained(outcome);
    const typed: { readonly total: number } = output; // the compiler knows what it is
    expect(typed).toEqual({ total: 3, lines: [1, 2] });
    expect(model.requests[2]?.messages.at(-1)?.content).toMatch(/the total is not the sum of the lines$/);
  });

  it('that cannot be shown to a model needs its JSON Schema beside it [R3-AGENT-OUTPUT]', () => {
    const mute = { '~standard': { version: 1 as const, vendor: 'x', validate: (value: unknown) => ({ value }) } };
    const model = scriptedModel({});
    expect(() => defineAgent({ ...CLERK, model, output: mute })).toThrow(/Pass outputJsonSchema as well/);
    const agent = defineAgent({ ...CLERK, model, output: mute, outputJsonSchema: { type: 'string' } });
    expect(agent.setup).toContain('{"type":"string"}');
  });

  it('holds the model itself where the provider can do that, in one shot [R3-AGENT-OUTPUT]', async () => {
    const replies = { clerk: ['{"total": 3, "lines": []}'] };
    const strict = scriptedModel(replies);
    const loose = scriptedModel(replies, { capabilities: { structuredOutput: false } });
    for (const model of [strict, loose]) await runAgent(defineAgent({ ...CLERK, model, outputs: OUTPUTS }).invoke, 'x');
    expect(strict.requests[0]?.output).toMatchObject({ type: 'object', required: ['total', 'lines'] });
    expect(loose.requests[0]).not.toHaveProperty('output');
  });
});

it('an answer after tool calls is confirmed first and parsed then: only the last one counts [R3-AGENT-OUTPUT]', async () => {
  const { outcome, model } = await answers(
    [proposes('next'), 'I think it is 3.', '{"total": 3, "lines": []}'],
    { outputs: OUTPUTS, tools: smallTools().all },
    'invokeIterative',
  );
  expect(outputIn(outcome)).toEqual({ total: 3, lines: [] });
  expect(model.requests).toHaveLength(3);
});

it('reads an output of any shape, and says what is wrong in one line', async () => {
  const form = { kind: 'named', fields: [] } as const;
  for (const text of ['null', '7', 'true', '[]', '""', '{', '```', '```json\n```'])
    expect(await readOutput(form, text)).toEqual({ ok: true, value: { result: text } });
});
