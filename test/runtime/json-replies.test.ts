import { done, type Outcome, type Run, type Session, type StandardSchema } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { planText, runPlan, thinking } from '../plans/stage-plan.js';
import { moving } from './stage.js';

const X: StandardSchema<unknown, { readonly x: number }> = z.object({ x: z.number() });

async function asked(...replies: readonly string[]) {
  const model = scriptedModel({ q: [...replies] });
  const session: Session<{ readonly x: number }> = { name: 'q', model, setup: 's', output: X };
  const agent = async (run: Run): Promise<Outcome<unknown>> => done((await run.ask(session, 'go')).value);
  const stage = moving();
  const outcome = await stage.open(agent).start();
  // what the code got, it gets again from the journal
  const again = await stage.open(agent).runtime.handle('run').outcome();
  expect(again).toEqual(outcome);
  return { outcome, model };
}

describe('a reply that has to be JSON', () => {
  it.each([
    '{"x":1}',
    '```json\n{"x":1}\n```',
    'Sure, here it is:\n```json\n{"x":1}\n```\nAnything else?',
    'The answer is {"x": 1}, I think.',
    '```\n[]\n```\nnot that, but\n```json\n{"x":1}\n```',
  ])('is read with a fence or prose around it, in one call: %j [F-K8]', async (text) => {
    const { outcome, model } = await asked(text);
    expect(outcome).toMatchObject({ stop: 'done', value: { x: 1 } });
    expect(model.requests).toHaveLength(1);
  });

  it.each([
    ['no JSON at all', /It is not JSON/],
    ['{"x": 1', /what begins with \{"x": 1 is never closed/],
    ['{"x":1} or {"x":2}', /It contains 2 values that fit; write one/],
    ['{"y":1}', /x: /],
  ])('is asked for again with a clear reason: %j [F-K8]', async (text, why) => {
    const { outcome, model } = await asked(text, '{"x":3}');
    expect(outcome).toMatchObject({ stop: 'done', value: { x: 3 } });
    expect(model.requests[1]?.messages.at(-1)?.content).toMatch(why);
  });

  it('does not fail a plan when an observer puts it in a fence [F-K8]', async () => {
    const branches = [{ at: 'look', observation: 'It is dry.', ifSo: ['hike'], ifNot: ['museum'] }];
    const { outcome } = await runPlan({
      planner: planText([thinking('look'), thinking('hike'), thinking('museum')], { shape: 'conditional', branches }),
      worker: ['It is dry.', 'Hiked.'],
      'worker-observer': ['```json\n{"because":"it says dry","holds":true}\n```'],
    });
    expect(outcome.stop).toBe('done');
  });
});
