import { type Clock, type Outcome, type Run, systemClock } from 'flyball';
import { type ToolLoopOptions, type ToolLoopResult, toolLoop } from 'flyball/loops';
import { type Script, scriptedModel } from 'flyball/testing';
import { type DefinedTool, tool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { RUN, Stage } from '../runtime/stage.js';
import { proposes, resultIn } from './stage-loop.js';

interface Scene extends Partial<Omit<ToolLoopOptions, 'session' | 'window'>> {
  /** What the model says; `tell` redirects the run while it still speaks. */
  script(tell: (text: string) => Promise<void>): Script;
  readonly window?: number;
}

async function play({ script, window = 100_000, ...options }: Scene) {
  const stage = new Stage<Clock>(systemClock());
  let tell: (text: string) => Promise<void> = () => Promise.reject(new Error('not yet'));
  const capabilities = { window, maxOutputTokens: 500 };
  const model = scriptedModel(
    script((text) => tell(text)),
    { capabilities },
  );
  const agent = toolLoop({ session: { name: 'worker', model, setup: 'You work.' }, ...options });
  const { runtime, start } = stage.open((run: Run) => agent(run, 'Do the task.'));
  tell = (text) => runtime.redirect(RUN, text, { by: 'ann' });
  const outcome = (await start(null, { iterations: 100, modelCalls: 200, toolCalls: 200 })) as Outcome<ToolLoopResult>;
  return { outcome, result: resultIn(outcome), model, stage };
}

const IN_FRENCH = 'ann follows this work and says: In French.\nHold to it from now on.';

describe('a redirection while the model answers', () => {
  it.each([{}, { safePoints: true }, { doubleConfirmation: false }])(
    'is heard before the answer is accepted, with %j [R4-PEOPLE-REDIRECT]',
    async (config) => {
      const script = (tell: (text: string) => Promise<void>): Script => ({
        worker: [
          async () => {
            await tell('In French.');
            return 'The answer.';
          },
          'La réponse.',
        ],
      });
      const { result, model } = await play({ script, config });
      expect(result).toMatchObject({ output: 'La réponse.', termination: 'completed', iterations: 2 });
      const [, second] = model.requestsOf('worker');
      expect(second?.messages.slice(-2).map(({ content }) => content)).toEqual(['The answer.', IN_FRENCH]);
    },
  );

  it('is heard in place of the question for confirmation, which is asked about the new answer', async () => {
    const look = tool({ name: 'look', description: 'Looks.', effect: 'pure', execute: async () => 'seen' });
    const script = (tell: (text: string) => Promise<void>): Script => ({
      worker: [
        async () => {
          await tell('In French.');
          return 'The answer.';
        },
        'La réponse.',
        'La réponse.',
      ],
    });
    const { result, model } = await play({ script, tools: [look as unknown as DefinedTool] });
    expect(result).toMatchObject({ output: 'La réponse.', iterations: 3 });
    const last =
      model
        .requestsOf('worker')
        .at(-1)
        ?.messages.map(({ content }) => content) ?? [];
    expect(last.filter((content) => content.startsWith('Before this answer is accepted'))).toHaveLength(1);
    expect(last.at(-1)).toContain('Before this answer is accepted');
  });

  it('is heard also when it comes while the answer is read', async () => {
    let tellNow: (text: string) => Promise<void> = async () => undefined;
    const script = (tell: (text: string) => Promise<void>): Script => {
      tellNow = tell;
      return { worker: ['The answer.', 'La réponse.'] };
    };
    let reads = 0;
    const { result } = await play({
      script,
      read: async (run, text) => {
        await run.step('read', text, () => (++reads === 1 ? tellNow('In French.') : undefined), 'idempotent');
        return { ok: true, value: text };
      },
    });
    expect(result).toMatchObject({ output: 'La réponse.', iterations: 2 });
  });

  it('takes a round of the loop: where none is left, an answer that was not told of it does not count', async () => {
    const script = (tell: (text: string) => Promise<void>): Script => ({
      worker: async () => {
        await tell('Once more.');
        return 'The answer.';
      },
    });
    const { outcome, result, model } = await play({ script, config: { maxIterations: 3 } });
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'iterations', limit: 3 });
    expect(result).toMatchObject({ termination: 'max_iterations', rawText: 'The answer.' });
    expect(result).not.toHaveProperty('output');
    expect(model.requests).toHaveLength(3);
  });
});

describe('an earlier redirection', () => {
  it('stays in the prompt word for word when old turns are summarised [R4-PEOPLE-REDIRECT] [R3-LOOP-COMPACT]', async () => {
    const page = tool({
      name: 'page',
      description: 'Reads a page. Not for anything else.',
      effect: 'pure',
      input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      execute: async ({ n }) => `Page ${String(n)} of ledger_2041.`,
    });
    const PAGES = 40;
    const told = new Map([
      [2, 'Write dates as ISO.'],
      [9, 'In French.'],
    ]);
    const script = (tell: (text: string) => Promise<void>): Script => ({
      worker: async (_request, n) => {
        const text = told.get(n);
        if (text !== undefined) await tell(text);
        if (n > PAGES) return 'Read.';
        return { text: 'I go on with ledger_2041. '.repeat(30), ...proposes('page', { n }, `p${n}`) };
      },
      'worker-summarizer': () => 'Read many pages of ledger_2041.',
    });
    const { result, model, stage } = await play({
      script,
      window: 8000,
      tools: [page as unknown as DefinedTool],
      config: { maxIterations: 100, doubleConfirmation: false },
    });
    expect(result.termination).toBe('completed');
    const notes = (await stage.events('note')).filter(({ event }) => event.kind === 'context-compacted');
    expect(notes.length).toBeGreaterThan(0);
    const last =
      model
        .requestsOf('worker')
        .at(-1)
        ?.messages.map(({ content }) => content) ?? [];
    expect(last).toContain('ann follows this work and says: Write dates as ISO.\nHold to it from now on.');
    expect(last).toContain(IN_FRENCH);
    expect(last).toContain('Do the task.');
  });
});
