import { type Clock, type Outcome, type Run, systemClock } from 'flyball';
import { type ToolLoopResult, toolLoop } from 'flyball/loops';
import { capture, memory } from 'flyball/memory';
import { hashEmbedder } from 'flyball/retrieval';
import { type Script, scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { loopTraceOf, observationsOf, withoutPrivate } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../packages/flyball/src/core/events.js';
import type { PrivateParts } from '../../packages/flyball/src/memory/observe.js';
import type { ScriptEntry } from '../../packages/flyball/src/testing/script.js';
import { call, proposes, proposesAll } from '../loops/stage-loop.js';
import { RUN, Stage } from '../runtime/stage.js';
import { type Ground, inMemory, inRun } from './grounds.js';

const SECRET = 'hunter2';
const WINDOW = { window: 8000, maxOutputTokens: 500 };

const diary = tool({
  name: 'diary',
  description: 'Reads a page of the diary. Not for anything else.',
  effect: 'pure',
  input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
  execute: async ({ n }) => `Page ${String(n)}: ${SECRET}. ${`line ${String(n)} of many. `.repeat(100)}`,
});

/** Reads enough pages for the first ones to be cleared, asks for some of them again, and answers. */
function readsBack(...back: readonly string[]): readonly ScriptEntry[] {
  const pages = Array.from({ length: 15 }, (_, n) => ({ text: 'On I read.', ...proposes('diary', { n }, `p${n}`) }));
  const again: ScriptEntry = (request) => {
    const stubs = request.messages.flatMap(({ content }) => /^\[cleared: .*"(r_[\w-]+)"/.exec(content)?.[1] ?? []);
    return proposesAll(...back.map((id, n) => call('recall_result', { id: stubs[n] }, id)));
  };
  return [...pages, again, 'I read it.'];
}

interface Reading {
  readonly worker: readonly ScriptEntry[];
  readonly summarizer?: Script[string];
  readonly private?: PrivateParts;
}

interface Read {
  readonly entries: readonly Entry[];
  readonly ground: Ground;
}

/** A loop over a real runtime whose observations go to memory; only the model is scripted. */
async function reading(options: Reading): Promise<Read> {
  const ground = inMemory();
  const model = scriptedModel(
    {
      worker: [...options.worker],
      ...(options.summarizer === undefined ? {} : { 'worker-summarizer': options.summarizer }),
    },
    { capabilities: WINDOW },
  );
  const loop = toolLoop({
    session: { name: 'worker', model, setup: 'You read.' },
    tools: [diary],
    config: {
      maxIterations: 100,
      doubleConfirmation: false,
      window: { care: options.summarizer === undefined ? 'clear' : 'compact' },
    },
    capture: capture({
      store: ground.store,
      session: 's',
      agent: 'worker',
      ...(options.private === undefined ? {} : { private: options.private }),
    }),
  });
  const stage = new Stage<Clock>(systemClock(), ground.engine);
  const life = stage.open((run: Run) => loop(run.scope('desk'), 'Read the diary.'));
  const limits = { iterations: 100, modelCalls: 200, toolCalls: 200 };
  const outcome = (await life.start(null, limits)) as Outcome<ToolLoopResult>;
  expect(outcome).toMatchObject({ stop: 'done', value: { termination: 'completed' } });
  return { entries: await stage.entries(), ground };
}

/** Everything that others may see of it: exports, traces, observations, what is remembered and what is recalled. */
async function told({ entries, ground }: Read): Promise<string> {
  const own = { tenant: 'default', owner: 'anonymous', collection: 'memory.episodic' };
  const m = memory({ store: ground.store, embedder: hashEmbedder() });
  const recalled = await inRun(ground, (run) => m.recall(run, { query: `page ${SECRET}`, level: 'full' }), {
    tenant: 'default',
    subject: 'anonymous',
  });
  return JSON.stringify([
    withoutPrivate(entries),
    loopTraceOf(entries),
    observationsOf(entries, { runId: RUN }),
    (await ground.store.query(own)).records,
    recalled,
  ]);
}

function resultsOf(entries: readonly Entry[], name: string): readonly Entry[] {
  return entries.filter(({ event }) => event.type === 'complete' && event.name === name);
}

function summariesIn({ entries }: Read): readonly string[] {
  return observationsOf(entries, { runId: RUN, include: 'all' })
    .filter(({ metadata }) => metadata['role'] === 'worker-summarizer')
    .map(({ content }) => content);
}

describe('a private result that was cleared from the prompt', () => {
  it.each([
    ['alone', ['back']],
    ['beside another', ['back', 'more']],
  ])('stays private when recall_result gives it back, %s [R3-OBS-PRIVATE]', async (_how, back) => {
    const read = await reading({ worker: readsBack(...back), private: { tools: ['diary'] } });
    const again = resultsOf(read.entries, 'recall_result');
    expect(again).toHaveLength(back.length);
    for (const entry of again) expect(JSON.stringify(entry)).toContain(SECRET); // a replay needs it
    const text = await told(read);
    expect(text).not.toContain(SECRET);
    expect(text).toContain('On I read.');
  });

  it('is told like any other where nothing is private [R3-OBS-PRIVATE]', async () => {
    const read = await reading({ worker: readsBack('back') });
    const recalls = observationsOf(read.entries, { runId: RUN }).filter(
      ({ metadata }) => metadata['tool'] === 'recall_result',
    );
    expect(recalls.map(({ content }) => content)).toEqual([expect.stringContaining(SECRET)]);
    expect(await told(read)).toContain('"title":"recall_result: Page 0');
  });
});

describe('a summary of old turns', () => {
  const thoughts = `I look for INV-7731 in ledger_2041. ${'More words of thought. '.repeat(25)}`;
  const talks = (aloud: string): readonly ScriptEntry[] => [
    ...Array.from({ length: 60 }, (_, n) => ({ text: aloud, ...proposes('diary', { n }, `p${n}`) })),
    'I read it.',
  ];
  const summary = `INV-7731 is not in ledger_2041 yet; MARK-1 and ${SECRET} were named.`;

  it.each<[string, PrivateParts]>([
    ['tool', { tools: ['diary'] }],
    ['session', { sessions: ['worker'] }],
  ])('is private where a %s of its loop is [R3-OBS-PRIVATE]', async (_what, parts) => {
    const read = await reading({ worker: talks(thoughts), summarizer: () => summary, private: parts });
    expect(summariesIn(read).length).toBeGreaterThan(0);
    expect(JSON.stringify(read.entries)).toContain('MARK-1');
    expect(await told(read)).not.toContain('MARK-1');
  });

  it('is told where nothing is private [R3-OBS-PRIVATE]', async () => {
    const read = await reading({ worker: talks(thoughts), summarizer: () => summary, private: { tools: [] } });
    expect(await told(read)).toContain('MARK-1');
  });
});
