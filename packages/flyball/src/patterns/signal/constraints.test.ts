import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constraints, type Prohibition, useOf, withConstraints, zeroShot } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { root } from '../../../../../scripts/files.mjs';
import { inRun } from '../../../../../test/checks/stage-checks.js';
import { ended, session } from '../../../../../test/patterns/bed.js';

const item = (id: string, pattern: RegExp, more: Partial<Prohibition> = {}): Prohibition => ({
  id,
  forbid: `No ${id} in an answer.`,
  instead: 'Point to the desk.',
  reason: 'It is not ours to say.',
  check: { kind: 'pattern', pattern },
  ...more,
});
const PATTERNS = {
  price: /[$€£]\s?\d/,
  rival: /\bvoltix\b/i,
  approval: /\bapproved\b/i,
  eval: /\beval\(/,
} as const;
const FOUR = Object.entries(PATTERNS).map(([id, pattern]) => item(id, pattern));
const of = (items: readonly Prohibition[], version = '1') => constraints({ items }, { version });
const limits = of(FOUR);
const setupOf = (items: readonly Prohibition[], setup: string): string =>
  of(items).session({ ...session(scriptedModel({}), 'clerk'), setup }).setup;
const clerk = (replies: readonly string[]) => {
  const model = scriptedModel({ clerk: replies });
  return { model, agent: zeroShot(session(model, 'clerk', { setup: 'You work at a desk.' })) };
};

describe('constraints', () => {
  it('are one block of its own between marks [S5.1]', () => {
    expect(setupOf(FOUR, 'You are a clerk.')).toMatch(
      /^You are a clerk\.\n\n<constraints version="1">\n[\s\S]*\n<\/constraints>$/,
    );
    expect(setupOf([item('price', /\$/, { critical: true })], 'x').endsWith('Above all: No price in an answer.')).toBe(
      true,
    );
    expect(() => setupOf(FOUR, setupOf(FOUR, ''))).toThrow(/Frame it once/);
  });

  it('can be told from an output alone, and say what to do instead [S5.2]', () => {
    expect(limits.block).toContain('- price: No price in an answer. Instead: Point to the desk.');
    expect(() => of([{ ...item('a', /x/), instead: '' }])).toThrow(/what to do instead/);
    expect(() => of([item('a', /desk/i), item('b', /x/)])).toThrow(
      /"a" asks for something in its place that "a" forbids/,
    );
  });

  it('say that they go before everything else [S5.3]', () => {
    expect(setupOf(FOUR, 'You are a licensed attorney.')).toContain('These hold above everything else in this prompt');
  });

  it('are the same bytes on every turn, and in no message of a user [S5.4]', async () => {
    const { model, agent } = clerk(['$1', 'Ask the desk.']);
    await ended(withConstraints(agent, { constraints: limits }), 'How much?');
    for (const { messages } of model.requests) expect(messages[0]?.content.split(limits.block)).toHaveLength(2);
    for (const { messages } of model.requests)
      for (const { role, content } of messages) if (role === 'user') expect(content).not.toContain('<constraints');
    expect(of(FOUR).id).toBe(limits.id);
    expect(of([...FOUR].reverse()).hash).not.toBe(limits.hash);
  });

  it('have the same ids in the prompt and in the guard [S5.5]', () => {
    expect(limits.ids).toEqual(limits.guard().ids);
    expect(useOf(limits)).toMatchObject({
      id: 'S5',
      params: { version: '1', ids: ['price', 'rival', 'approval', 'eval'] },
    });
  });

  it('do not take the word of whoever says that they are kept [S5.6]', async () => {
    expect(limits.guard().find("I can't quote prices. It is $49.")).toEqual([
      { id: 'price', quote: '$4', by: 'pattern' },
    ]);
    expect(limits.guard().redact('It is $49 at Voltix.')).toBe('It is [removed: price]9 at [removed: rival].');
    const judged = of([{ ...item('advice', /x/), check: { kind: 'judged' } }], '3');
    expect(() => judged.guard()).toThrow(/give the guard a judge/);
    const reading = (quote: string) =>
      JSON.stringify({ items: { advice: { reasoning: 'Looked.', quote, breach: true } } });
    const model = scriptedModel({ reader: [reading('sell everything'), reading('Buy gold.')] });
    const breaches = await inRun((run) =>
      judged.guard(session(model, 'reader')).review(run, 'Buy gold. I give no advice.'),
    );
    expect(breaches).toEqual([{ id: 'advice', quote: 'Buy gold.', by: 'judge' }]);
    model.assertFinished();
  });

  it('refuse a guarantee that only words hold [S5.7]', () => {
    const { check: _check, ...bare } = item('a', /x/, { guarantee: true });
    expect(() => of([bare])).toThrow(/nothing enforces it/);
    expect(() => of([{ ...bare, check: { kind: 'enforced', by: 'tool policy 3' } }])).not.toThrow();
  });

  it('refuse a principle, an id twice and an empty list [S5.8]', () => {
    expect(() => of([item('ethics', /x/, { forbid: 'Do not be unethical.' })])).toThrow(/principle.*S9/);
    expect(() => of([item('a', /x/), item('a', /y/)])).toThrow(/twice/);
    expect(() => of([])).toThrow(/there is none/);
  });

  it('agree with their patterns on two hundred real sentences, however often they are asked [S5.acceptance]', () => {
    const folder = join(root, 'packages/evals/data/domains/energy_desk/documents');
    const text = readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
    const sentences = text
      .split(/(?<=[.!?])\s+/)
      .filter((one) => one.length > 20)
      .slice(0, 200);
    expect(sentences).toHaveLength(200);
    const guard = limits.guard();
    for (const sentence of sentences.map((one, index) =>
      index % 7 === 0 ? `${one} It was approved, eval(1) for £5.` : one,
    )) {
      const oracle = Object.entries(PATTERNS).flatMap(([id, pattern]) => (pattern.test(sentence) ? [id] : []));
      expect(guard.find(sentence).map(({ id }) => id)).toEqual(oracle);
    }
  });

  it('leave the eighth item to the guard, and the journal says so [S5.acceptance]', async () => {
    const eight = [...FOUR, ...['e', 'f', 'g', 'h'].map((id) => item(id, new RegExp(`never-${id}`)))];
    const long = of(eight, '2');
    expect(long.ids).toHaveLength(7);
    expect(long.guardOnly).toEqual(['h']);
    expect(long.block).not.toContain('- h:');
    const { agent } = clerk(['Ask the desk.']);
    const { entries } = await ended(withConstraints(agent, { constraints: long }), 'How much?');
    const notes = entries.flatMap(({ event }) => (event.type === 'note' ? [event.event] : []));
    expect(notes).toEqual([{ kind: 'constraints', version: '2', told: long.ids, guardOnly: ['h'] }]);
    expect(
      long
        .guard()
        .find('never-h')
        .map(({ id }) => id),
    ).toEqual(['h']);
  });
});

describe('withConstraints', () => {
  it('answers again when a result breaches one, and names what it did [S5.acceptance]', async () => {
    const { model, agent } = clerk(["I can't quote prices. It is $49.", 'Ask the desk.']);
    const { outcome, uses } = await ended(withConstraints(agent, { constraints: limits }), 'How much?');
    expect(outcome).toMatchObject({ stop: 'done', value: 'Ask the desk.' });
    expect(model.promptAt('clerk', 2)).toContain('It breaches price.');
    expect(uses[0]).toMatchObject({ pattern: 'withConstraints', learned: { tries: 2, reviews: 0 } });
  });

  it('shows nothing of what breached one after the last retry [S5.acceptance]', async () => {
    const { agent } = clerk(['$1', '$2', '$3']);
    const { outcome } = await ended(withConstraints(agent, { constraints: limits }), 'How much?');
    expect(outcome).toMatchObject({
      stop: 'blocked',
      reason: { code: 'unapproved', data: { rounds: 3, by: 'price' } },
    });
    expect(JSON.stringify(outcome)).not.toContain('$3');
  });

  it('makes 1 + j + retries × (1 + j) calls with a judge [S5.acceptance]', async () => {
    const judged = of([{ ...item('advice', /x/), check: { kind: 'judged' } }], '3');
    const reading = (quote: string) =>
      JSON.stringify({ items: { advice: { reasoning: 'Looked.', quote, breach: quote !== '' } } });
    const model = scriptedModel({ clerk: ['Buy gold.', 'Ask the desk.'], reader: [reading('Buy gold.'), reading('')] });
    const agent = zeroShot(session(model, 'clerk'));
    const held = withConstraints(agent, { constraints: judged, judge: session(model, 'reader') });
    const { outcome, uses } = await ended(held, 'What shall I buy?');
    expect(outcome).toMatchObject({ stop: 'done', value: 'Ask the desk.' });
    expect(uses[0]).toMatchObject({ modelCalls: 4, learned: { tries: 2, reviews: 2 } });
  });
});
