import { createHash } from 'node:crypto';
import { FlyballError, type ModelRequest, type Run } from 'flyball';
import { toolLoop } from 'flyball/loops';
import { type ReplyFunction, type Script, type ScriptedModel, scriptedModel } from 'flyball/testing';
import { type DefinedTool, tool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import type { ScriptEntry } from '../../packages/flyball/src/testing/script.js';
import { at, moving } from '../runtime/stage.js';
import { call, type LoopOptions, type LoopRun, proposes, proposesAll, runLoop } from './stage-loop.js';

const WINDOW = 8000;
const OUTPUT = 500;
const ROOM = WINDOW - OUTPUT;

/** Reads page n of a book: about 400 tokens each, every one different. */
const page = tool({
  name: 'page',
  description: 'Reads a page. Not for anything else.',
  effect: 'pure',
  input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
  execute: async ({ n }) => pageText(Number(n)),
}) as unknown as DefinedTool;

function smallModel(script: Script, window = WINDOW): ScriptedModel {
  return scriptedModel(script, { capabilities: { window, maxOutputTokens: OUTPUT } });
}

interface Reading extends Omit<LoopOptions, 'window'> {
  readonly pages: number;
  /** What the model says beside each call: nothing clears it. */
  readonly aloud?: string;
  readonly summaries?: ReplyFunction;
  readonly window?: number;
}

/** Reads a number of pages, one an iteration, and answers. */
function readPages({ pages, aloud = '', summaries, window, ...options }: Reading): Promise<LoopRun> {
  const replies = Array.from({ length: pages }, (_, n) => ({ text: aloud, ...proposes('page', { n }, `p${n}`) }));
  const script = {
    worker: [...replies, 'Read.'],
    ...(summaries === undefined ? {} : { 'worker-summarizer': summaries }),
  };
  const model = smallModel(script, window);
  return runLoop([], {
    model,
    tools: [page],
    limits: { iterations: 100, modelCalls: 200, toolCalls: 200 },
    ...options,
    config: { maxIterations: 100, doubleConfirmation: false, ...options.config },
  });
}

const ALOUD = `I go on with ledger_2041 and look for invoice INV-7731. ${'More words of thought. '.repeat(25)}`;
const TALKING = { pages: 60, aloud: ALOUD };

const notesOf = async ({ stage }: LoopRun) => (await stage.events('note')).map(({ event }) => event);
const kinds = async (run: LoopRun) => (await notesOf(run)).map(({ kind }) => kind);
const counts = async ({ stage }: LoopRun) =>
  (await stage.events('complete')).filter(({ name }) => name === 'count-tokens').map(({ result }) => Number(result));
const hash = (message: unknown) => createHash('sha256').update(JSON.stringify(message)).digest('hex');

describe('tokens', () => {
  it('are counted before every call: what is reserved covers the whole request [R3-LOOP-COUNT]', async () => {
    const run = await readPages({ pages: 5 });
    const starts = await run.stage.events('ask-start');
    expect(starts).toHaveLength(6);
    for (const [n, start] of starts.entries()) {
      const request = run.model.requests[n] as ModelRequest;
      expect(start.reserved.tokensIn).toBe(run.model.countTokens(request));
      expect(start.reserved.tokensIn).toBeLessThanOrEqual(ROOM);
    }
  });

  it('cost no effect while the prompt cannot be near the window [R3-LOOP-COUNT]', async () => {
    const run = await readPages({ pages: 5, window: 200_000 });
    expect(await counts(run)).toEqual([]);
  });

  it('are counted in the journal when it may be near, and the count is kept for replay [R3-LOOP-COUNT]', async () => {
    const run = await readPages({ pages: 5 });
    const counted = await counts(run);
    expect(counted.length).toBeGreaterThan(0);
    expect(counted.at(-1)).toBe(run.model.countTokens(run.model.requests.at(-1) as ModelRequest));
  });

  it('that do not fit end the loop before the call is paid for [R3-LOOP-COUNT]', async () => {
    const run = await readPages({ pages: 30, config: { window: { care: 'off' } } });
    expect(run.outcome).toMatchObject({ stop: 'bounded', bound: 'window', limit: ROOM });
    expect(run.result.termination).toBe('window_exceeded');
    expect(run.result.why).toMatch(/takes \d+ tokens and 7500 fit/);
    for (const request of run.model.requests) expect(run.model.countTokens(request)).toBeLessThanOrEqual(ROOM);
    expect((await counts(run)).at(-1)).toBeGreaterThan(ROOM);
  });

  it('of reasoning that goes back to the provider count as well [R3-LOOP-COUNT]', async () => {
    const replies = [
      ...[1, 2, 3].map((n) => ({ ...proposes('page', { n }), reasoning: 'I think. '.repeat(200) })),
      'Read.',
    ];
    const run = await runLoop([], {
      model: smallModel({ worker: replies }, 40_000),
      tools: [page],
      config: { doubleConfirmation: false },
    });
    expect((await counts(run)).length).toBeGreaterThan(0); // without it the prompt would be far from the window
  });
});

describe('consumed results', () => {
  it('become stubs before the window overflows, and everything else stays byte-identical [R3-LOOP-CLEAR]', async () => {
    const run = await readPages({ pages: 15, config: { window: { care: 'clear' } } });
    expect(run.result.termination).toBe('completed');
    expect(run.model.requestsOf('worker-summarizer')).toEqual([]);
    const last = run.model.requests.at(-1)?.messages ?? [];
    const stubs = last.filter(({ content }) => content.startsWith('[cleared: '));
    expect(stubs.length).toBeGreaterThan(4);
    for (const stub of stubs) {
      expect(stub.content).toMatch(
        /^\[cleared: result of page, 1\d{3} characters\. recall_result with id "r_[\w-]{10}"/,
      );
      expect(stub).toMatchObject({ role: 'tool', name: 'page', toolCallId: expect.stringMatching(/^p\d+$/) });
    }
    // setup, task, calls and the last six turns are what they were
    const before = run.model.requests[0]?.messages ?? [];
    expect(last.slice(0, 2)).toEqual(before);
    expect(
      last
        .slice(-12)
        .filter(({ role }) => role === 'tool')
        .map(({ content }) => content.slice(0, 7)),
    ).toEqual(['Page 9 ', 'Page 10', 'Page 11', 'Page 12', 'Page 13', 'Page 14']);
    for (const request of run.model.requests) expect(run.model.countTokens(request)).toBeLessThanOrEqual(ROOM);
  });

  it('come back to the byte by recall_result, which is offered only then [R3-LOOP-CLEAR]', async () => {
    const replies: ScriptEntry[] = Array.from({ length: 15 }, (_, n) => proposes('page', { n }, `p${n}`));
    let original = '';
    replies.push((request) => {
      const stub = request.messages.find(({ content }) => content.startsWith('[cleared: '))?.content ?? '';
      original = pageText(0);
      return proposes('recall_result', { id: /"(r_[\w-]+)"/.exec(stub)?.[1] }, 'back');
    });
    replies.push('Read.');
    const model = smallModel({ worker: replies });
    const run = await runLoop([], {
      model,
      tools: [page],
      config: { maxIterations: 50, doubleConfirmation: false, window: { care: 'clear' } },
      limits: { iterations: 100 },
    });
    const offered = model.requests.map(({ tools }) => tools.map(({ name }) => name));
    expect(offered[0]).toEqual(['page']);
    expect(offered.at(-1)).toEqual(['page', 'recall_result']);
    const cleared = (await kinds(run)).indexOf('context-cleared');
    expect(cleared).toBeGreaterThan(0);
    expect(model.requests.at(-1)?.messages.at(-1)).toMatchObject({ toolCallId: 'back', content: original });
    expect(run.result.toolsUsed).toEqual(['page', 'recall_result']);
  });

  it('that were never cleared cannot be recalled, and are said so [R3-LOOP-CLEAR]', async () => {
    const replies: ScriptEntry[] = Array.from({ length: 15 }, (_, n) => proposes('page', { n }, `p${n}`));
    replies.push(proposes('recall_result', { id: 'r_nonsense00' }), proposes('recall_result', { id: 7 }), 'Read.');
    const model = smallModel({ worker: replies });
    await runLoop([], {
      model,
      tools: [page],
      config: { maxIterations: 50, doubleConfirmation: false, window: { care: 'clear' } },
      limits: { iterations: 100 },
    });
    expect(model.requests.at(-2)?.messages.at(-1)?.content).toMatch(/No result was cleared under "r_nonsense00"/);
    expect(model.requests.at(-1)?.messages.at(-1)?.content).toMatch(/id must be a string/);
  });

  it('cannot be recalled before anything was cleared: then there is no such tool [R3-LOOP-CLEAR]', async () => {
    const { model } = await runLoop([proposes('recall_result', { id: 'x' }), 'No.'], {
      tools: [page],
      config: { doubleConfirmation: false },
    });
    expect(model.requests[1]?.messages.at(-1)?.content).toMatch(/there is no tool "recall_result"/);
  });

  it('are cleared with a note of how much, and from where on a cache is void [R3-LOOP-CLEAR]', async () => {
    const run = await readPages({ pages: 15, config: { window: { care: 'clear' } } });
    const cleared = (await notesOf(run)).filter(({ kind }) => kind === 'context-cleared') as unknown as readonly {
      readonly results: number;
      readonly from: number;
      readonly before: number;
      readonly after: number;
    }[];
    expect(cleared.length).toBeGreaterThan(0);
    expect(cleared.length).toBeLessThan(8); // several results at a time, not one each iteration
    expect(cleared[0]).toMatchObject({ from: 3 });
    for (const { before, after } of cleared) expect(after).toBeLessThan(before);
  });

  it('are left alone while too little would be gained: an edit voids the cache [R3-LOOP-CLEAR]', async () => {
    const short = tool({
      name: 'short',
      description: 'Says little. Not for anything else.',
      effect: 'pure',
      input: { type: 'object', properties: { n: { type: 'number' } } },
      execute: async ({ n }) => `${String(n)} ${'is a number worth this many words '.repeat(4)}`,
    });
    const replies = Array.from({ length: 40 }, (_, n) => ({ text: ALOUD, ...proposes('short', { n }, `s${n}`) }));
    const run = await runLoop([], {
      model: smallModel({ worker: [...replies, 'Done.'] }, 10_000),
      tools: [short],
      config: { maxIterations: 60, doubleConfirmation: false, window: { care: 'clear' } },
      limits: { iterations: 100 },
    });
    const cleared = (await notesOf(run)).filter(({ kind }) => kind === 'context-cleared');
    expect(cleared.length).toBeGreaterThan(0);
    expect(cleared.length).toBeLessThan(6); // not at every iteration past the trigger
  });

  it('in text form are cleared and recalled as well [R3-LOOP-CLEAR] [R3-LOOP-TEXT-CALLS]', async () => {
    const block = (name: string, args: unknown) =>
      `\`\`\`tool_calls\n${JSON.stringify([{ name, arguments: args }])}\n\`\`\``;
    const replies: ScriptEntry[] = Array.from({ length: 15 }, (_, n) => block('page', { n }));
    replies.push((request) => {
      const stub = request.messages.find(({ content }) => content.startsWith('[cleared: '))?.content ?? '';
      return block('recall_result', { id: /"(r_[\w-]+)"/.exec(stub)?.[1] });
    });
    replies.push('Read.');
    const model = scriptedModel(
      { worker: replies },
      { capabilities: { window: WINDOW, maxOutputTokens: OUTPUT, tools: false } },
    );
    const run = await runLoop([], {
      model,
      tools: [page],
      config: { maxIterations: 50, doubleConfirmation: false, textCalls: 'json', window: { care: 'clear' } },
      limits: { iterations: 100 },
    });
    expect(run.result.termination).toBe('completed');
    expect(model.requests.at(-1)?.messages.at(-1)?.content).toContain('line 0 of many.');
  });
});

function pageText(n: number): string {
  return `Page ${n} of ledger_2041. ${`line ${n} of many. `.repeat(100)}`;
}

describe('old turns', () => {
  const faithful = 'Read many pages of ledger_2041, looking for invoice INV-7731; it is not found yet.';

  it('become one summary by one call, where clearing is not enough [R3-LOOP-COMPACT]', async () => {
    const run = await readPages({ ...TALKING, summaries: () => faithful });
    expect(run.result.termination).toBe('completed');
    const compactions = (await notesOf(run)).filter(({ kind }) => kind === 'context-compacted');
    expect(compactions.length).toBeGreaterThan(0);
    expect(run.model.requestsOf('worker-summarizer')).toHaveLength(compactions.length); // one call each
    const requests = run.model.requestsOf('worker');
    // usage never passes the window, the setup is the same to the byte, and so is the task
    for (const request of requests) expect(run.model.countTokens(request)).toBeLessThanOrEqual(ROOM);
    expect(new Set(requests.map(({ messages }) => hash(messages[0]))).size).toBe(1);
    expect(new Set(requests.map(({ messages }) => hash(messages[1]))).size).toBe(1);
    expect(requests.at(-1)?.messages.filter(({ content }) => content.startsWith('[Summary of'))).toHaveLength(1);
  });

  it('are summarised without touching the last six turns [R3-LOOP-COMPACT]', async () => {
    const run = await readPages({ ...TALKING, summaries: () => faithful });
    const requests = run.model.requestsOf('worker');
    const at = requests.findIndex(({ messages }) => messages.some(({ content }) => content.startsWith('[Summary of')));
    const [before = [], after = []] = [requests[at - 1]?.messages, requests[at]?.messages];
    expect(at).toBeGreaterThan(0);
    // the call before ended with one more turn: its last eleven messages are the last ones but two now
    expect(after.slice(-12, -2).map(hash)).toEqual(before.slice(-10).map(hash));
    expect(after.length).toBeLessThan(before.length);
  });

  it('that a summary does not do justice to are kept: one more try that names what was lost, then none [R3-LOOP-COMPACT]', async () => {
    const run = await readPages({ ...TALKING, summaries: () => 'Something was read.' });
    const asked = run.model.requestsOf('worker-summarizer');
    expect(asked[1]?.messages.at(-1)?.content).toMatch(/must keep these, word for word: .*ledger_2041/);
    expect(await kinds(run)).toContain('context-kept');
    expect(await kinds(run)).not.toContain('context-compacted');
    expect(asked.length).toBeLessThanOrEqual(12); // not two calls for every iteration
    expect(run.result.termination).toBe('window_exceeded');
  });

  it('that the second summary does justice to are replaced by it [R3-LOOP-COMPACT]', async () => {
    const answers = (_request: ModelRequest, n: number) => (n % 2 === 1 ? 'Something was read.' : faithful);
    const run = await readPages({ ...TALKING, summaries: answers });
    expect(await kinds(run)).toContain('context-compacted');
    expect(run.result.termination).toBe('completed');
  });

  it('are kept when whoever summarises fails, is cut off or says nothing [R3-LOOP-COMPACT]', async () => {
    for (const answer of [
      new FlyballError('MODEL_REJECTED', 'No.'),
      { text: faithful, finish: 'length' as const },
      '  ',
    ]) {
      const run = await readPages({ ...TALKING, summaries: () => answer });
      expect(await kinds(run)).toContain('context-kept');
      expect(run.result.termination).toBe('window_exceeded');
    }
  });

  it('are kept when the summary is not shorter [R3-LOOP-COMPACT]', async () => {
    const run = await readPages({ ...TALKING, summaries: () => `${faithful} ${'more words '.repeat(3000)}` });
    expect(await notesOf(run)).toContainEqual(
      expect.objectContaining({ kind: 'context-kept', why: 'the summary is not shorter' }),
    );
  });

  it('are summarised by a role of its own, whose tokens count as well [R3-LOOP-COMPACT]', async () => {
    const run = await readPages({ ...TALKING, summaries: () => faithful });
    const [request] = run.model.requestsOf('worker-summarizer');
    expect(request?.tools).toEqual([]);
    expect(request?.messages).toHaveLength(2);
    expect(request?.messages[0]?.content).toMatch(/^You condense/);
    const { usage } = run.outcome as { readonly usage?: { readonly tokensIn: number; readonly tokensOut: number } };
    expect(run.result.tokens).toBe((usage?.tokensIn ?? 0) + (usage?.tokensOut ?? 0));
  });

  it('are not summarised where the loop is told to clear only [R3-LOOP-COMPACT]', async () => {
    const run = await readPages({ ...TALKING, config: { window: { care: 'clear' } } });
    expect(run.model.requestsOf('worker-summarizer')).toEqual([]);
    expect(run.result.termination).toBe('window_exceeded');
  });
});

describe('a run that is resumed on a model with another window', () => {
  const long = tool({
    name: 'long',
    description: 'Gives a long text. Not for anything else.',
    effect: 'pure',
    execute: async () => `begin ${'x'.repeat(6000)} end`,
  });
  const life = (replies: Script[string], window: number) => {
    const model = smallModel({ worker: replies }, window);
    const agent = toolLoop({
      session: { name: 'worker', model, setup: 'x' },
      tools: [long],
      config: { doubleConfirmation: false },
    });
    return { model, agent: (run: Run) => agent(run, 'Read it.') };
  };

  it.each([
    [200_000, 8000],
    [8000, 200_000],
  ])('goes on as it began, from %d tokens to %d [R3-LOOP-COUNT]', async (before, after) => {
    const calls = [proposes('long', {}, 'a'), proposes('long', {}, 'b')];
    const whole = moving();
    const first = life([...calls, 'Read.'], before);
    await whole.open(first.agent).start();
    const stage = moving();
    await stage.crashed(life(calls, before).agent, at('after', 'ask-end', 2));
    const second = life(['Read.'], after);
    expect(await stage.open(second.agent).resume()).toMatchObject({ stop: 'done', value: { output: 'Read.' } });
    expect(second.model.requests[0]?.messages).toEqual(first.model.requests[2]?.messages);
    const names = async (of: typeof stage) => (await of.events('complete')).map(({ name }) => name);
    expect(await names(stage)).toEqual(await names(whole));
  });
});

describe('a result', () => {
  const long = tool({
    name: 'long',
    description: 'Says much. Not for anything else.',
    effect: 'pure',
    execute: async () => `begin ${'x'.repeat(50_000)} end`,
  });

  it('that is too long goes into the prompt without its middle, and says how much is missing', async () => {
    const { model } = await runLoop([proposes('long'), 'Done.'], {
      tools: [long],
      config: { doubleConfirmation: false },
    });
    const content = model.requests[1]?.messages.at(-1)?.content ?? '';
    expect(content.length).toBeLessThan(30_100);
    expect(content).toMatch(/^begin x+\n\[… 20010 characters left out …\]\nx+ end$/);
  });

  it('is cut shorter in a small window, so that five of them fit', async () => {
    const replies = [proposesAll(...[0, 1, 2, 3, 4].map((n) => call('long', {}, `l${n}`))), 'Done.'];
    const { result } = await runLoop([], {
      model: smallModel({ worker: replies }),
      tools: [long],
      config: { doubleConfirmation: false, repeatLimit: 10 },
      limits: { noProgress: 100 },
    });
    expect(result.termination).toBe('completed');
  });
});
