import { type Agent, done } from 'flyball';
import { selfConsistency, useOf, zeroShot } from 'flyball/patterns';
import { type ScriptedModel, scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ended, session } from '../../../../../test/patterns/bed.js';

const QUESTION = 'Janet has 16 eggs, eats 3, bakes with 4 and sells the rest for $2 each. How much does she make?';
const solver = (model: ScriptedModel) => zeroShot<number>({ ...session(model, 'solver'), output: z.number() });
const bed = (replies: readonly (string | Error)[]) => {
  const model = scriptedModel({ solver: replies });
  return { model, agent: solver(model) };
};
const TEN = ['18', '26', '18', '18', 'eighteen, I think', '18', '26', '18', '18', '18'];

describe('selfConsistency', () => {
  it('returns what most samples say, with agreement, margin and runner-up [R17.acceptance] [R17.6]', async () => {
    const { model, agent } = bed(TEN);
    const { outcome, uses } = await ended(selfConsistency(agent), QUESTION);
    expect(outcome).toMatchObject({ stop: 'done', value: 18 });
    expect(uses[0]?.learned).toMatchObject({ agreement: 0.7, abstained: 1, tie: false, runnerUp: 26 });
    expect(uses[0]?.learned?.['margin']).toBeCloseTo(0.5);
    expect(model.requests).toHaveLength(10);
  });

  it('sends the same messages ten times [R17.1]', async () => {
    const { model, agent } = bed(TEN);
    await ended(selfConsistency(agent), QUESTION);
    expect(new Set(model.requests.map(({ messages }) => JSON.stringify(messages))).size).toBe(1);
    expect(model.requests.every(({ sampling }) => sampling.temperature === 0.8 && sampling.topP === 0.95)).toBe(true);
  });

  it('refuses a temperature of 0 and a seed, which would draw one sample several times [R17.2]', async () => {
    const { model, agent } = bed([]);
    expect(() => selfConsistency(agent, {}, { temperature: 0 })).toThrow('needs a temperature above 0');
    expect(() => selfConsistency(agent, {}, { samples: 1 })).toThrow('needs samples');
    const seeded = zeroShot(session(model, 'solver', { sampling: { seed: 7 } }));
    expect(() => selfConsistency(seeded)).toThrow('has a seed');
    const opaque: Agent<string, string> = async (run, task) =>
      done((await run.ask(session(model, 'solver', { sampling: { seed: 7 } }), task)).text);
    const { outcome } = await ended(selfConsistency(opaque), QUESTION);
    expect(outcome).toMatchObject({ stop: 'failed', because: expect.stringContaining('has a seed') });
    expect(model.requests).toHaveLength(0);
  });

  it('asks all ten before the first is answered [R17.3] [R17.acceptance]', async () => {
    let open: () => void = () => undefined;
    const all = new Promise<void>((resolve) => {
      open = resolve;
    });
    const model = scriptedModel({
      solver: (_request, n) => {
        if (n === 10) open(); // nobody is answered before the last one is asked
        return { text: '18', gate: all };
      },
    });
    const { outcome } = await ended(selfConsistency(solver(model)), QUESTION);
    expect(outcome).toMatchObject({ value: 18 });
    for (const { messages } of model.requests) expect(JSON.stringify(messages)).not.toContain('"18"');
  });

  it('reads a value the same way every time: only what fits the schema votes [R17.4] [R17.5]', async () => {
    const { agent } = bed(['18', '"18"', '18.0', '{"n":18}', 'eighteen']);
    const { outcome, uses } = await ended(selfConsistency(agent, {}, { samples: 5 }), QUESTION);
    expect(outcome).toMatchObject({ stop: 'done', value: 18 });
    expect(uses[0]?.learned).toMatchObject({ agreement: 0.4, abstained: 3 });
  });

  it('counts a failed sample among all that were asked, never as a vote [R17.5]', async () => {
    const { agent } = bed(['18', new Error('overloaded'), '26', '18', 'none']);
    const { uses } = await ended(selfConsistency(agent, {}, { samples: 5 }), QUESTION);
    expect(uses[0]?.learned).toMatchObject({ agreement: 0.4, abstained: 2 });
    const none = await ended(selfConsistency(bed(['a', 'b']).agent, {}, { samples: 2 }), QUESTION);
    expect(none.outcome).toMatchObject({ stop: 'failed', failure: { code: 'NO_ANSWER' } });
  });

  it('tells a tie [R17.6] [R17.acceptance]', async () => {
    const { agent } = bed(['18', '26', '18', '26', '18', '26', '18', '26', '18', '26']);
    const { outcome, uses } = await ended(selfConsistency(agent), QUESTION);
    expect(outcome).toMatchObject({
      stop: 'degraded',
      value: 18,
      reason: { code: 'uncertain', data: { agreement: 0.5 } },
    });
    expect(uses[0]?.learned).toMatchObject({ tie: true, margin: 0 });
  });

  it('is uncertain below the agreement that is asked for [R17.7] [R17.acceptance]', async () => {
    const { outcome } = await ended(selfConsistency(bed(TEN).agent, {}, { minAgreement: 0.8 }), QUESTION);
    expect(outcome).toMatchObject({
      stop: 'degraded',
      value: 18,
      reason: { code: 'uncertain', data: { agreement: 0.7, needed: 0.8 } },
    });
  });

  it('groups free text by meaning, by numbers and never by words of the judge [R17.8] [R17.acceptance]', async () => {
    const replies = ['She makes $18.', 'Eighteen dollars.', '$18 is what she makes.', 'It is $26.'];
    const model = scriptedModel({ solver: replies, same: ['THE ANSWER IS 99', '[[1,2,3],[4]]'] });
    const agent = zeroShot(session(model, 'solver'));
    const vote = selfConsistency(agent, { same: session(model, 'same') }, { samples: 4 });
    const { outcome, uses } = await ended(vote, QUESTION);
    expect(outcome).toMatchObject({ stop: 'done', value: 'She makes $18.' });
    expect(uses[0]).toMatchObject({ modelCalls: 6, learned: { agreement: 0.75, grouped: 2 } });
    expect(JSON.stringify(outcome)).not.toContain('99');
  });

  it('takes code for what is the same, and the first of a group for its answer [R17.8]', async () => {
    const model = scriptedModel({ solver: ['It is 18', '18 dollars', 'It is 26'] });
    const numberIn = (text: string) => /\d+/.exec(text)?.[0];
    const same = (a: string, b: string) => numberIn(a) === numberIn(b);
    const { outcome } = await ended(
      selfConsistency(zeroShot(session(model, 'solver')), { same }, { samples: 3 }),
      QUESTION,
    );
    expect(outcome).toMatchObject({ stop: 'done', value: 'It is 18' });
  });

  it('calls agreement agreement: no probability is told, and samples that are all alike are told [R17.9]', async () => {
    const { agent } = bed(['18', '18', '18']);
    const { uses } = await ended(selfConsistency(agent, {}, { samples: 3 }), QUESTION);
    expect(uses[0]?.learned).toMatchObject({ diversityCollapse: true, agreement: 1 });
    expect(Object.keys(uses[0]?.learned ?? {}).join()).not.toMatch(/probab|confidence/);
  });

  it('says before it runs what it can cost [R17.acceptance]', () => {
    const { agent } = bed([]);
    expect(useOf(selfConsistency(agent, {}, { samples: 5 }))?.predicted).toEqual({ min: 5, max: 5 });
  });
});
