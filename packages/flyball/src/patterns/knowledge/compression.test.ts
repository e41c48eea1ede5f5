import { append, type Framing, type Prompt } from 'flyball';
import { toolLoop } from 'flyball/loops';
import { compression, pruning, reAct, useOf } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { session } from '../../../../../test/patterns/bed.js';
import { ALOUD, expectPaired, pageText, Reader, ROOM, SUMMARY } from '../../../../../test/patterns/window-bed.js';

/** Reads and thinks aloud until the window is full of words that no pruning takes out. */
const talking = (summaries: readonly string[] | (() => string) = () => SUMMARY) =>
  new Reader({ pages: 26, aloud: ALOUD, summaries, compressed: {} });

describe('compression', () => {
  it('keeps a long task inside the window: one call a summary, setup and last turns to the byte [K6.1] [K6.acceptance]', async () => {
    const loop = talking();
    const { outcome, notes, uses } = await loop.run('Read.');
    expect(outcome.stop).toBe('done');
    const worker = loop.model.requestsOf('worker');
    for (const request of worker) expect(loop.model.countTokens(request)).toBeLessThanOrEqual(ROOM);
    expect(new Set(worker.map(({ messages }) => messages[0]?.content)).size).toBe(1);
    for (const { messages } of worker) expect(messages.some(({ content }) => content === 'Read.')).toBe(true);
    const summaries = notes.filter(({ kind }) => kind === 'context-compacted');
    expect(summaries.length).toBeGreaterThan(1);
    expect(loop.model.requestsOf('worker-summarizer')).toHaveLength(summaries.length);
    expect(uses.filter(({ pattern }) => pattern === 'compression').map(({ modelCalls }) => modelCalls)).toEqual(
      summaries.map(() => 1),
    );
    for (const { messages } of worker) {
      const turns = messages.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []));
      for (const { role, content } of messages.slice(turns.at(-6) ?? 0)) {
        if (role === 'assistant') expect(content).toBe(ALOUD);
        if (role === 'tool') expect(content).toBe(pageText(Number(/\d+/.exec(content)?.[0])));
      }
    }
  });

  it('never takes a protected segment into a summary, however old it is [K6.1]', async () => {
    const loop = talking();
    const turns = [
      { role: 'user', content: 'Read.' },
      { role: 'assistant', content: 'I keep to the house rules.' },
      { role: 'user', content: 'RULE: never name a customer.', protect: true },
      { role: 'assistant', content: 'OLD WORDS.' },
      { role: 'user', content: 'And then?' },
      { role: 'assistant', content: 'Yes.' },
    ] as const;
    const asked = turns.reduce<Prompt | undefined>((tip, turn) => append(tip, turn), undefined);
    const { outcome, notes } = await loop.run(append(asked, { role: 'user', content: 'Go on.' }));
    expect(outcome.stop).toBe('done');
    expect(notes.map(({ kind }) => kind)).toContain('context-compacted');
    const worker = loop.model.requestsOf('worker');
    for (const { messages } of worker)
      expect(messages.filter(({ content }) => content === 'RULE: never name a customer.')).toHaveLength(1);
    expect(JSON.stringify(worker.at(-1)?.messages)).not.toContain('OLD WORDS');
    for (const { messages } of loop.model.requestsOf('worker-summarizer'))
      expect(JSON.stringify(messages)).not.toContain('RULE: never');
  });

  it('lets pruning do it where that is enough: no calls [K6.2] [K6.acceptance]', async () => {
    const loop = new Reader({ pages: 15, compressed: {}, summaries: [] });
    const { outcome, notes } = await loop.run('Read.');
    expect(outcome.stop).toBe('done');
    expect(loop.model.requestsOf('worker-summarizer')).toEqual([]);
    expect(notes.map(({ kind }) => kind)).toContain('context-cleared');
    expect(useOf(compression({ summarizer: loop.summarizer }))?.provides).toEqual(['K7']);
  });

  it('refuses to begin where its summarizer could not read what it has to summarize [K6.3]', () => {
    const small = scriptedModel({}, { capabilities: { window: 8_000, maxOutputTokens: 1_000 } });
    expect(() => compression({ summarizer: session(small, 'small') }, { maxTokens: 60_000 })).toThrow(
      'compression (K6) begins at 42000 tokens, and "small" reads 7000 at most.',
    );
    expect(useOf(compression({ summarizer: session(small, 'small') }, { maxTokens: 10_000 }))).toMatchObject({
      id: 'K6',
      predicted: { min: 0, max: 2 },
    });
  });

  it('refuses a loop in whose window it would begin with more than its summarizer reads, whatever maxTokens is [K6.3]', () => {
    const worker = (window: number) =>
      session(scriptedModel({}, { capabilities: { window, maxOutputTokens: 1_000 } }), 'worker');
    const small = session(scriptedModel({}, { capabilities: { window: 8_000, maxOutputTokens: 1_000 } }), 'small');
    const loop = (window: number, options = {}) =>
      toolLoop({ session: worker(window), window: [compression({ summarizer: small }, options)] });
    const refused = 'compression (K6) begins at 21700 tokens, and "small" reads 7000 at most.';
    expect(() => loop(32_000)).toThrow(refused);
    expect(() => reAct({ worker: worker(32_000), tools: [], window: [compression({ summarizer: small })] })).toThrow(
      refused,
    );
    for (const fits of [
      () => loop(11_000),
      () => loop(32_000, { trigger: 0.2 }),
      () => loop(32_000, { maxTokens: 9_000 }),
    ])
      expect(fits).not.toThrow();
  });

  it('says so in the journal and at the end when a framing gave its summarizer too small a model [K6.3]', async () => {
    const tiny = scriptedModel(
      { 'worker-summarizer': () => SUMMARY },
      { capabilities: { window: 800, maxOutputTokens: 100 } },
    );
    const shrinks: Framing = {
      id: 'shrinks',
      session: (given) => (given.name === 'worker-summarizer' ? { ...given, model: tiny } : given),
    };
    const loop = new Reader({ pages: 60, aloud: ALOUD, compressed: {} });
    const { outcome, notes } = await loop.run('Read.', shrinks);
    expect(tiny.requests).toEqual([]);
    const why = expect.stringMatching(/^"worker-summarizer" would have to read \d+ tokens, and 700 fit$/) as string;
    expect(notes).toContainEqual(expect.objectContaining({ kind: 'context-kept', why }));
    expect(outcome).toMatchObject({
      stop: 'bounded',
      bound: 'window',
      partial: {
        termination: 'window_exceeded',
        why: expect.stringMatching(
          /^the prompt takes \d+ tokens and 7500 fit; compression: "worker-summarizer" would have to read \d+ tokens, and 700 fit; split/,
        ) as string,
      },
    });
  });

  it('leaves the window as it is where the summary is not shorter [K6.4]', async () => {
    const loop = talking(() => `ledger_2041 INV-7731 ${'word '.repeat(20_000)}`);
    const { notes } = await loop.run('Read.');
    expect(notes).toContainEqual(expect.objectContaining({ kind: 'context-kept', why: 'the summary is not shorter' }));
    expect(notes.map(({ kind }) => kind)).not.toContain('context-compacted');
  });

  it('labels a summary with what it replaces, and leaves the original in the journal [K6.5] [K6.6]', async () => {
    const loop = talking();
    const { notes, entries } = await loop.run('Read.');
    const shown = loop.model
      .requestsOf('worker')
      .flatMap(({ messages }) => messages.map(({ content }) => content))
      .find((content) => content.startsWith('[Summary of '));
    const [, from, to] =
      /^\[Summary of \d+ earlier messages, ([\w-]+) to ([\w-]+), which it replaces\]\n/.exec(shown ?? '') ?? [];
    const [note] = notes.filter(({ kind }) => kind === 'context-compacted');
    const replaces = note?.['replaces'] as readonly string[];
    expect([from, to]).toEqual([replaces[0], replaces.at(-1)]);
    expect(JSON.stringify(entries)).toContain('Page 0');
  });

  it('never parts a call from its result [K6.7]', async () => {
    const loop = talking();
    await loop.run('Read.');
    for (const { messages } of loop.model.requestsOf('worker')) expectPaired(messages);
  });

  it('demands what must not be lost, measures it, and asks once more before it keeps the turns [K6.8] [K6.acceptance]', async () => {
    const loop = talking(() => 'Nothing much happened.');
    const { notes, uses } = await loop.run('Read.');
    const asked = loop.model.requestsOf('worker-summarizer').map(({ messages }) => JSON.stringify(messages));
    for (const word of ['decisions', 'facts', 'names, identifiers, paths and numbers', 'open question'])
      expect(asked[0]).toContain(word);
    expect(asked[1]).toContain('The summary must keep these, word for word:');
    expect(asked[1]).toContain('ledger_2041');
    expect(notes).toContainEqual(expect.objectContaining({ kind: 'context-kept', why: 'no faithful summary' }));
    const [first] = uses.filter(({ pattern }) => pattern === 'compression');
    expect(first).toMatchObject({ modelCalls: 2, learned: { asked: 2 } });
    expect(Number(first?.learned?.['lost'])).toBeGreaterThan(0);
  });

  it('begins at its own limit where that is smaller than the window', async () => {
    const loop = new Reader({ pages: 20, aloud: ALOUD, summaries: () => SUMMARY, compressed: { maxTokens: 3_000 } });
    await loop.run('Read.');
    const most = Math.max(...loop.model.requestsOf('worker').map((request) => loop.model.countTokens(request)));
    expect(most).toBeLessThan(ROOM * 0.7);
    expect(loop.model.requestsOf('worker-summarizer').length).toBeGreaterThan(0);
    expect(() => compression({ summarizer: loop.summarizer }, { keepRecent: 0 })).toThrow('compression (K6) needs');
  });

  it('works beside pruning that comes before it', async () => {
    const loop = new Reader({ pages: 20, aloud: ALOUD, summaries: () => SUMMARY, first: [pruning()], compressed: {} });
    const { outcome } = await loop.run('Read.');
    expect(outcome.stop).toBe('done');
  });
});
