import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { inRun, piece, session } from '../../../../test/checks/stage-checks.js';
import { processorMs } from '../../../../test/patience.js';
import type { Retriever } from '../ports/retriever.js';
import { identifiersIn, lostIdentifiers } from './identifiers.js';
import { splitRequest } from './split-request.js';
import { type Question, retrieveTransformed, type Transformation, transformQuery } from './transform.js';

async function keysOf(variant: Transformation, reply: string, question: string | Question, n?: number) {
  const model = scriptedModel({ rewriter: reply });
  const asked = typeof question === 'string' ? { text: question } : question;
  const options = { variant, session: session(model, 'rewriter'), ...(n === undefined ? {} : { n }) };
  return { keys: await inRun((run) => transformQuery(run, asked, options)), model };
}

describe('a query transformation', () => {
  it('rewrites a follow-up with the turns it leans on, in one call [R5-RET-TRANSFORM]', async () => {
    const question = { text: 'And what about 422?', turns: ['What does status code 421 mean?'] };
    const { keys, model } = await keysOf('rewrite', 'What does status code 422 mean?', question);
    expect(keys).toEqual({ raw: question.text, keys: ['What does status code 422 mean?'], variant: 'rewrite' });
    expect(model.requests).toHaveLength(1);
    expect(model.promptAt('rewriter')).toContain('Said before: What does status code 421 mean?');
  });

  it('shows earlier turns to a rewrite only', async () => {
    const { model } = await keysOf('multi', 'a b c', { text: 'a b c', turns: ['a secret'] });
    expect(model.promptAt('rewriter')).not.toContain('secret');
  });

  it.each([
    ['rewrite', 'What does that code mean?', 'What does 421 mean?', ['421']],
    ['hyde', 'The tool closes an account.', 'What does close_bank_account_7392 do?', ['close_bank_account_7392']],
    ['multi', 'How much is the fee?\nWho pays?', 'Does the "Green Account" have a fee?', ['Green Account']],
  ] as const)(
    'falls back to the question where a %s loses an identifier [R5-RET-TRANSFORM]',
    async (variant, reply, raw, lost) => {
      const { keys } = await keysOf(variant, reply, raw);
      expect(keys).toEqual({ raw, keys: [raw], variant, fellBack: 'identifiers-lost', lost });
    },
  );

  it('splits a question into at most n others, and lets them share its identifiers [R5-RET-TRANSFORM]', async () => {
    const reply = '1. What does 421 mean?\n2. What does 422 mean?\n- What does 421 mean?\n3. And 423?';
    const { keys } = await keysOf('multi', reply, 'What do 421 and 422 mean?', 2);
    expect(keys.keys).toEqual(['What does 421 mean?', 'What does 422 mean?']);
  });

  it('keeps the question beside a step back, which is more general by its nature [R5-RET-TRANSFORM]', async () => {
    const { keys } = await keysOf('stepback', 'How do status codes work?', 'What does 421 mean?');
    expect(keys).toMatchObject({ keys: ['What does 421 mean?', 'How do status codes work?'] });
    expect(keys).not.toHaveProperty('fellBack');
  });

  it('searches for the imagined answer as a whole [R5-RET-TRANSFORM]', async () => {
    const { keys } = await keysOf('hyde', 'A 421 is sent\nby the wrong server.', 'What does 421 mean?');
    expect(keys.keys).toEqual(['A 421 is sent by the wrong server.']);
  });

  it('falls back where the model says nothing', async () => {
    const { keys } = await keysOf('rewrite', ' \n', 'What?');
    expect(keys).toMatchObject({ keys: ['What?'], fellBack: 'empty' });
  });

  it('refuses a session that could do more than rewrite', async () => {
    const model = scriptedModel({});
    const options = { variant: 'rewrite', session: { ...session(model, 'rewriter'), tools: [] } } as const;
    await expect(inRun((run) => transformQuery(run, { text: 'x' }, options))).rejects.toThrow(/no tools/);
  });

  it('joins what every key finds by its ranks, each piece once, and reports raw and derived keys [R5-RET-TRANSFORM]', async () => {
    const lists: Readonly<Record<string, readonly string[]>> = { 'first 1?': ['a', 'b'], 'second 2?': ['b', 'c'] };
    const inner: Retriever = {
      name: 'shelf',
      retrieve: async (query, { limit }) =>
        (lists[query] ?? []).slice(0, limit).map((id) => piece(id, `text of ${id}`, { query })),
    };
    const model = scriptedModel({ rewriter: 'first 1?\nsecond 2?' });
    const options = { variant: 'multi', session: session(model, 'rewriter'), inner, limit: 2 } as const;
    const found = await inRun((run) => retrieveTransformed(run, { text: 'What are 1 and 2?' }, options));
    expect(found.evidence.map(({ id, query, score }) => [id, query, score])).toEqual([
      ['b', 'first 1?', 1 / 62 + 1 / 61],
      ['a', 'first 1?', 1 / 61],
    ]);
    expect(found.keys).toMatchObject({ raw: 'What are 1 and 2?', keys: ['first 1?', 'second 2?'] });
  });
});

describe('identifiers', () => {
  it('are numbers, quoted names and words that nobody invents twice', () => {
    const text = 'Close "Light Blue" with close_account_12 for $1,250.50 by ana@x.org, RFC9110 or camelCase (30%).';
    expect(identifiersIn(text)).toEqual([
      'Light Blue',
      'close_account_12',
      '$1,250.50',
      'ana@x.org',
      'RFC9110',
      'camelCase',
      '30%',
    ]);
    expect(identifiersIn('She said "I want to close it now." and left')).toEqual([]);
  });

  it('are found again whatever their case and separators', () => {
    expect(lostIdentifiers('Is $1,250 due on RFC9110?', 'rfc9110: $1250')).toEqual([]);
    expect(lostIdentifiers('421 or 422', 'about 421')).toEqual(['422']);
  });
});

describe('decomposition without a model', () => {
  it('cuts at sentences, list items and further wishes [R5-RET-TRANSFORM]', () => {
    const request =
      'I want to close my card, and I also want a refund. What is the fee?\n- Order a new debit card\n2. Yes.';
    expect(splitRequest(request)).toEqual([
      'I want to close my card',
      'I also want a refund.',
      'What is the fee?',
      'Order a new debit card',
    ]);
  });

  it('leaves one wish as it is, drops repeats, and gives no more than it may', () => {
    expect(splitRequest('Fees?')).toEqual(['Fees?']);
    expect(splitRequest(' \n')).toEqual([]);
    expect(splitRequest('Close my card. Close my card. Open my account.', { most: 1 })).toEqual(['Close my card.']);
    expect(splitRequest('I paid $2.50 for the No. 5 card.')).toHaveLength(1);
  });

  it('takes time that grows with the question, and so does looking for identifiers [R8-TRIAL3-A16]', () => {
    const blanks = ' '.repeat(100_000);
    const started = processorMs();
    expect(splitRequest(`where${blanks}is it`)).toEqual([`where${blanks}is it`]);
    expect(splitRequest(`Close my card,${blanks}and${blanks}I want it`)).toEqual(['Close my card', 'I want it']);
    expect(identifiersIn(`a${'.'.repeat(100_000)}a`)).toEqual([]);
    expect(processorMs() - started).toBeLessThan(500);
  });
});
