import { budget, done, type Run, type StandardSchema } from 'flyball';
import { toolLoop } from 'flyball/loops';
import {
  askTool,
  chooseOneTool,
  chooseSeveralTool,
  confirmTool,
  dateTool,
  displaysOf,
  displayTool,
  editArgumentsTool,
  fileTool,
  formTool,
  kindOfTool,
  numberTool,
  textTool,
} from 'flyball/people';
import { scriptedModel } from 'flyball/testing';
import { tool, toolset } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { jsonSchemaCheck } from '../../packages/flyball/src/adapters/schema-json/json-schema-check.js';
import type { ToolRef, ToolResult } from '../../packages/flyball/src/core/tool.js';
import { call, proposesAll, resultIn } from '../loops/stage-loop.js';
import { answer, eventsOf, moving, RUN } from '../runtime/stage.js';

import '@cfworker/json-schema'; // loaded now: with a clock that moves by itself, loading takes hours

const checkJson = jsonSchemaCheck();

/** Calls the tool and hands its result on. */
const asking = (what: ToolRef, args: unknown) => async (run: Run) => done(await run.call(what, args));

const question = (what: ToolRef, args: unknown) =>
  (what as { asks(args: unknown): { answer: StandardSchema } }).asks(args);

function problem(schema: StandardSchema, value: unknown): string | undefined {
  const result = schema['~standard'].validate(value);
  if (result instanceof Promise) throw new Error('It is not checked at once.');
  return result.issues?.map(({ message, path }) => [...(path ?? []), message].join(': ')).join('; ');
}

const order = tool({
  name: 'order',
  description: 'Orders parts.',
  input: {
    type: 'object',
    properties: { part: { type: 'string' }, count: { type: 'integer', minimum: 1 } },
    required: ['part', 'count'],
    additionalProperties: false,
  },
  effect: 'idempotent',
  execute: async () => 'ordered',
});

const fields = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1 },
    age: { type: 'integer', minimum: 0, maximum: 150 },
    member: { type: 'boolean' },
    since: { type: 'string', format: 'date' },
  },
  required: ['name', 'age'],
};

const prompt = 'Which one?';
const choices = ['red', 'green', 'blue'];

/** Every widget with an answer that fits and some that do not. */
const WIDGETS: readonly (readonly [
  widget: string,
  ask: ToolRef,
  args: object,
  fits: unknown,
  wrong: readonly (readonly [answer: unknown, sentence: string])[],
])[] = [
  ['confirm', confirmTool(), { prompt }, false, [['no', 'must be true or false']]],
  [
    'text',
    textTool({ maxLength: 5 }),
    { prompt },
    'a few',
    [
      ['', 'must not be empty'],
      ['too long', 'at most 5'],
    ],
  ],
  [
    'number',
    numberTool(),
    { prompt, minimum: 1, maximum: 3, integer: true },
    2,
    [
      [0, 'at least 1'],
      [4, 'at most 3'],
      [1.5, 'a whole number'],
      ['2', 'a whole number'],
    ],
  ],
  [
    'date',
    dateTool(),
    { prompt, earliest: '2026-02-01', latest: '2026-02-28' },
    '2026-02-28',
    [
      ['2026-02-29', 'calendar date'],
      ['2026-01-31', '2026-02-01 or later'],
      ['2026-03-01', '2026-02-28 or earlier'],
      ['soon', 'calendar date'],
    ],
  ],
  ['choose-one', chooseOneTool(), { prompt, choices }, 'green', [['yellow', 'must be one of']]],
  [
    'choose-several',
    chooseSeveralTool(),
    { prompt, choices, minimum: 1, maximum: 2 },
    ['red', 'blue'],
    [
      [[], 'at least 1'],
      [choices, 'at most 2'],
      [['red', 'red'], 'duplicates'],
      [['black'], 'must be one of'],
    ],
  ],
  [
    'file',
    fileTool({ maxBytes: 4, endings: ['.csv'] }),
    { prompt },
    { name: 'a.csv', content: 'a,b' },
    [
      [{ name: 'a.csv', content: 'ä,b,c' }, 'at most 4'],
      [{ name: '../a.csv', content: 'a' }, 'must not contain a folder'],
      [{ name: 'a.exe', content: 'a' }, 'must end in .csv'],
      [{ path: 'x.csv', content: 'a' }, 'a file is'],
      [{}, 'a file is'],
    ],
  ],
  [
    'form',
    formTool({ fields }),
    { prompt },
    { name: 'Ada', age: 36, since: '2026-01-31' },
    [
      [{ name: 'Ada' }, 'age: is missing'],
      [{ name: 'Ada', age: 200 }, 'age: must be at most 150'],
      [{ name: 'Ada', age: 36, shoes: 'red' }, 'shoes: is not a known field'],
      [{ name: 'Ada', age: 36, since: '2026-02-30' }, 'since: must be a calendar date'],
    ],
  ],
];

describe('a tool that asks a person', () => {
  it.each(WIDGETS)(
    'takes what a %s asks for and nothing else, at once [R4-PEOPLE-WIDGETS]',
    (widget, ask, args, fits, wrong) => {
      const asked = question(ask, args);
      expect(asked).toMatchObject({ widget, prompt });
      expect(problem(asked.answer, fits)).toBeUndefined();
      for (const [answer, sentence] of wrong)
        expect(problem(asked.answer, answer), JSON.stringify(answer)).toContain(sentence);
    },
  );

  it.each(WIDGETS)(
    'suspends the run for a %s, and the answer is its result [R4-PEOPLE-SUSPENDS] [R4-PEOPLE-ANSWER-IS-RESULT]',
    async (widget, ask, args, fits) => {
      const stage = moving();
      const first = stage.open(asking(ask, args));
      expect(await first.start()).toMatchObject({
        stop: 'suspended',
        waiting: [{ kind: 'question', request: { widget, prompt } }],
      });
      expect(first.runtime.loaded()).toBe(0); // no process holds it
      first.die();
      const second = stage.open(asking(ask, args), { checkJson });
      await answer(second.runtime, RUN, 'answer:#0', fits, { from: 'ada' });
      expect(await second.resume()).toMatchObject({ stop: 'done', value: { ok: true, value: fits } });
      expect(await stage.events('intent')).toEqual([]); // nothing was executed
      expect(await stage.events('complete')).toMatchObject([{ how: 'person' }]);
      expect(await stage.events('wait-end')).toMatchObject([{ from: 'ada' }]);
    },
  );

  // JSON Schema has no words for the form of a file: it is refused where the run takes it
  it.each(WIDGETS.filter(([widget]) => widget !== 'file'))(
    'tells whoever answers a %s at once what does not fit, and the question stays open [F-W7]',
    async (_widget, ask, args, _fits, wrong) => {
      const stage = moving();
      const { runtime, start } = stage.open(asking(ask, args), { checkJson });
      await start();
      for (const [said] of wrong)
        await expect(
          answer(runtime, RUN, 'answer:#0', said, { from: 'ada' }),
          JSON.stringify(said),
        ).rejects.toMatchObject({ code: 'SIGNAL_INVALID' });
      expect(await stage.events('signal-refused')).toEqual([]); // it never got as far as the run
    },
  );

  it('is asked again in a new generation, whose code hands on what it still needs [F-W9]', async () => {
    const stage = moving();
    const agent = async (run: Run, state: unknown) => {
      const { content } = await run.call(textTool({ name: 'which' }), { prompt });
      return state === null ? run.continueWith({ known: content }) : done([state, content]);
    };
    const { runtime, start, resume } = stage.open(agent, { checkJson });
    await start();
    await answer(runtime, RUN, 'answer:#0', 'red', { from: 'ada' });
    expect(await resume()).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'question' }] });
    await answer(runtime, RUN, 'answer:#0', 'green', { from: 'ada' });
    expect(await resume()).toMatchObject({
      stop: 'done',
      value: [{ known: expect.stringContaining('red') as string }, expect.stringContaining('green')],
    });
  });

  it('gives back edited arguments that fit the tool they are for [R4-PEOPLE-WIDGETS]', async () => {
    const edit = editArgumentsTool({ tool: order });
    expect(edit.name).toBe('edit_order');
    const stage = moving();
    const agent = async (run: Run) => {
      const edited = await run.call(edit, { prompt, arguments: { part: 'bolt', count: 0 } });
      return done(edited.ok ? await run.call(order as ToolRef, edited.value) : edited);
    };
    const life = stage.open(agent, { checkJson });
    expect(await life.start()).toMatchObject({
      waiting: [
        { request: { widget: 'edit-arguments', details: { tool: 'order', arguments: { part: 'bolt', count: 0 } } } },
      ],
    });
    const wrong = answer(life.runtime, RUN, 'answer:#0', { part: 'bolt', count: 0 });
    await expect(wrong).rejects.toMatchObject({ code: 'SIGNAL_INVALID' });
    await answer(life.runtime, RUN, 'answer:#0', { part: 'bolt', count: 4 });
    expect(await life.resume()).toMatchObject({ value: { ok: true, value: 'ordered' } });
    expect(await stage.events('intent')).toMatchObject([{ input: { part: 'bolt', count: 4 } }]);
  });

  it('refuses an answer that does not fit, says why, and goes on waiting [R4-PEOPLE-ANSWER-CHECKED]', async () => {
    const stage = moving();
    const agent = asking(dateTool(), { prompt, earliest: '2026-02-01' });
    const life = stage.open(agent, { checkJson });
    await life.start();
    await expect(answer(life.runtime, RUN, 'answer:#0', 7)).rejects.toMatchObject({
      code: 'SIGNAL_INVALID',
      message: expect.stringContaining('correct it and send it again') as string,
    });
    await answer(life.runtime, RUN, 'answer:#0', '2026-02-01');
    expect(await life.resume()).toMatchObject({ stop: 'done', value: { value: '2026-02-01' } });
  });

  it('refuses what only the run can check, and goes on waiting [R4-PEOPLE-ANSWER-CHECKED]', async () => {
    const stage = moving();
    const life = stage.open(asking(fileTool({ endings: ['.csv'] }), { prompt }), { checkJson });
    await life.start();
    await answer(life.runtime, RUN, 'answer:#0', { name: 'a.exe', content: 'a' });
    expect(await life.resume()).toMatchObject({ stop: 'suspended' });
    expect(await stage.events('signal-refused')).toMatchObject([{ why: 'the file must end in .csv' }]);
    await answer(life.runtime, RUN, 'answer:#0', { name: 'a.csv', content: 'a' });
    expect(await life.resume()).toMatchObject({ stop: 'done' });
  });

  it('fails the call with NO_ANSWER when nobody answers in time [R4-PEOPLE-DEADLINE]', async () => {
    const stage = moving();
    const life = stage.open(asking(confirmTool({ timeoutMs: 60_000 }), { prompt }), { options: { worker: true } });
    const outcome = await life.runtime
      .start('agent', null, { id: RUN, budget: budget({}) })
      .then((handle) => handle.finished());
    expect(outcome).toMatchObject({ stop: 'done', value: { ok: false, failure: { code: 'NO_ANSWER' } } });
    expect(await stage.events('wait-end')).toMatchObject([{ timedOut: true }]);
  });

  it('is asked once: the same question again gets the recorded answer, another one is asked [R4-PEOPLE-ASKED-ONCE]', async () => {
    const confirm = confirmTool();
    const agent = async (run: Run) => {
      const answers = [await run.call(confirm, { prompt }), await run.scope('later').call(confirm, { prompt })];
      return done(
        [...answers, await run.call(confirm, { prompt: 'And this?' })].map(
          (answer: ToolResult) => answer.ok && answer.value,
        ),
      );
    };
    const stage = moving();
    const life = stage.open(agent);
    await life.start();
    await answer(life.runtime, RUN, 'answer:#0', true);
    expect(await life.resume()).toMatchObject({ stop: 'suspended', waiting: [{ request: { prompt: 'And this?' } }] });
    await answer(life.runtime, RUN, 'answer:#1', false);
    expect(await life.resume()).toMatchObject({ value: [true, true, false] });
    expect(await stage.events('wait-start')).toHaveLength(2);
  });

  it('hears only who has the scope, and stays open for them [R4-PEOPLE-SCOPES]', async () => {
    const stage = moving();
    const life = stage.open(asking(confirmTool({ scopes: ['finance'] }), { prompt }));
    await life.start();
    await expect(
      answer(life.runtime, RUN, 'answer:#0', true, { from: 'bob', scopes: ['sales'] }),
    ).rejects.toMatchObject({
      code: 'DENIED',
      message: expect.stringContaining('finance') as string,
    });
    expect(await life.resume()).toMatchObject({ stop: 'suspended' });
    await answer(life.runtime, RUN, 'answer:#0', true, { from: 'ada', scopes: ['finance'] });
    expect(await life.resume()).toMatchObject({ stop: 'done' });
  });

  it('refuses arguments that make no sense, before anybody is asked [R4-PEOPLE-WIDGETS]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run) =>
      done([
        await run.call(confirmTool() as ToolRef, {}),
        await run.call(numberTool(), { prompt, minimum: 3, maximum: 1 }),
        await run.call(chooseOneTool(), { prompt, choices: ['only'] }),
        await run.call(chooseSeveralTool(), { prompt, choices, minimum: 4 }),
        await run.call(dateTool(), { prompt, earliest: '2026-03-01', latest: '2026-02-01' }),
        await run.call(textTool(), { prompt: 'x'.repeat(2_001) }),
      ]),
    );
    const outcome = (await life.start()) as { readonly value: readonly ToolResult[] };
    expect(outcome.value.map(({ content }) => content)).toEqual([
      expect.stringContaining('prompt: is missing'),
      expect.stringContaining('minimum 3 is above maximum 1'),
      expect.stringContaining('at least 2'),
      expect.stringContaining('nobody can choose 4'),
      expect.stringContaining('is after latest'),
      expect.stringContaining('at most 2000'),
    ]);
    expect(await stage.events('wait-start')).toEqual([]);
  });

  it('is made of any question: own words, own schema [R4-PEOPLE-WIDGETS]', async () => {
    const rate = askTool<{ readonly film: string }, number>({
      name: 'rate',
      description: 'Asks how good a film was.',
      widget: 'number',
      input: { type: 'object', properties: { film: { type: 'string' } }, required: ['film'] },
      answer: { type: 'integer', minimum: 1, maximum: 5 },
      risk: 'low',
      timeoutMs: 1_000,
      scopes: ['viewer'],
      prompt: ({ film }) => `How was ${film}?`,
    });
    expect(rate.asks({ film: 'Metropolis' })).toMatchObject({
      prompt: 'How was Metropolis?',
      risk: 'low',
      timeoutMs: 1_000,
      scopes: ['viewer'],
    });
    expect(rate.asks({ film: 'x'.repeat(9_000) }).prompt).toHaveLength(2_000);
    await expect(rate.execute({ film: 'x' }, { key: '', signal: AbortSignal.abort() })).rejects.toThrow('run.call');
  });

  it.each([
    ['a bad name', { name: 'two words' }, 'which every provider accepts'],
    ['no description', { description: ' ' }, 'description is empty'],
    ['a time that never comes', { timeoutMs: Infinity }, 'wait without a limit'],
  ])('refuses %s when it is made', (_, wrong, sentence) => {
    expect(() => confirmTool(wrong)).toThrow(sentence);
  });

  it('refuses fields that no form can ask for', () => {
    expect(() => formTool({ fields: { type: 'array' } })).toThrow('of type object');
    expect(() => formTool({ fields: { type: 'object', properties: { a: { type: 'object' } } } })).toThrow('field a');
    const clever = { type: 'object', properties: { a: { type: 'string', contentEncoding: 'base64' } } };
    expect(() => formTool({ fields: clever })).toThrow('contentEncoding');
  });
});

describe('a batch of calls', () => {
  it('keeps the results of the others while one of them waits, in another process too [R4-PEOPLE-BATCH-KEPT]', async () => {
    let looked = 0;
    const look = tool({
      name: 'look',
      description: 'Looks something up.',
      input: { type: 'object', properties: { at: { type: 'string' } } },
      effect: 'pure',
      execute: async () => `seen ${++looked}`,
    });
    const model = scriptedModel({
      worker: [
        proposesAll(
          call('look', { at: 'a' }, 'c1'),
          call('confirm', { prompt }, 'c2'),
          call('look', { at: 'b' }, 'c3'),
        ),
        'All done.',
        'All done, really.',
      ],
    });
    const loop = toolLoop({
      session: { name: 'worker', model, setup: 'You work with tools.' },
      tools: toolset([look, confirmTool()]),
    });
    const agent = (run: Run) => loop(run, 'Look around.');
    const stage = moving();
    const first = stage.open(agent);
    expect(await first.start()).toMatchObject({ stop: 'suspended' });
    const before = looked;
    first.die();
    const second = stage.open(agent);
    const [wait] = await stage.events('wait-start');
    await second.runtime.signal(RUN, wait?.token ?? '', true);
    const outcome = await second.resume();
    expect(resultIn(outcome as never).output).toContain('All done');
    expect(looked).toBe(2); // each once, whichever came first
    expect(before).toBeGreaterThan(0);
    const last = model.requests[1]?.messages.map(({ content }) => content).join('\n') ?? '';
    expect(last).toContain('seen 1');
    expect(last).toContain('seen 2');
    expect(last).toContain('The person says yes.');
  });
});

describe('a display tool', () => {
  it('shows something and does not wait; views read it off the journal [R4-PEOPLE-KINDS]', async () => {
    const show = displayTool();
    const table = { columns: ['part', 'count'], rows: [['bolt', '4']] };
    const stage = moving();
    const life = stage.open(async (run: Run) => {
      const shown = await run.call(show, { title: 'Parts', table });
      await run.call(order, { part: 'bolt', count: 4 });
      return done(shown.content);
    });
    expect(await life.start()).toMatchObject({ stop: 'done', value: 'It is shown.' });
    const entries = await stage.entries();
    expect(displaysOf(entries)).toMatchObject([{ effect: '#0', tool: 'show', shown: { title: 'Parts', table } }]);
    expect(displaysOf(entries, ['other'])).toEqual([]);
    expect(eventsOf(entries, 'wait-start')).toEqual([]);
  });

  it.each([
    ['nothing', {}, 'pass a text, a table or data'],
    ['a crooked table', { table: { columns: ['a'], rows: [['1', '2']] } }, 'row 1'],
    ['too much', { data: { x: 'x'.repeat(60_000) } }, 'at most 50000'],
  ])('refuses to show %s', async (_, args, sentence) => {
    const life = moving().open(asking(displayTool(), args));
    expect(await life.start()).toMatchObject({
      value: { ok: false, content: expect.stringContaining(sentence) as string },
    });
  });

  it('is one of three kinds of tool [R4-PEOPLE-KINDS]', () => {
    expect([order, displayTool(), confirmTool()].map(kindOfTool)).toEqual(['functional', 'display', 'blocking']);
  });
});
