import { type Agent, budget, createRuntime, done, memoryEngine, type Prompt } from 'flyball';
import { described, pattern, useFrom, useOf, validated } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ended, session } from '../../../../../test/patterns/bed.js';
import { moving } from '../../../../../test/runtime/stage.js';

const Invoice = z
  .object({ lines: z.array(z.number()), total: z.number(), note: z.string().nullable() })
  .refine(
    ({ lines, total }) => lines.reduce((sum, line) => sum + line, 0) === total,
    'total is not the sum of the lines',
  );
type Invoice = z.infer<typeof Invoice>;

const PROSE = 'The invoice is about screws.';
const WRONG = '{"lines":[10,20],"total":31,"note":null}';
const RIGHT = '{"lines":[10,20],"total":30,"note":null}';
const BY_HAND: Invoice = { lines: [], total: 0, note: 'by hand' };

function bed(reads: readonly string[], repairs: readonly string[] | undefined, maxRetries?: number) {
  const model = scriptedModel({ reader: reads, repair: repairs ?? [] });
  const answerer = session(model, 'reader', { setup: 'You read invoices.' });
  const reader = pattern(
    { id: 'S1', name: 'reader', parts: { answerer }, calls: { part: 'answerer' } },
    async (run, text: string) => done((await run.ask(answerer, text)).text),
  );
  let fallbacks = 0;
  const otherwise = pattern({ id: 'S1', name: 'byHand', parts: {}, calls: 0 }, async (_run, _text: string) => {
    fallbacks++;
    return done(BY_HAND);
  });
  const reviser = repairs === undefined ? {} : { reviser: session(model, 'repair', { setup: 'You repair JSON.' }) };
  const agent = validated<string, Invoice>(
    reader,
    { schema: Invoice, ...reviser, otherwise },
    maxRetries === undefined ? {} : { maxRetries },
  );
  return { model, agent, fallbacks: () => fallbacks };
}

/** All but the setup. */
const words = (model: ReturnType<typeof scriptedModel>, at: number) =>
  (model.requests[at]?.messages ?? []).flatMap(({ role, content }) => (role === 'system' ? [] : [content])).join('\n');

/** Where the texts of the last request come from, as the journal has it. */
async function trusts(agent: Agent<string, unknown>, input: string): Promise<(text: string) => readonly string[]> {
  const runtime = createRuntime({ engine: memoryEngine(), agents: { agent: agent as Agent<unknown, unknown> } });
  const handle = await runtime.start('agent', input, { budget: budget() });
  await handle.outcome();
  const asked = (await runtime.entries(handle.id)).flatMap(({ event }) => (event.type === 'ask-start' ? [event] : []));
  const segments: Prompt['segment'][] = [];
  for (let link = await runtime.prompt(handle.id, asked.at(-1)?.tip ?? ''); link !== undefined; link = link.parent)
    segments.push(link.segment);
  await runtime.close();
  return (text) => segments.flatMap(({ content, trust }) => (content.includes(text) ? [trust] : []));
}

describe('validated', () => {
  it('repairs prose, then a wrong sum, and succeeds on the third call; each repair ends with the problem [V20.2] [V20.4] [V20.acceptance]', async () => {
    const { model, agent } = bed([PROSE], [WRONG, RIGHT]);
    const { outcome } = await ended(agent, 'Read invoice 7.');
    expect(outcome).toMatchObject({ stop: 'done', value: { total: 30 } });
    expect(model.requests).toHaveLength(3);
    expect(words(model, 1)).toMatch(
      /Read invoice 7\.[\s\S]*The invoice is about screws\.[\s\S]*The problem: It is not JSON: it begins with "The invoice is about screws\."\. Write JSON, and nothing around it\.$/,
    );
    expect(words(model, 2)).toMatch(
      /Read invoice 7\.[\s\S]*"total":31[\s\S]*The problem: total is not the sum of the lines$/,
    );
  });

  it('makes at most 1 + maxRetries calls, then answers otherwise, once, and says so [V20.6] [V20.acceptance]', async () => {
    const { model, agent, fallbacks } = bed([PROSE], ['still prose', 'other prose', 'never asked for']);
    const { outcome } = await ended(agent, 'Read invoice 7.');
    expect(outcome).toMatchObject({
      stop: 'degraded',
      value: BY_HAND,
      reason: { code: 'exhausted', data: { tried: 3 } },
    });
    expect([model.requests.length, fallbacks()]).toEqual([3, 1]);
  });

  it('does not pay for the same bad answer a third time', async () => {
    const { model, agent } = bed([PROSE], [PROSE, RIGHT]);
    expect((await ended(agent, 'Read invoice 7.')).outcome).toMatchObject({
      stop: 'degraded',
      reason: { data: { tried: 2 } },
    });
    expect(model.requests).toHaveLength(2);
  });

  it('tells the agent the schema that it checks by [V20.1]', async () => {
    const { model, agent } = bed([RIGHT], []);
    await ended(agent, 'Read invoice 7.');
    expect(model.promptAt('reader')).toContain(
      JSON.stringify(z.toJSONSchema(Invoice, { io: 'input' })['properties'] !== undefined ? 'lines' : '').slice(1, -1),
    );
    expect(model.promptAt('reader')).toContain('JSON Schema');
  });

  it('converts nothing: numbers in quotes and JSON inside of prose do not fit [V20.3]', async () => {
    for (const lenient of [
      '{"lines":["10"],"total":"10","note":null}',
      `Here it is: ${RIGHT}`,
      `\`\`\`json\n${RIGHT}\n\`\`\``,
    ]) {
      const { agent } = bed([lenient], [lenient]);
      expect((await ended(agent, 'Read.')).outcome).toMatchObject({ stop: 'degraded' });
    }
  });

  it('repairs in a session of its own, and is refused where that is the session of the agent [V20.5]', async () => {
    const { model, agent } = bed([PROSE], [RIGHT]);
    await ended(agent, 'Read invoice 7.');
    expect(model.requests[1]?.messages[0]?.content).toBe('You repair JSON.');
    const answerer = session(model, 'reader');
    const once = described<Agent<string, string>>(
      async () => done(''),
      useFrom({ id: 'S1', name: 'once', parts: { answerer }, calls: 1 }),
    );
    expect(() =>
      validated<string, Invoice>(once, { schema: Invoice, reviser: answerer, otherwise: async () => done(BY_HAND) }),
    ).toThrow('validated (V20) needs a reviser that is not the session of its agent');
  });

  it('runs the agent again where nobody repairs: the task, the bad answer, then the exact problem as the last words [V20.4]', async () => {
    const { model, agent } = bed([PROSE, RIGHT], undefined);
    expect((await ended(agent, 'Read invoice 7.')).outcome).toMatchObject({ stop: 'done' });
    expect(words(model, 1)).toMatch(
      /^Read invoice 7\.[\s\S]*The invoice is about screws\.[\s\S]*The problem: It is not JSON: it begins with "The invoice is about screws\."\. Write JSON, and nothing around it\.$/,
    );
  });

  it.each([
    ['the agent', undefined],
    ['a reviser', [RIGHT]],
  ])(
    'leaves the setup of %s as it is, and the bad answer and its problem are text from outside [V20.4]',
    async (_who, repairs) => {
      const { model, agent } = bed([PROSE, RIGHT], repairs);
      const trustOf = await trusts(agent, 'Read invoice 7.');
      const setups = model.requests.map(({ messages }) => messages[0]?.content ?? '');
      for (const setup of setups) expect(setup).not.toMatch(/screws|not JSON/);
      if (repairs === undefined) expect(setups[1]).toBe(setups[0]);
      expect(['Read invoice 7.', '<answer>', 'The problem:'].map(trustOf)).toEqual([
        ['user'],
        ['outside'],
        ['outside'],
      ]);
    },
  );

  it('cannot be made without another path [V20.7]', () => {
    expect(() => validated(async () => done(''), { schema: Invoice } as never)).toThrow('needs otherwise');
  });

  it('lets null stand where the schema lets it [V20.8]', async () => {
    expect((await ended(bed([RIGHT], []).agent, 'Read.')).outcome).toMatchObject({ value: { note: null } });
  });

  it('writes every answer that did not fit and every repair to the journal [V20.9]', async () => {
    const { agent } = bed([PROSE], [WRONG, RIGHT]);
    const { entries, uses } = await ended(agent, 'Read invoice 7.');
    const refused = entries.flatMap(({ event }) =>
      event.type === 'note' && event.event.kind === 'reply-refused' ? [event.event] : [],
    );
    expect(refused).toMatchObject([
      { problem: expect.stringContaining('not JSON') as string, tries: 1 },
      { problem: 'total is not the sum of the lines', tries: 2 },
    ]);
    expect(uses[0]).toMatchObject({ pattern: 'validated', learned: { agents: 1, revisions: 2, fallbacks: 0 } });
  });

  it('gives a value of the schema or an end that says why, never the text [V20.10]', async () => {
    const right = await ended(bed([RIGHT], []).agent, 'Read.');
    expect(right.outcome).toMatchObject({ value: { lines: [10, 20] } });
    const failing = validated<string, Invoice>(async () => ({ stop: 'blocked', because: 'no', partial: PROSE }), {
      schema: Invoice,
      otherwise: async () => done(BY_HAND),
    });
    expect((await ended(failing, 'Read.')).outcome).toMatchObject({ stop: 'blocked', because: 'no' });
    expect((await ended(failing, 'Read.')).outcome).not.toHaveProperty('partial');
  });

  it('does not begin where the budget has no room for its retries [V9.10]', async () => {
    const { model, agent } = bed([RIGHT], []);
    const outcome = await moving()
      .open(agent as never)
      .start('x'.repeat(4_000), { tokensIn: 4_500 });
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'tokensIn', wanted: 5_000, left: 4_500 });
    expect(model.requests).toEqual([]);
  });

  it('says before it runs what it can cost [R11-PATTERN-USE]', () => {
    expect(useOf(bed([], []).agent)).toMatchObject({ id: 'V20', predicted: { min: 1, max: 3 } });
    expect(useOf(bed([], undefined, 4).agent)).toMatchObject({ predicted: { min: 1, max: 5 } });
  });
});
