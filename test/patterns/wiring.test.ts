import { type Agent, ConfigError, done, type Sandbox, type Session, systemClock } from 'flyball';
import * as exported from 'flyball/patterns';
import { accumulateSkills, codeTest, constraints, needsApproval, tool } from 'flyball/patterns';
import { hashEmbedder } from 'flyball/retrieval';
import { scriptedModel } from 'flyball/testing';
import { parsePolicy } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const model = scriptedModel({});
const seat = (name: string): Session => ({ name, model, setup: `You are the ${name}.` });
const agent: Agent<never, never> = async (_run, value) => done(value);
const test = codeTest(() => ({ ok: true }));
const look = tool({
  name: 'look',
  description: 'Looks. Not for anything else.',
  input: z.object({}),
  effect: 'pure',
  execute: async () => 'x',
});
const limits = constraints(
  {
    items: [
      {
        id: 'price',
        forbid: 'Never name a price.',
        instead: null,
        reason: 'x',
        check: { kind: 'pattern', pattern: /x/ },
      },
    ],
  },
  { version: '1' },
);
const about = 'Reads well.';
const rubric = {
  version: '1',
  threshold: 0.5,
  dimensions: [
    { name: 'correctness', weight: 0.5, minimum: 0.5, description: about },
    { name: 'coherence', weight: 0.5, minimum: 0.5, description: about },
  ],
};
const confined = { confined: true, by: 'a wall' };
const sandbox = {
  name: 'walls',
  describe: () => ({ files: confined, network: confined, memory: confined, processes: confined, cpu: confined }),
} as unknown as Sandbox;
const policy = parsePolicy(
  { version: '1', reviewedBy: 'ada', rules: [{ id: 'a', effect: 'allow', tools: 'look', because: 'It is harmless.' }] },
  { now: 0 },
);
const field = {
  name: 'row',
  source: 'table',
  shape: 'table',
  by: 'lookup',
  fetch: async () => 'x',
  ttlS: 0,
  auth: ['clerk'],
  authority: 'authoritative',
  ifMissing: { action: 'flag' },
};

/** What each is called with, and what of it cannot be left out: `role`, or the place of an argument with its name. */
type Wiring = readonly [args: readonly unknown[], needed: readonly (string | readonly [number, string])[]];
const WIRINGS: Readonly<Record<string, Wiring>> = {
  zeroShot: [[seat('a')], [[0, 'answerer']]],
  probe: [
    [
      { answerer: { ...seat('a'), setup: '' }, instruction: 'Label it.', cases: Array(20).fill('x'), fits: () => true },
      {},
    ],
    ['answerer', 'instruction', 'cases', 'fits'],
  ],
  constraints: [
    [{ items: [{ id: 'a', forbid: 'Never x.', instead: null, reason: 'x' }] }, { version: '1' }],
    ['items', 'version'],
  ],
  withConstraints: [
    [agent, { constraints: limits }, { maxRetries: 1 }],
    [[0, 'agent'], 'constraints'],
  ],
  shaped: [
    [seat('a'), z.object({ a: z.string() }), { maxRepairs: 1 }],
    [
      [0, 'session'],
      [1, 'schema'],
    ],
  ],
  rag: [
    [
      { embedder: hashEmbedder(), answerer: seat('a') },
      { limit: 5, passage: 800, candidates: 30 },
    ],
    ['embedder', 'answerer'],
  ],
  withQueryRewriting: [
    [agent, { rewriter: seat('r') }, { how: 'multi', keys: 3, limit: 5 }],
    [[0, 'lookup'], 'rewriter', 'how'],
  ],
  adaptiveRag: [
    [
      {
        lookup: agent,
        classifier: seat('c'),
        scorer: seat('s'),
        checker: seat('k'),
        rewriter: seat('r'),
        answerer: seat('a'),
      },
      { maxRounds: 3, limit: 5 },
    ],
    ['lookup', 'classifier', 'scorer', 'checker', 'rewriter', 'answerer'],
  ],
  compression: [[{ summarizer: seat('s') }, { maxTokens: 1000, trigger: 0.7, keepRecent: 6 }], ['summarizer']],
  pruning: [[{}, { trigger: 0.7, keepRecent: 6 }], []],
  fromBundle: [
    [
      { spec: { workflow: 'w', version: '1', fields: [field] }, worker: seat('w') },
      { roles: ['clerk'], width: 8 },
    ],
    ['spec', 'worker', 'roles'],
  ],
  planAndSolve: [
    [
      { planner: seat('p'), worker: agent, answerer: seat('a') },
      { maxReplans: 3, maxSteps: 15, width: 1 },
    ],
    ['planner', 'worker', 'answerer'],
  ],
  reAct: [
    [
      { worker: seat('w'), tools: [look] },
      { maxIterations: 20, maxCalls: 1, repeatLimit: 3 },
    ],
    ['worker', 'tools'],
  ],
  reflexion: [
    [agent, { test, critic: seat('c') }, { maxAttempts: 3, keep: 3 }],
    [[0, 'agent'], 'test', 'critic'],
  ],
  selfRefine: [
    [agent, { critic: seat('c'), reviser: seat('r') }, { maxRounds: 3 }],
    [[0, 'agent'], 'critic', 'reviser'],
  ],
  selfConsistency: [[agent, {}, { samples: 3, minAgreement: 0.5, temperature: 0.8, topP: 0.9 }], [[0, 'agent']]],
  mapReduce: [
    [
      { split: () => [], worker: agent, join: () => 1 },
      { maxWorkers: 3, width: 2, quorum: 2 },
    ],
    ['split', 'worker', 'join', 'maxWorkers'],
  ],
  untilApproved: [
    [agent, { test }, { maxRounds: 3 }],
    [[0, 'agent'], 'test'],
  ],
  withReviewers: [
    [
      agent,
      { reviewers: { a: seat('a'), b: seat('b') }, editor: seat('e'), reviser: seat('r') },
      { precedence: ['a', 'b'], maxRounds: 2 },
    ],
    [[0, 'agent'], 'reviewers', 'editor', 'reviser', 'precedence'],
  ],
  isolated: [
    [agent, { brief: () => 'x' }, { slice: { share: 0.5 }, maxBriefTokens: 100, maxSpawns: 6 }],
    [[0, 'agent'], 'brief', 'slice'],
  ],
  needsApproval: [
    [{ tool: look }, { timeoutMs: 1000 }],
    ['tool', 'timeoutMs'],
  ],
  supervised: [
    [agent, { allow: ['pure'], baseline: { suite: 's', score: 1, minimum: 0.9, classes: ['pure'] } }],
    [[0, 'agent'], 'allow', 'baseline'],
  ],
  injectionShield: [[{ secret: 'at least sixteen characters' }], ['secret']],
  policyGuard: [
    [policy, { clock: systemClock() }],
    [[0, 'policy'], 'clock'],
  ],
  sandboxed: [
    [
      {
        name: 'count',
        description: 'Counts. Not for files.',
        effect: 'pure',
        input: z.object({}),
        output: z.object({}),
        command: () => ({ argv: ['x'] }),
      },
      { sandbox },
      { wallMs: 1, cpuS: 1, memoryMb: 1, processes: 1, outputBytes: 1 },
    ],
    ['name', 'description', 'effect', 'output', 'command', 'sandbox'],
  ],
  withBudget: [
    [agent, { modelCalls: 3 }],
    [[0, 'agent'], 'modelCalls'],
  ],
  errorDigest: [[{ maxConsecutive: 3, maxTotal: 20 }], []],
  toolBudgetSeam: [[{ window: 100_000 }], ['window']],
  toolReview: [
    [{ name: 'n', record: async () => [], store: {} }, { everyRuns: 20 }],
    ['name', 'record', 'store'],
  ],
  rubricJudge: [[{ judge: seat('j'), rubric }], ['judge', 'rubric']],
  pairJudge: [[{ judge: seat('j'), rubric }], ['judge', 'rubric']],
  validated: [
    [agent, { schema: z.object({}), otherwise: agent }, { maxRetries: 2 }],
    [[0, 'agent'], 'schema', 'otherwise'],
  ],
  directCall: [
    [{ input: z.object({}), send: async () => 1, effect: 'pure' }, { maxTries: 3 }],
    ['input', 'send', 'effect'],
  ],
  checked: [
    [agent, { test }, { maxRetries: 1 }],
    [[0, 'agent'], 'test'],
  ],
  framed: [
    [agent, limits],
    [
      [0, 'part'],
      [1, 'framing'],
    ],
  ],
  guarded: [
    [agent, needsApproval({ tool: look }, { timeoutMs: 1 })],
    [
      [0, 'agent'],
      [1, 'guard'],
    ],
  ],
  lookupTool: [[agent, { limit: 5 }], [[0, 'lookup']]],
  commandTest: [[{ sandbox, command: ['x'], cwd: '/tmp' }], ['sandbox', 'command', 'cwd']],
  accumulateSkills: [[{ shelf: {}, session: seat('s') }], ['shelf', 'session']],
};
/** Functions that are given data, and those whose parts are guards of their own, which their tests refuse. */
const OTHERS =
  'checkpointOf codeTest described exact formulaText gainOver guardrails keptTools pattern patternsOf predicted repairAlarm tool toolUsesIn traceOf useFrom useOf usesIn';

const made = (name: string, args: readonly unknown[]): unknown => {
  const make = name === 'accumulateSkills' ? accumulateSkills : (exported as never)[name];
  return (make as (...given: readonly unknown[]) => unknown)(...args);
};
const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** The call without one thing that it needs. */
function without(args: readonly unknown[], needed: string | readonly [number, string]): readonly unknown[] {
  if (typeof needed !== 'string') return args.map((arg, place) => (place === needed[0] ? undefined : arg));
  return args.map((arg) => (isPlain(arg) && needed in arg ? { ...arg, [needed]: undefined } : arg));
}

describe('bad wiring', () => {
  it('is looked for in every function that makes something of parts [R11-PATTERN-WIRING]', () => {
    const functions = Object.entries(exported).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []));
    expect([...Object.keys(WIRINGS), ...OTHERS.split(' ')].sort()).toEqual(functions.sort());
  });

  it.each(Object.entries(WIRINGS))(
    'of %s throws a ConfigError that names what is missing [R11-PATTERN-WIRING]',
    (name, [args, needed]) => {
      expect(() => made(name, args)).not.toThrow();
      for (const one of needed) {
        const label = typeof one === 'string' ? one : one[1];
        const call = () => made(name, without(args, one));
        expect(call, `${name} without ${label}`).toThrow(ConfigError);
        if (label !== 'modelCalls') expect(call, `${name} without ${label}`).toThrow(label);
      }
    },
  );

  it.each(Object.entries(WIRINGS))(
    'of %s: a count or a share that is none is refused [R11-PATTERN-WIRING]',
    (name, [args]) => {
      for (const [place, arg] of args.entries()) {
        if (!isPlain(arg)) continue;
        for (const [option, value] of Object.entries(arg)) {
          if (typeof value !== 'number') continue;
          for (const bad of [Number.NaN, -1, Number.POSITIVE_INFINITY]) {
            const call = () => made(name, args.with(place, { ...arg, [option]: bad }));
            expect(call, `${name} with ${option} ${bad}`).toThrow(ConfigError);
          }
        }
      }
    },
  );
});
