import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, done, type Run, systemClock } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { root } from '../../../../scripts/files.mjs';
import { inRun, session } from '../../../../test/checks/stage-checks.js';
import { Stage } from '../../../../test/runtime/stage.js';
import { append } from '../core/prompt.js';
import { askWithin } from './ask-within.js';
import { constraints } from './constraints.js';
import type { Prohibition } from './prohibition.js';

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
const framing = constraints({ version: '1', items: FOUR });

const input = (text: string) => append(undefined, { role: 'user', content: text });

describe('constraints', () => {
  it('are one marked block with the sentence that puts them first, the same bytes every time [S5]', () => {
    const framed = framing.frame('You are a clerk.');
    expect(framed.startsWith('You are a clerk.\n\n<constraints version="1">\nThese hold above everything else')).toBe(
      true,
    );
    expect(framed).toBe(constraints({ version: '1', items: FOUR }).frame('You are a clerk.'));
    expect(framing.ids).toEqual(framing.guard().ids);
    expect(() => framing.frame(framed)).toThrow(/Frame it once/);
    expect(constraints({ version: '1', items: [...FOUR].reverse() }).hash).not.toBe(framing.hash);
    const critical = constraints({ version: '1', items: [item('price', /\$/, { critical: true })] });
    expect(critical.frame('x').endsWith('Above all: No price in an answer.')).toBe(true);
  });

  it('find a breach after a promise to keep them, because the whole reply is read [S5]', () => {
    expect(framing.guard().find("I can't quote prices. It is $49.")).toEqual([
      { id: 'price', quote: '$4', by: 'pattern' },
    ]);
    expect(framing.guard().find('Ask the desk.')).toEqual([]);
    expect(framing.guard().redact('It is $49 at Voltix.')).toBe('It is [removed: price]9 at [removed: rival].');
  });

  it('agree with their patterns on two hundred real sentences, however often they are asked [S5]', () => {
    const folder = join(root, 'packages/evals/data/domains/energy_desk/documents');
    const text = readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
    const sentences = text
      .split(/(?<=[.!?])\s+/)
      .filter((one) => one.length > 20)
      .slice(0, 200);
    expect(sentences).toHaveLength(200);
    const guard = framing.guard();
    for (const sentence of sentences.map((one, index) =>
      index % 7 === 0 ? `${one} It was approved, eval(1) for £5.` : one,
    )) {
      const oracle = Object.entries(PATTERNS).flatMap(([id, pattern]) => (pattern.test(sentence) ? [id] : []));
      expect(guard.find(sentence).map(({ id }) => id)).toEqual(oracle);
    }
  });

  it('leave the eighth item to the guard, and the journal says so [S5]', async () => {
    const stage = new Stage<Clock>(systemClock());
    const eight = [...FOUR, ...['e', 'f', 'g', 'h'].map((id) => item(id, new RegExp(`never-${id}`)))];
    const long = constraints({ version: '2', items: eight });
    expect(long.ids).toHaveLength(7);
    expect(long.guardOnly).toEqual(['h']);
    expect(long.block).not.toContain('- h:');
    expect(
      long
        .guard()
        .find('never-h')
        .map(({ id }) => id),
    ).toEqual(['h']);
    const model = scriptedModel({ clerk: 'Ask the desk.' });
    const asked = { session: session(model, 'clerk'), framing: long, input: input('How much?') };
    await stage.open(async (run: Run) => done(await askWithin(run, asked))).start();
    expect((await stage.events('note')).map(({ event }) => event)).toEqual([
      { kind: 'constraints', version: '2', told: long.ids, guardOnly: ['h'] },
    ]);
  });

  it('ask again when a reply breaches one, and refuse without showing it after the last re-ask [S5]', async () => {
    const model = scriptedModel({ clerk: ["I can't quote prices. It is $49.", 'Ask the desk.', '$1', '$2', '$3'] });
    const ask = () =>
      inRun((run) => askWithin(run, { session: session(model, 'clerk'), framing, input: input('How much?') }));
    expect(await ask()).toEqual({ kind: 'kept', text: 'Ask the desk.', reasks: 1 });
    expect(await ask()).toMatchObject({ kind: 'refused', breaches: [{ id: 'price' }], reasks: 2 });
    const [setup, ...turns] = model.requestsOf('clerk')[1]?.messages ?? [];
    expect(setup?.content).toContain('<constraints');
    expect(turns.map(({ content }) => content).join()).not.toContain('<constraints');
    model.assertFinished();
  });

  it('have what no pattern finds read by a session of its own, whose quotes are looked up [S5]', async () => {
    const judged = constraints({ version: '3', items: [{ ...item('advice', /x/), check: { kind: 'judged' } }] });
    expect(() => judged.guard()).toThrow(/give the guard a session/);
    const reading = (quote: string) =>
      JSON.stringify({ items: { advice: { reasoning: 'Looked.', quote, breach: true } } });
    const model = scriptedModel({ reader: [reading('sell everything'), reading('Buy gold.')] });
    const breaches = await inRun((run) =>
      judged.guard(session(model, 'reader')).review(run, 'Buy gold. I give no advice.'),
    );
    expect(breaches).toEqual([{ id: 'advice', quote: 'Buy gold.', by: 'judge' }]);
    model.assertFinished();
  });

  it('refuse a principle, a contradiction, and a guarantee that only words hold [S5]', () => {
    const made =
      (...items: readonly Prohibition[]) =>
      () =>
        constraints({ version: '1', items });
    expect(made(item('ethics', /x/, { forbid: 'Do not be unethical.' }))).toThrow(/principle.*S9/);
    expect(made(item('a', /desk/i), item('b', /x/))).toThrow(/"a" asks for something in its place that "a" forbids/);
    const { check: _check, ...bare } = item('a', /x/, { guarantee: true });
    expect(made(bare)).toThrow(/nothing enforces it/);
    expect(made({ ...bare, check: { kind: 'enforced', by: 'tool policy 3' } })).not.toThrow();
    expect(made(item('a', /x/), item('a', /y/))).toThrow(/twice/);
    expect(made()).toThrow(/there is none/);
  });
});
