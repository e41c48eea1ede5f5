import { type Agent, degraded, done, type Outcome } from 'flyball';
import {
  adaptiveRag,
  codeTest,
  constraints,
  isolated,
  planAndSolve,
  reflexion,
  validated,
  withConstraints,
  withQueryRewriting,
} from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ended, session } from './bed.js';

/** Tells a best value on its way and comes to nothing. */
const stuck: Agent<unknown, never> = async (run) => {
  run.best('not yet');
  return { stop: 'blocked', because: 'it goes no further' };
};
const limits = constraints(
  {
    items: [
      {
        id: 'price',
        forbid: 'Never name a price.',
        instead: null,
        reason: 'Prices change.',
        check: { kind: 'pattern', pattern: /\$\d+/ },
      },
    ],
  },
  { version: '1' },
);
const endOf = async <I>(agent: Agent<I, unknown>, input: I): Promise<Outcome<unknown>> =>
  (await ended(agent, input)).outcome;

describe('what a part tells as its best', () => {
  it('is no partial value of a pattern that answers something else [R11-N7-OTHER]', async () => {
    const plan = { goal: 'g', shape: 'ordered', steps: [{ id: 'one', description: 'Do it.', expectedOutcome: '' }] };
    const model = scriptedModel({ planner: JSON.stringify(plan), classifier: 'RETRIEVE', rewriter: 'a key' });
    const seat = (name: string) => session(model, name);
    const planned = planAndSolve(
      { planner: seat('planner'), worker: stuck, answerer: seat('answerer') },
      { maxReplans: 0 },
    );
    expect(await endOf(planned, 'the goal')).toMatchObject({ stop: 'bounded', bound: 'maxReplans' });
    expect(await endOf(planned, 'the goal')).not.toHaveProperty('partial');
    const careful = adaptiveRag({
      lookup: stuck,
      classifier: seat('classifier'),
      scorer: seat('scorer'),
      checker: seat('checker'),
      rewriter: seat('rewriter'),
      answerer: seat('answerer'),
    });
    expect(await endOf(careful, 'why?')).not.toHaveProperty('partial');
    const rewriting = withQueryRewriting(stuck, { rewriter: seat('rewriter') }, { how: 'hyde' });
    expect(await endOf(rewriting, 'why?')).not.toHaveProperty('partial');
  });

  it('is nothing that a pattern would not let out as a value [R11-N7-OTHER] [S5.6] [V20.10]', async () => {
    const telling: Agent<string, unknown> = async (run) => {
      run.best('a draft for $49');
      return done('It costs $49.');
    };
    const limited = withConstraints(telling, { constraints: limits }, { maxRetries: 1 });
    expect(await endOf(limited, 'go')).toMatchObject({ stop: 'blocked', because: 'the answer breaches price' });
    expect(await endOf(limited, 'go')).not.toHaveProperty('partial');
    const shape = z.object({ cents: z.number() });
    const fitting = validated(telling, { schema: shape, otherwise: async () => ({ stop: 'blocked', because: 'no' }) });
    expect(await endOf(fitting, 'go')).not.toHaveProperty('partial');
  });
});

describe('withConstraints', () => {
  const never = codeTest<string, string>(() => ({ ok: false, because: 'no' }));
  const bounded = (text: string) =>
    reflexion<string, string>(async () => done(text), { test: never, critic: () => 'again' }, { maxAttempts: 2 });

  it('reads partial values as well, and shows none that only a judge could read [S5.6]', async () => {
    const breaching = withConstraints(bounded('It costs $49.'), { constraints: limits });
    expect(await endOf(breaching, 'go')).toMatchObject({ stop: 'bounded', bound: 'maxAttempts' });
    expect(await endOf(breaching, 'go')).not.toHaveProperty('partial');
    const clean = withConstraints(bounded('Ask the desk.'), { constraints: limits });
    expect(await endOf(clean, 'go')).toMatchObject({ stop: 'bounded', partial: 'Ask the desk.' });
    const judged = constraints(
      { items: [{ id: 'tone', forbid: 'Never mock.', instead: null, reason: 'It hurts.' }] },
      { version: '2' },
    );
    const judge = session(scriptedModel({}), 'judge');
    const unread = withConstraints(bounded('Ask the desk.'), { constraints: judged, judge });
    expect(await endOf(unread, 'go')).not.toHaveProperty('partial');
  });

  it('counts no reading where patterns find every item, even with a judge [S5.6] [R11-FORMULA-JOURNALS]', async () => {
    const model = scriptedModel({});
    const answer: Agent<string, string> = async () => done('Ask the desk.');
    const agent = withConstraints(answer, { constraints: limits, judge: session(model, 'judge') });
    const { outcome, uses } = await ended(agent, 'go');
    expect(outcome).toMatchObject({ stop: 'done', value: 'Ask the desk.' });
    expect(uses[0]?.learned).toEqual({ tries: 1, reviews: 0 });
    expect(model.requests).toEqual([]);
  });
});

describe('isolated', () => {
  it('holds a result that is degraded to its contract too [O17.6]', async () => {
    const result = z.object({ exports: z.number() });
    const counting = (value: unknown) =>
      isolated(
        (async () => degraded(value, 'the answer is cut')) as Agent<string, { exports: number }>,
        { brief: (file: string) => file, result },
        { slice: { share: 0.5 } },
      );
    expect(await endOf(counting('seven'), 'a.ts')).toMatchObject({
      stop: 'failed',
      failure: { code: 'REPLY_INVALID' },
    });
    const fits = await endOf(counting({ exports: 7 }), 'a.ts');
    expect(fits).toMatchObject({ stop: 'degraded', value: { exports: 7 }, because: 'the answer is cut' });
  });
});
