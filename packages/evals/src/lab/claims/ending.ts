import { type Agent, degraded, done, FlyballError, type Run } from 'flyball';
import { errorDigest, isolated, mapReduce, reAct, rubricJudge, validated, zeroShot } from 'flyball/patterns';
import { families } from 'flyball/testing/simulated';
import { tool } from 'flyball/tools';
import { itemOf, saying, seat, solving } from '../arms.js';
import type { Claim } from '../claim.js';
import { always, chanceOf, exactly } from '../exactly.js';
import { draw, type Family } from '../simulated.js';
import { arithmetic } from '../worlds/arithmetic.js';
import { toolGraph } from '../worlds/tool-graph.js';
import { held } from './held.js';

const KEY = { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] } as const;
const CALLS = 4;
const graph = toolGraph({ calls: CALLS, share: 0 });
const look = tool({
  name: 'look',
  description: 'Looks up a key. Not for lists of keys.',
  input: KEY,
  effect: 'pure',
  execute: async ({ key }) => `found ${graph.look(String(key))}`,
});
const asks = (id: string, keys: readonly (string | undefined)[]) => ({
  text: '',
  toolCalls: keys.map((key, n) => ({ id: `${id}-${n}`, name: 'look', arguments: JSON.stringify({ key }) })),
});
const foundIn = (text: string): readonly string[] => [...text.matchAll(/found (v\d+)/g)].map(([, value = '']) => value);

const STUCK = 0.4;
const REPEATS = 3;

/** Some items ask for the first key for ever. The others look up one key after the other. */
const circling: Family = (call) => {
  const found = foundIn(call.text);
  const isStuck = call.shared('stuck') < STUCK;
  if (!isStuck && found.length === CALLS) return found.join(' ');
  return asks(call.key, [graph.key(call.item, isStuck ? 0 : found.length)]);
};

/** Names every key that is left in one reply. */
const hasty: Family = (call) => {
  const found = foundIn(call.text);
  if (found.length >= CALLS) return found.join(' ');
  return asks(call.key, Array.from({ length: CALLS }, (_none, n) => graph.key(call.item, n)).slice(found.length));
};

const looping = (name: string, worker: Family, isRight?: Parameters<typeof solving>[1]['isRight']) =>
  solving(name, {
    questions: graph,
    families: { worker },
    agent: (model) =>
      reAct(
        { worker: seat(model, 'worker'), tools: [look] },
        { maxIterations: 10, repeatLimit: REPEATS, maxCalls: 1 },
      ) as Agent<string, string>,
    ...(isRight === undefined ? {} : { isRight }),
  });

const SUBTASKS = 4;
const SPAWNS = 2;
const LONG = 0.3;
const ODD = 0.4;
const SECRET = 'what its parent knows';

interface Handed {
  readonly text: string;
  readonly secret: string;
}

const isLong = (item: number, n: number): boolean => draw('O17', 'long', item, n) < LONG;

/** Four sub-tasks, of which two may be handed out: some with a brief that is too long, some with a result that is none. */
const handing = solving('O17 held', {
  questions: arithmetic,
  families: { worker: (call) => (call.chance('odd') < ODD ? 'n/a' : arithmetic.truth(call.item)) },
  agent: (model): Agent<string, number> => {
    const worker: Agent<string, string> = async (run, given) => {
      const isTold = JSON.stringify(given).includes(SECRET); // beyond its brief: it does something else
      const text = typeof given === 'string' ? given : '';
      return done(isTold ? 'told' : (await run.ask(seat(model, 'worker'), text)).text);
    };
    const alone = isolated<Handed, string, string>(
      worker,
      { brief: ({ text }) => text, result: NUMBER },
      { slice: { of: SUBTASKS + 1 }, maxBriefTokens: 200, maxSpawns: SPAWNS },
    );
    return async (run, ask) => {
      let handed = 0;
      for (let n = 0; n < SUBTASKS; n++) {
        const text = isLong(itemOf(ask), n) ? `${ask} ${'x'.repeat(2_000)}` : ask;
        const ended = await alone(run, { text, secret: SECRET });
        if (ended.stop === 'done') handed++;
      }
      return done(handed / SUBTASKS);
    };
  },
  isRight: (_item, answer) => Number(answer),
});

const NUMBER = {
  '~standard': {
    version: 1,
    vendor: 'lab',
    validate: (value: unknown) =>
      Number.isFinite(Number(value)) ? { value: String(value) } : { issues: [{ message: 'it is not a number' }] },
  },
} as const;

const handedExpected = () =>
  exactly((flip) => {
    let [spawned, good] = [0, 0];
    for (let n = 0; n < SUBTASKS; n++) {
      if (flip(LONG) || spawned === SPAWNS) continue;
      spawned++;
      if (!flip(ODD)) good++;
    }
    return { value: good / SUBTASKS, calls: spawned };
  });

const FAILS = 8;
const BEFORE_ASKED = 3;

/** A tool that always fails in the same way, and what of its calls was made. */
const failing = (most: 'maxTotal' | 'maxConsecutive') => {
  const tries = most === 'maxTotal' ? FAILS : BEFORE_ASKED + 1; // one is asked about, and refused
  return solving(`V11 ${most}`, {
    questions: arithmetic,
    families: {},
    agent: (): Agent<string, number> => {
      const errors = errorDigest({ maxConsecutive: 100, maxTotal: 100, [most]: BEFORE_ASKED });
      const compile = tool({
        name: 'compile',
        description: 'Compiles. Not for tests.',
        input: KEY,
        effect: 'pure',
        retry: { retries: 0 },
        execute: async () => {
          throw new FlyballError('EFFECT_FAILED', 'disk full');
        },
      });
      return async (run: Run) => {
        const watched = run.guarded(errors.guard(run));
        let made = 0;
        for (let n = 0; n < tries; n++) {
          const result = await watched.call(compile, { key: `k${n}` });
          if (!result.ok && result.failure.code === 'EFFECT_FAILED') made++;
        }
        return done(made / tries);
      };
    },
    isRight: (_item, answer) => Number(answer),
    more: () => (most === 'maxTotal' ? {} : { person: () => 'reject' as const, isTimed: true as const }),
  });
};

const UNSURE = 0.5;
const isUnsure = (item: number): boolean => draw('V20', 'unsure', item) < UNSURE;
const SUM = {
  '~standard': {
    version: 1,
    vendor: 'lab',
    validate: (value: unknown) => {
      const { sum } = Object(value) as { readonly sum?: unknown };
      return typeof sum === 'number' ? { value: { sum } } : { issues: [{ message: 'sum is missing' }] };
    },
    jsonSchema: { input: () => ({ type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] }) },
  },
} as const;

/** Writes what fits only where it is shown the form, and half of the time it is not sure. */
const unsure = solving('V20 unsure', {
  questions: arithmetic,
  families: {
    writer: (call) => {
      const isTold = call.text.includes('"required":["sum"]');
      return isTold ? `{"sum":${arithmetic.truth(call.item)}}` : arithmetic.truth(call.item);
    },
  },
  agent: (model) => {
    const writer = zeroShot(seat(model, 'writer')) as Agent<string, string>;
    const honest: Agent<string, string> = async (run, ask) => {
      const made = await writer(run, ask);
      return made.stop === 'done' && isUnsure(itemOf(ask)) ? degraded(made.value, 'it is a guess') : made;
    };
    return validated<string, { readonly sum: number }>(
      honest,
      { schema: SUM as never, otherwise: saying({ sum: Number.NaN }) as Agent<string, never> },
      { maxRetries: 0 },
    );
  },
  isRight: (item, answer, { outcome }) => {
    const isSum = (answer as { readonly sum?: number } | undefined)?.sum === Number(arithmetic.truth(item));
    return isSum && outcome.stop === (isUnsure(item) ? 'degraded' : 'done');
  },
});

const NONE = 0.3;
const pair = { p: 0.6, workers: 2 };

/** Two workers with two answers between them: a tie is not sure. */
const tied = solving('O4 tie', {
  questions: arithmetic,
  families: { worker: families.oracle({ questions: arithmetic, p: pair.p, wrong: 1 }) },
  agent: (model) =>
    mapReduce(
      {
        split: (input: string) => [input, input],
        worker: zeroShot(seat(model, 'worker')) as Agent<string, string>,
        join: 'majority',
      },
      { maxWorkers: pair.workers },
    ),
  isRight: (_item, _answer, { outcome }) => outcome.stop === 'done',
});

/** A judge that takes none of the candidates in 30%. */
const takenOrNot = solving('O4 none', {
  questions: arithmetic,
  families: {
    worker: families.oracle({ questions: arithmetic, p: 0.5, wrong: 3 }),
    judge: (call) => (call.chance('none') < NONE ? 'NO_CANDIDATE' : '1'),
  },
  agent: (model) =>
    mapReduce(
      {
        split: (input: string) => [input, input],
        worker: zeroShot(seat(model, 'worker')) as Agent<string, string>,
        join: seat(model, 'judge'),
      },
      { maxWorkers: 2 },
    ),
  isRight: (_item, _answer, { outcome }) => outcome.stop === 'done',
});

const MUMBLES = 0.3;
const READINGS = 2;
const RUBRIC = {
  version: '1',
  threshold: 0.8,
  dimensions: [
    { name: 'correctness', weight: 0.6, minimum: 0.8, description: 'The number is right.' },
    { name: 'completeness', weight: 0.4, minimum: 0.5, description: 'There is a number.' },
  ],
} as const;
const each = { reasoning: 'I looked.', score: 1 };
const GOOD = JSON.stringify({ dimensions: { correctness: each, completeness: each }, missing: [], gaps: [] });

/** A judge whose scores cannot be read for some items: those did not pass. */
const mumbling = solving('V15 mumbles', {
  questions: arithmetic,
  families: { judge: (call) => (call.shared('mumbles') < MUMBLES ? 'It is fine.' : GOOD) },
  agent: (model): Agent<string, boolean> => {
    const test = rubricJudge({ judge: seat(model, 'judge'), rubric: RUBRIC });
    return async (run, ask) => done((await test(run, 'a draft', ask)).ok);
  },
  isRight: (_item, answer) => answer === true,
});

/** How patterns end: at their limits, and as sure as what they were made of. */
export const endings: readonly Claim[] = [
  held({
    id: 'R4-repeats',
    pattern: 'R4',
    world: 'W3',
    family: 'F7',
    parameters: { stuck: STUCK, repeatLimit: REPEATS },
    says: 'Four of ten items make one call again and again: they end after three, and the others find everything.',
    formula: '1 - s, in three calls or one more than there are keys',
    arm: looping('R4 repeats', circling),
    expected: () => exactly((flip) => (flip(STUCK) ? { value: 0, calls: REPEATS } : { value: 1, calls: CALLS + 1 })),
  }),
  held({
    id: 'R4-one-call',
    pattern: 'R4',
    world: 'W3',
    family: 'F7',
    parameters: { maxCalls: 1 },
    says: 'A model that makes all calls in one reply: one of them is made, and it asks for the others again.',
    formula: '1, in one call for each key and one for the answer',
    arm: looping('R4 one call', hasty),
    expected: () => ({ value: always(1), calls: always(CALLS + 1) }),
  }),
  held({
    id: 'O17-held',
    pattern: 'O17',
    world: 'W1',
    family: 'F1',
    parameters: { subtasks: SUBTASKS, spawns: SPAWNS, long: LONG, odd: ODD },
    says: 'Of four sub-tasks two may be handed out. A brief that is too long is not, and a result that does not fit is none.',
    formula: 'chain over sub-tasks, ended by the second that was handed out',
    arm: handing,
    expected: handedExpected,
  }),
  held({
    id: 'V11-total',
    pattern: 'V11',
    world: 'W10',
    family: 'faults',
    parameters: { failures: FAILS, maxTotal: BEFORE_ASKED },
    says: 'A tool that always fails: after three failures it is no longer called. Scores are calls made, of eight.',
    formula: 'maxTotal / failures, by code',
    arm: failing('maxTotal'),
    expected: () => ({ value: always(BEFORE_ASKED / FAILS), calls: always(0) }),
    weight: 6,
  }),
  held({
    id: 'V11-asks',
    pattern: 'V11',
    world: 'W10',
    family: 'faults',
    parameters: { maxConsecutive: BEFORE_ASKED },
    says: 'After three failures in a row a person is asked, and says no. Scores are calls made, of four.',
    formula: 'n / (n + 1), by code',
    arm: failing('maxConsecutive'),
    expected: () => ({ value: always(BEFORE_ASKED / (BEFORE_ASKED + 1)), calls: always(0) }),
    weight: 6,
  }),
  held({
    id: 'V20-unsure',
    pattern: 'V20',
    world: 'W10',
    family: 'F7',
    parameters: { unsure: UNSURE },
    says: 'An agent that is shown the form fills it in, and what it was not sure of stays unsure.',
    formula: '1, by code',
    arm: unsure,
    expected: () => ({ value: always(1), calls: always(1) }),
  }),
  held({
    id: 'O4-tie',
    pattern: 'O4',
    world: 'W1',
    family: 'F1',
    parameters: pair,
    says: 'Two workers and two ways to answer: where they differ, the result is not sure. Scores are sure results.',
    formula: 'p² + (1 - p)²',
    arm: tied,
    expected: () => ({ value: chanceOf(pair.p ** 2 + (1 - pair.p) ** 2), calls: always(2) }),
  }),
  held({
    id: 'O4-none',
    pattern: 'O4',
    world: 'W1',
    family: 'F1, F3',
    parameters: { none: NONE },
    says: 'A judge that takes none of the results in 30%: then there is none.',
    formula: '1 - n',
    arm: takenOrNot,
    expected: () => ({ value: chanceOf(1 - NONE), calls: always(3) }),
  }),
  held({
    id: 'V15-mumbles',
    pattern: 'V15',
    world: 'W9',
    family: 'F3',
    parameters: { mumbles: MUMBLES },
    says: 'A judge whose scores cannot be read for 30% of the items: none of those passes.',
    formula: '1 - m, in one call or two',
    arm: mumbling,
    expected: () => exactly((flip) => (flip(MUMBLES) ? { value: 0, calls: READINGS } : { value: 1, calls: 1 })),
  }),
];
