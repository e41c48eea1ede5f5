import type { Agent, Run } from 'flyball';
import { done } from 'flyball';
import { rag, type Transformation, useOf, withQueryRewriting } from 'flyball/patterns';
import { hashEmbedder } from 'flyball/retrieval';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { piece } from '../../../../../test/checks/stage-checks.js';
import { ended, session } from '../../../../../test/patterns/bed.js';
import type { Evidence } from '../../core/work.js';
import type { Retriever } from '../../ports/retriever.js';
import type { FollowUp } from './search-keys.js';

/** Finds by list, and remembers what it was asked. */
function shelf(lists: Readonly<Record<string, readonly string[]>>): Retriever & { readonly asked: string[] } {
  const asked: string[] = [];
  const retrieve: Retriever['retrieve'] = async (query, { limit }) => {
    asked.push(query);
    return (lists[query] ?? []).slice(0, limit).map((id) => piece(id, `text of ${id}`, { query }));
  };
  return { name: 'shelf', asked, retrieve };
}

async function keysOf(how: Transformation, reply: string, question: string | FollowUp, keys?: number) {
  const model = scriptedModel({ rewriter: reply });
  const inner = shelf({});
  const options = { how, ...(keys === undefined ? {} : { keys }) };
  const agent = withQueryRewriting(inner, { rewriter: session(model, 'rewriter') }, options);
  const { uses, entries } = await ended(agent, question);
  return { keys: inner.asked, learned: uses[0]?.learned, entries, model };
}

describe('withQueryRewriting', () => {
  it('rewrites a follow-up with the turns it leans on, and no others, in one call [R5-RET-TRANSFORM] [K2.3]', async () => {
    const question = { text: 'And what about 422?', turns: ['What does status code 421 mean?'] };
    const { keys, model } = await keysOf('rewrite', 'What does status code 422 mean?', question);
    expect(keys).toEqual(['What does status code 422 mean?']);
    expect(model.requests).toHaveLength(1);
    const [request] = model.requestsOf('rewriter');
    expect(request?.messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
      'Said before: What does status code 421 mean?',
      'The question: And what about 422?',
    ]);
    const other = await keysOf('multi', 'a b c', { text: 'a b c', turns: ['a secret'] });
    expect(other.model.promptAt('rewriter')).not.toContain('secret');
  });

  it.each([
    ['rewrite', 'What does that code mean?', 'What does 421 mean?', ['421']],
    ['hyde', 'The tool closes an account.', 'What does close_bank_account_7392 do?', ['close_bank_account_7392']],
    ['multi', 'How much is the fee?\nWho pays?', 'Does the "Green Account" have a fee?', ['Green Account']],
  ] as const)(
    'searches for the question where a %s loses an identifier, and says so [R5-RET-TRANSFORM] [K2.acceptance]',
    async (how, reply, raw, lost) => {
      const { keys, learned } = await keysOf(how, reply, raw);
      expect(keys).toEqual([raw]);
      expect(learned).toMatchObject({ raw, keys: [raw], fellBack: 'identifiers-lost', lost });
    },
  );

  it('splits a question into at most so many others, and lets them share its identifiers [R5-RET-TRANSFORM]', async () => {
    const reply = '1. What does 421 mean?\n2. What does 422 mean?\n- What does 421 mean?\n3. And 423?';
    const { keys } = await keysOf('multi', reply, 'What do 421 and 422 mean?', 2);
    expect(keys).toEqual(['What does 421 mean?', 'What does 422 mean?']);
  });

  it('keeps the question beside a step back, and in front of what expands it [R5-RET-TRANSFORM]', async () => {
    const back = await keysOf('stepback', 'How do status codes work?', 'What does 421 mean?');
    expect(back.keys).toEqual(['What does 421 mean?', 'How do status codes work?']);
    const more = await keysOf('expand', 'misdirected request status', 'What does 421 mean?');
    expect(more.keys).toEqual(['What does 421 mean? misdirected request status']);
  });

  it('searches for the imagined answer as a whole [R5-RET-TRANSFORM] [K2.2]', async () => {
    const { keys } = await keysOf('hyde', 'A 421 is sent\nby the wrong server.', 'What does 421 mean?');
    expect(keys).toEqual(['A 421 is sent by the wrong server.']);
  });

  it('searches for the question where the model says nothing [R5-RET-TRANSFORM]', async () => {
    const { keys, learned } = await keysOf('rewrite', ' \n', 'What?');
    expect([keys, learned]).toEqual([['What?'], expect.objectContaining({ fellBack: 'empty' })]);
  });

  it('tells raw and derived keys in the journal [K2.5]', async () => {
    const { learned } = await keysOf('multi', 'What is 1?\nWhat is 2?', 'What are 1 and 2?');
    expect(learned).toMatchObject({ raw: 'What are 1 and 2?', keys: ['What is 1?', 'What is 2?'], retrievals: 2 });
  });

  it('joins what every key finds by its ranks, each piece once, as computed by hand [R5-RET-TRANSFORM] [K2.4]', async () => {
    const inner = shelf({ 'first 1?': ['a', 'b'], 'second 2?': ['b', 'c'] });
    const model = scriptedModel({ rewriter: 'first 1?\nsecond 2?' });
    const parts = { rewriter: session(model, 'rewriter') };
    const { outcome } = await ended(withQueryRewriting(inner, parts, { how: 'multi', limit: 2 }), 'What are 1 and 2?');
    expect(outcome).toMatchObject({ stop: 'done' });
    const found = 'value' in outcome ? outcome.value : [];
    expect(found.map(({ id, query, score }) => [id, query, score])).toEqual([
      ['b', 'first 1?', 1 / 62 + 1 / 61],
      ['a', 'first 1?', 1 / 61],
    ]);
  });

  it('leaves whoever answers the question as it was asked, and shows it no key [K2.1] [K2.acceptance]', async () => {
    const model = scriptedModel({ rewriter: 'IMAGINED: thirty days it is.', answerer: 'Thirty days [1].' });
    const sources = withQueryRewriting(
      shelf({ 'IMAGINED: thirty days it is.': ['terms'] }),
      { rewriter: session(model, 'rewriter') },
      { how: 'hyde' },
    );
    const answerer = session(model, 'answerer');
    const agent: Agent<string, string> = async (run: Run, question) => {
      const found = await sources(run, question);
      const pieces = 'value' in found ? found.value.map(({ text }) => text).join('\n') : '';
      return done((await run.ask(answerer, `${pieces}\n${question}`)).text);
    };
    await ended(agent, 'When is it due?');
    expect(model.promptAt('answerer')).toContain('When is it due?');
    expect(model.promptAt('answerer')).not.toContain('IMAGINED');
  });

  it('takes any lookup as it is: a retriever, or an agent that rewrites in turn [K2.6]', async () => {
    const inner = shelf({ third: ['c'] });
    const before = { ...inner };
    const model = scriptedModel({ outer: 'second', inner: 'third' });
    const first = withQueryRewriting(inner, { rewriter: session(model, 'inner') }, { how: 'rewrite' });
    const chained = withQueryRewriting(first, { rewriter: session(model, 'outer') }, { how: 'rewrite' });
    const { outcome } = await ended(chained, 'one');
    expect([inner.asked, 'value' in outcome && outcome.value.map(({ id }: Evidence) => id)]).toEqual([
      ['third'],
      ['c'],
    ]);
    expect({ ...inner }).toEqual(before);
    expect(useOf(chained)).toMatchObject({ id: 'K2', predicted: { min: 2, max: 2 } });
  });

  it('finds more with the right keys than with pronouns and compounds: recall at 5, computed [K2.acceptance]', async () => {
    const codes = Array.from({ length: 60 }, (_, n) => 400 + n);
    const text = (code: number) => `Status code ${code} tells the client what went wrong with the request.`;
    const model = scriptedModel({
      answerer: () => '',
      rewriter: (request) => {
        const said = request.messages.map(({ content }) => content).join('\n');
        const first = Number(/code (\d+)/.exec(said)?.[1]);
        return `What does status code ${first + 1} mean?`;
      },
    });
    const library = rag({ embedder: hashEmbedder(), answerer: session(model, 'answerer') });
    await library.ingest(codes.map((code) => ({ source: `status-${code}`, text: text(code) })));
    const asked = codes.slice(0, 30).map((code) => ({ text: 'And the next one?', turns: [`What is code ${code}?`] }));
    const rewriting = withQueryRewriting(library, { rewriter: session(model, 'rewriter') }, { how: 'rewrite' });
    const isIn = (found: readonly Evidence[], nth: number) =>
      found.some(({ source }) => source === `status-${401 + nth}`);
    const agent: Agent<null, readonly [number, number]> = async (run) => {
      let [raw, better] = [0, 0];
      for (const [nth, question] of asked.entries()) {
        const found = await rewriting(run, question);
        if ('value' in found && isIn(found.value, nth)) better++;
        if (isIn(await library.retrieve(question.text, { limit: 5, signal: run.signal }), nth)) raw++;
      }
      return done([raw, better]);
    };
    const { outcome } = await ended(agent, null);
    const [raw, better] = 'value' in outcome ? outcome.value : [0, 0];
    expect(better / 30).toBeGreaterThan(0.95);
    expect(raw / 30).toBeLessThan(0.5);
  });

  it('refuses a rewriter that could do more than rewrite, and counts that mean nothing', () => {
    const model = scriptedModel({});
    const rewriter = { ...session(model, 'rewriter'), tools: [] };
    expect(() => withQueryRewriting(shelf({}), { rewriter }, { how: 'rewrite' })).toThrow(
      'withQueryRewriting (K2) needs a rewriter without tools',
    );
    const plain = { rewriter: session(model, 'rewriter') };
    expect(() => withQueryRewriting(shelf({}), plain, { how: 'multi', keys: 0 })).toThrow('keys to be a whole number');
  });
});
