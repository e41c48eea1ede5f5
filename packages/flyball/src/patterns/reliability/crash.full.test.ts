import { type Agent, createRuntime, done, memoryEngine, type Seams, type Tool, type ToolRef } from 'flyball';
import {
  errorDigest,
  guardrails,
  injectionShield,
  needsApproval,
  policyGuard,
  reAct,
  rubricJudge,
  supervised,
  tool,
  toolBudgetSeam,
  untilApproved,
  validated,
  withBudget,
} from 'flyball/patterns';
import { assertSame, exercise, type Outside, type Scenario, scriptedModel } from 'flyball/testing';
import { cardNumbersGuard, parsePolicy, secretsGuard } from 'flyball/tools';
import { describe, it } from 'vitest';
import { z } from 'zod';
import { scores } from '../../../../../test/checks/stage-checks.js';
import { session } from '../../../../../test/patterns/bed.js';
import { DEFAULT_RUBRIC } from '../../checks/rubric.js';

/** A tool whose acts are seen outside. */
const saves = (outside: Outside): Tool<{ text: string }, string> => ({
  name: 'save',
  description: 'Saves a text. Not for files.',
  effect: 'idempotent',
  retry: { retries: 0 },
  execute: async ({ text }, how) => {
    await outside.act(`save ${text}`, how);
    return `saved ${text}`;
  },
});

const saving =
  (outside: Outside, ...texts: readonly string[]): Agent<string, string> =>
  async (run) => {
    for (const text of texts) await run.call(saves(outside), { text });
    return done(texts.join(' '));
  };

/** Looks, and finds nothing. */
const look: Tool<{ port: number }, string> = {
  name: 'look',
  description: 'Looks at a port. Not for files.',
  effect: 'pure',
  retry: { retries: 0, breaker: { failures: 1_000, openMs: 1 } },
  execute: async ({ port }) => {
    throw Object.assign(new Error(`nobody at ${port}`), { retryable: false });
  },
};

const modelOf = (outside: Outside) =>
  outside.keep('model', () =>
    scriptedModel({
      writer: (request) => (JSON.stringify(request).includes('Looked at coherence') ? 'a longer draft' : 'short'),
      judge: (request) => (JSON.stringify(request).includes('longer') ? scores() : scores({ coherence: 0.1 })),
      repair: (request) => (JSON.stringify(request).includes('<answer>\\n{}') ? '{"n":1}' : '{}'),
    }),
  );

const writes =
  (outside: Outside): Agent<string, string> =>
  async (run, task) => {
    const { text } = await run.ask(session(modelOf(outside), 'writer'), task);
    await run.step('keep', text, (_, how) => outside.act(`keep ${text}`, how), 'idempotent');
    return done(text);
  };

const clock = { now: () => 0 };
const policy = parsePolicy(
  {
    version: '1',
    reviewedBy: 'ada',
    rules: [{ id: 'save', effect: 'allow', tools: 'save', because: 'it is our work' }],
  },
  { now: 0 },
);
const baseline = { suite: 's@1', score: 1, minimum: 1, classes: ['idempotent'] };

const AGENTS: readonly (readonly [string, (outside: Outside) => Agent<string, unknown>, Partial<Scenario>])[] = [
  [
    'supervised [V2.crash]',
    (outside) => supervised(saving(outside, 'a', 'b'), { allow: ['idempotent'], baseline }),
    { ends: { stop: 'done' } },
  ],
  [
    'withBudget [V9.crash]',
    (outside) => withBudget(saving(outside, 'a', 'b', 'c'), { toolCalls: 2 }),
    { ends: { stop: 'bounded' }, changesInForks: true },
  ],
  [
    'policyGuard [V7.crash]',
    (outside) => (run, input) => saving(outside, 'a', 'b')(run.guarded(policyGuard(policy, { clock })), input),
    { ends: { stop: 'done' } },
  ],
  [
    'needsApproval [V1.crash] [V1.7]',
    (outside) => (run, input) =>
      saving(
        outside,
        'a',
        'b',
      )(
        run.guarded(needsApproval({ tool: saves(outside), when: ({ text }) => text === 'b' }, { timeoutMs: 1e9 })),
        input,
      ),
    { ends: { stop: 'done' }, people: () => ({ payload: { verdict: 'approve' }, from: 'rita' }) },
  ],
  [
    'errorDigest [V11.crash]',
    (outside) => async (run, input) => {
      const digest = errorDigest({ maxConsecutive: 9, maxTotal: 3 });
      const guarded = run.guarded(digest.guard(run));
      for (const port of [1, 2]) await guarded.call(look, { port });
      await saving(outside, 'a')(guarded, input);
      await guarded.call(look, { port: 3 });
      await saving(outside, 'refused')(guarded, input);
      return done(digest.text(run));
    },
    { ends: { stop: 'done', says: ['(×3)'] } },
  ],
  [
    'rubricJudge [V15.crash]',
    (outside) =>
      untilApproved(writes(outside), {
        test: rubricJudge({ judge: session(modelOf(outside), 'judge'), rubric: DEFAULT_RUBRIC }),
      }),
    { ends: { stop: 'done', says: ['a longer draft'] } },
  ],
  [
    'validated [V20.crash]',
    (outside) =>
      validated(writes(outside), {
        schema: z.object({ n: z.number() }),
        reviser: session(modelOf(outside), 'repair'),
        otherwise: async () => done({ n: 0 }),
      }),
    { ends: { stop: 'done', says: ['1'] } },
  ],
];

/** Calls a tool that acts, twice, and answers: what it does next depends on the results it has read. */
const worker = (outside: Outside, save: ToolRef) =>
  reAct({
    worker: session(
      outside.keep('worker', () =>
        scriptedModel({
          worker: ({ messages }) => {
            const results = messages.filter(({ role }) => role === 'tool').length;
            if (results === 2) return 'saved both';
            const text = results === 0 ? 'a' : 'b';
            return { toolCalls: [{ id: text, name: 'save', arguments: JSON.stringify({ text }) }] };
          },
        }),
      ),
      'worker',
    ),
    tools: [save],
  }) as Agent<string, unknown>;
const defined = (outside: Outside) => tool({ ...saves(outside), input: z.object({ text: z.string() }) });
const secret = 'a secret of this deployment';

const UNDER_SEAMS: readonly (readonly [string, (outside: Outside) => Agent<string, unknown>, Seams])[] = [
  [
    'guardrails [V5.crash]',
    (outside) => saving(outside, 'a', 'b'),
    guardrails(
      {
        input: [cardNumbersGuard('input')],
        response: [secretsGuard('response')],
        output: [cardNumbersGuard('output')],
      },
      { policy: 'house-guards@7', record: 'all' },
    ),
  ],
  [
    'injectionShield [V6.crash]',
    (outside) => saving(outside, 'a', 'b'),
    injectionShield({ secret, canaries: ['canary-51f0c2-heron'], record: 'all' }),
  ],
  [
    'toolBudgetSeam [V13.crash]',
    (outside) => worker(outside, defined(outside)),
    { 'tools.load': [toolBudgetSeam({ window: 128_000 })] },
  ],
  ['tool [I2.crash]', (outside) => worker(outside, defined(outside)), {}],
];

describe('ends the same after a crash at every write, under guards of the host:', () => {
  it.each(UNDER_SEAMS)('%s', async (name, make, seams) => {
    const scenario: Scenario = {
      name: name.split(' ')[0] ?? name,
      open: (life, outside) =>
        createRuntime({ ...life, seams, agents: { agent: make(outside) as Agent<unknown, unknown> } }),
      input: 'Go.',
      ends: { stop: 'done' },
    };
    assertSame(await exercise(scenario, { engine: memoryEngine }));
  });
});

describe('ends the same after a crash at every write, with parts that act:', () => {
  it.each(AGENTS)('%s', async (name, make, more) => {
    const scenario: Scenario = {
      name: name.split(' ')[0] ?? name,
      open: (life, outside) => createRuntime({ ...life, agents: { agent: make(outside) as Agent<unknown, unknown> } }),
      input: 'Go.',
      ...more,
    };
    assertSame(await exercise(scenario, { engine: memoryEngine }));
  });
});
