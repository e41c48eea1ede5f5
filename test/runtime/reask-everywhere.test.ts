import { type Clock, done, type Outcome, type Run, type Session, systemClock } from 'flyball';
import { searchTools } from 'flyball/adapters/mcp-client';
import { defineAgent } from 'flyball/agents';
import { makePlan } from 'flyball/loops';
import { rubricJudge, shaped } from 'flyball/patterns';
import { type ScriptedModel, scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { modelJudge } from '../../packages/evals/src/grading/model-judge.js';
import { DEFAULT_RUBRIC } from '../../packages/flyball/src/checks/rubric.js';
import { observe, observerFor } from '../../packages/flyball/src/loops/plan/observe-branch.js';
import { bridge, scores } from '../checks/stage-checks.js';
import { planText, thinking } from '../plans/stage-plan.js';
import { Stage } from './stage.js';

/** Everything that asks a model for a value and can be given one that it cannot use. */
interface Place {
  readonly good: string;
  /** JSON, and not what is asked for. */
  readonly wrong: string;
  ask(run: Run, model: ScriptedModel): Promise<Outcome<unknown>>;
}

/** In real time: a validator is loaded with its first check. */
const opened = () => new Stage<Clock>(systemClock());
const SUM = z.object({ sum: z.number() });
const sum = { good: '{"sum": 3}', wrong: '{"sum": "three"}' };
const sessionOf = (model: ScriptedModel): Session => ({ name: 'asked', model, setup: 'Answer.' });
const agentOf = (model: ScriptedModel) =>
  defineAgent({ name: 'asked', description: 'You add.', model, output: SUM, loop: { doubleConfirmation: false } });
const look = tool({
  name: 'look',
  description: 'Looks.',
  input: z.object({}),
  effect: 'pure',
  execute: async () => 'x',
});
const FORM = {
  type: 'object',
  properties: { sum: { type: 'number' } },
  required: ['sum'],
  additionalProperties: false,
} as const;
const filled = (mode: 'native' | 'json'): Place => ({
  ...sum,
  // the provider holds the model to the schema in native mode, so nobody is asked again there unless it is asked for
  ask: async (run, model) =>
    done((await run.ask({ ...shaped(sessionOf(model), FORM, { mode }), maxReasks: 2 }, '1 + 2?')).value),
});

const PLACES: Readonly<Record<string, Place>> = {
  'run.ask with a schema': {
    ...sum,
    ask: async (run, model) => done((await run.ask({ ...sessionOf(model), output: SUM }, '1 + 2?')).value),
  },
  'a single shot': { ...sum, ask: (run, model) => agentOf(model).invoke(run, '1 + 2?') },
  'a tool loop': { ...sum, ask: (run, model) => agentOf(model).invokeIterative(run, '1 + 2?') },
  'a template held by the provider': filled('native'),
  'a template in JSON': filled('json'),
  'a planner': {
    good: planText([thinking('think')]),
    wrong: '{"goal": "g", "shape": "sequence"}',
    ask: async (run, model) =>
      done(await makePlan(run, { session: { name: 'asked', model }, tools: [] }, { goal: 'Think.' })),
  },
  'an observer of a branch': {
    good: '{"holds": true, "because": "it says so"}',
    wrong: '{"holds": "yes"}',
    ask: async (run, model) => {
      const observer = { ...observerFor({ session: sessionOf(model) } as never), name: 'asked' };
      return done(await observe(run, observer, { observation: 'It is dry.' } as never, 'Dry.'));
    },
  },
  'a judge': {
    good: scores(),
    wrong: '{"dimensions": {}}',
    ask: async (run, model) =>
      done(await rubricJudge({ judge: sessionOf(model), rubric: DEFAULT_RUBRIC }).verdict(run, bridge())),
  },
  'a judge of outcomes': {
    good: '{"results": [{"expectedOutcome": "paid", "reasoning": "r", "metExpectation": true}]}',
    wrong: '{"results": []}',
    ask: async (run, model) => done(await modelJudge(run, { model })(['paid'], [])),
  },
  'a search for tools': {
    good: '{"tools": ["look"]}',
    wrong: '{"tools": "look"}',
    ask: async (run, model) => done((await searchTools(run, 'look', { model, tools: [look] })).names),
  },
};

/** Where a session has a name of its own. */
const SESSIONS: Readonly<Record<string, string>> = {
  'a judge of outcomes': 'nl-judge',
  'a search for tools': 'tool-search',
};

async function asked(name: string, replies: readonly string[]) {
  const place = PLACES[name] as Place;
  const model = scriptedModel({ [SESSIONS[name] ?? 'asked']: [...replies] });
  const stage = opened();
  const outcome = await stage.open((run: Run) => place.ask(run, model)).start();
  const refused = (await stage.events('note')).map(({ event }) => event).filter(({ kind }) => kind === 'reply-refused');
  return { outcome, model, refused, last: model.requests.at(-1)?.messages.at(-1)?.content ?? '' };
}

const NOT_ACCEPTED =
  /^Your last reply was not accepted\. Reply again with the complete, corrected answer\.\n(.*\n)*The problem: .+/;

describe.each(Object.keys(PLACES))('%s', (name) => {
  const { good, wrong } = PLACES[name] as Place;

  it.each([
    ['in a fence', `\`\`\`json\n${good}\n\`\`\``],
    ['with prose around it', `Here it is: ${good} Is that all?`],
  ])('reads JSON %s in one call [F-K8]', async (_how, reply) => {
    const { outcome, model } = await asked(name, [reply]);
    expect(outcome.stop).toBe('done');
    expect(model.requests).toHaveLength(1);
  });

  it.each([
    ['broken JSON', good.slice(0, -1)],
    ['another shape', wrong],
    ['no JSON', 'I would say three.'],
  ])('asks again in the same words for %s [F-K8]', async (_how, reply) => {
    const { outcome, model, last, refused } = await asked(name, [reply, good]);
    expect(outcome.stop).toBe('done');
    expect(last).toMatch(NOT_ACCEPTED);
    expect(model.requests[1]?.messages.at(-2)).toMatchObject({ role: 'assistant', content: reply });
    expect(refused).toMatchObject([{ code: 'REPLY_INVALID', tries: 1 }]);
  });

  it('gives up after three replies, with the same sentence [F-K8]', async () => {
    const { outcome, model, refused } = await asked(name, ['a', 'b', 'c']);
    expect(model.requests).toHaveLength(3);
    expect(refused).toHaveLength(3);
    expect(JSON.stringify(outcome)).toMatch(/gave no usable reply after 3 replies\. The last problem: /);
    expect(JSON.stringify(outcome)).toContain('REPLY_INVALID');
  });

  it('is not asked a third time when it says the same again [F-K8]', async () => {
    const { outcome, model } = await asked(name, ['a', 'a']);
    expect(model.requests).toHaveLength(2);
    expect(JSON.stringify(outcome)).toContain('the model repeated the same reply');
  });
});

describe('a reply that was broken off', () => {
  it.each(['length', 'content_filter', 'error'] as const)('by %s is not asked for again [F-K8]', async (finish) => {
    const model = scriptedModel({ asked: { text: '{"sum": ', finish } });
    const agent = async (run: Run) => done((await run.ask({ ...sessionOf(model), output: SUM }, '1 + 2?')).value);
    const outcome = await opened().open(agent).start();
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'REPLY_INVALID' } });
    expect(model.requests).toHaveLength(1);
  });
});
