import { type Agent, createRuntime, done, memoryEngine, type Tool } from 'flyball';
import {
  errorDigest,
  needsApproval,
  policyGuard,
  rubricJudge,
  supervised,
  untilApproved,
  validated,
  withBudget,
} from 'flyball/patterns';
import { assertSame, exercise, type Outside, type Scenario, scriptedModel } from 'flyball/testing';
import { parsePolicy } from 'flyball/tools';
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

describe('ends the same after a crash at every write, with parts that act:', () => {
  it.each(AGENTS)('%s', async (name, make, more) => {
    const scenario: Scenario = {
      name: name.split(' ')[0] ?? name,
      open: (life, outside) => createRuntime({ ...life, agents: { agent: make(outside) as Agent<unknown, unknown> } }),
      input: 'Go.',
      ...more,
    };
    assertSame(await exercise(scenario, { engine: memoryEngine, most: 12 }));
  });
});
