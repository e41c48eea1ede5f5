import { type Agent, blocked, done, FlyballError, type Run } from 'flyball';
import {
  checkpointOf,
  errorDigest,
  pairJudge,
  rubricJudge,
  toolBudgetSeam,
  traceOf,
  withBudget,
  zeroShot,
} from 'flyball/patterns';
import { families } from 'flyball/testing/simulated';
import { tool } from 'flyball/tools';
import { askedOnce, itemOf, onceExpected, seat, solving } from '../arms.js';
import type { Arm, Claim } from '../claim.js';
import { always, chanceOf, type Expectation, exactly } from '../exactly.js';
import type { SimulatedCall } from '../simulated.js';
import { arithmetic } from '../worlds/arithmetic.js';

interface Searching {
  /** Probability that one more call finds it. */
  readonly finds: number;
  readonly cap: number;
}

/** Asks until it has found something, however long that takes. */
function endless(model: Parameters<typeof seat>[0]): Agent<string, string> {
  return async (run, input) => {
    for (let n = 1; n <= 60; n++) {
      const { text } = await run.ask(seat(model, 'searcher'), input);
      if (text !== 'nothing') return done(text);
    }
    return blocked('nothing was found');
  };
}

function capped({ finds, cap }: Searching, isCapped: boolean): Arm {
  return solving(`V9 ${finds} ${cap} ${isCapped}`, {
    questions: arithmetic,
    families: { searcher: (call) => (call.chance('finds') < finds ? arithmetic.truth(call.item) : 'nothing') },
    agent: (model) => (isCapped ? withBudget(endless(model), { modelCalls: cap }) : endless(model)),
  });
}

const cappedExpected = ({ finds, cap }: Searching): Expectation =>
  exactly((flip) => {
    for (let calls = 1; ; calls++) {
      if (flip(finds)) return { value: true, calls };
      if (calls === cap) return { value: false, calls };
    }
  });

const cappedClaim = (given: Searching): Omit<Claim, 'id' | 'side' | 'says'> => ({
  pattern: 'V9',
  world: 'W1',
  family: 'F6',
  parameters: { ...given },
  formula: '1 - (1 - s)^c, and never above c',
  arm: capped(given, true),
  baseline: capped(given, false),
  expected: () => cappedExpected(given),
  expectedBaseline: () => ({ value: chanceOf(1 - (1 - given.finds) ** 60) }),
});

const QUERY = { type: 'object', properties: { item: { type: 'number' } }, required: ['item'] } as const;

/** Eight calls of a tool that fails in the same way each time, and how many lines a model reads of it. */
function digested(kinds: number, isDigested: boolean): Arm {
  const TRIES = 8;
  return solving(`V11 ${kinds} ${isDigested}`, {
    questions: arithmetic,
    families: {},
    agent: (): Agent<string, number> => {
      const errors = errorDigest({ maxConsecutive: 100, maxTotal: 100 });
      const words = [
        'disk full',
        'no route to host',
        'bad certificate',
        'out of memory',
        'file not found',
        'access denied',
        'quota exceeded',
        'table locked',
      ];
      const compile = tool({
        name: 'compile',
        description: 'Compiles. Not for tests.',
        input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
        effect: 'pure',
        retry: { retries: 0 },
        execute: async ({ n }) => {
          throw new FlyballError(
            'EFFECT_FAILED',
            `${words[Number(n) % kinds]} at 0x${(Number(n) * 4096).toString(16)}`,
          );
        },
      });
      return async (run: Run) => {
        const watched = isDigested ? run.guarded(errors.guard(run)) : run;
        let lines = 0;
        for (let n = 0; n < TRIES; n++) {
          await watched.call(compile, { n });
          lines++;
        }
        return done(isDigested ? errors.text(run).split('\n').length : lines);
      };
    },
    isRight: (_item, answer) => 1 - Number(answer) / TRIES, // share of lines that are spared
  });
}

/** Chooses among tools: the more it is shown, the likelier it takes a wrong one. */
function choosing(shown: number, kept: number, isKept: boolean): Arm {
  const able = (tools: number): number => Math.exp(-tools / 40);
  const names = Array.from({ length: shown }, (_none, n) => `tool_${n}`);
  return solving(`V13 ${shown} ${kept} ${isKept}`, {
    questions: arithmetic,
    families: {
      chooser: (call) => {
        const offered = call.request.tools.map(({ name }) => name);
        const right = `tool_${call.item % shown}`;
        const isThere = offered.includes(right);
        return isThere && call.chance('chooses') < able(offered.length) ? right : 'tool_none';
      },
    },
    agent: (model): Agent<string, boolean> => {
      const tools = names.map((name) =>
        tool({
          name,
          description: `Does ${name}. Not for others.`,
          input: QUERY,
          effect: 'pure',
          execute: async () => name,
        }),
      );
      return async (run, ask) => {
        const item = itemOf(ask);
        const right = item % shown;
        // by words of the task, as a search over tools does: the right one is among those it keeps
        const offered = isKept ? tools.filter((_tool, n) => (n - right + shown) % shown < kept) : tools;
        try {
          const { text } = await run.ask(seat(model, 'chooser', { tools: offered }), ask);
          return done(text === names[right]);
        } catch (error) {
          if ((error as { readonly code?: string }).code === 'CONFIG_INVALID') return done(false);
          throw error;
        }
      };
    },
    isRight: (_item, answer) => answer === true,
    more: () => ({ seams: { 'tools.load': [toolBudgetSeam({ window: 128_000 })] } }),
  });
}

const RUBRIC = {
  version: '1',
  threshold: 0.8,
  dimensions: [
    { name: 'correctness', weight: 0.6, minimum: 0.8, description: 'The number is right.' },
    { name: 'completeness', weight: 0.4, minimum: 0.5, description: 'There is a number.' },
  ],
} as const;

const scores = (good: boolean): string =>
  JSON.stringify({
    dimensions: {
      correctness: { reasoning: 'I looked.', score: good ? 1 : 0 },
      completeness: { reasoning: 'I looked.', score: 1 },
    },
    missing: [],
    gaps: [],
  });
const pairScores = (choice: 'first' | 'second'): string => {
  const score = (place: 'first' | 'second'): number => (place === choice ? 1 : 0);
  const each = { reasoning: 'I looked.', first: score('first'), second: score('second') };
  return JSON.stringify({ dimensions: { correctness: each, completeness: each } });
};

interface Judged {
  readonly right: number;
  readonly tpr: number;
  readonly fpr: number;
}

/** A judge of answers of which a share is right: how often its verdict is true. */
function judged({ right, tpr, fpr }: Judged): Arm {
  return solving(`V15 ${right} ${tpr} ${fpr}`, {
    questions: arithmetic,
    families: {
      writer: families.oracle({ questions: arithmetic, p: right }),
      judge: families.judge({
        isGood: (call) => call.text.includes(`<<${arithmetic.truth(call.item)}>>`),
        tpr,
        fpr,
        says: scores,
      }),
    },
    agent: (model): Agent<string, boolean> => {
      const test = rubricJudge({ judge: seat(model, 'judge'), rubric: RUBRIC });
      return async (run, ask) => {
        const { text } = await run.ask(seat(model, 'writer'), ask);
        const verdict = await test(run, `<<${text}>>`, ask);
        return done(verdict.ok === (text === arithmetic.truth(itemOf(ask))));
      };
    },
    isRight: (_item, answer) => answer === true,
  });
}

interface Compared {
  readonly sees: number;
  readonly bias: number;
}

const outputsOf = (text: string) => ({ artefacts: [{ name: 'answer', text }], reports: [] });

/** Two answers, one of them right: it is right where it names that one. */
function compared({ sees, bias }: Compared): Arm {
  const isFirst = (call: SimulatedCall): boolean => {
    const truth = `<<${arithmetic.truth(call.item)}>>`;
    return call.text.indexOf(truth) < call.text.indexOf(`<<${arithmetic.wrong(call.item, 0)}>>`);
  };
  return solving(`V15 pair ${sees} ${bias}`, {
    questions: arithmetic,
    families: {
      judge: families.comparer({
        better: (call) => (isFirst(call) ? 'first' : 'second'),
        sees,
        bias,
        says: pairScores,
      }),
    },
    agent: (model): Agent<string, string> => {
      const better = pairJudge({ judge: seat(model, 'judge'), rubric: RUBRIC });
      return async (run, ask) => {
        const item = itemOf(ask);
        const [good, bad] = [outputsOf(`<<${arithmetic.truth(item)}>>`), outputsOf(`<<${arithmetic.wrong(item, 0)}>>`)];
        const isSwapped = item % 2 === 1;
        const task = { goal: ask, requirements: [], criteria: [] };
        const subject = { task, outputs: isSwapped ? bad : good, evidence: { items: [], gaps: [] } };
        const { winner } = await better(run, subject as never, isSwapped ? good : bad);
        return done(winner === 'tie' ? 'tie' : (winner === 'subject') === !isSwapped ? 'good' : 'bad');
      };
    },
    isRight: (_item, answer) => answer === 'good',
  });
}

/** Asked in one order alone, by the same judge. */
const inOneOrder = ({ sees, bias }: Compared): Arm =>
  solving(`one order ${sees} ${bias}`, {
    questions: arithmetic,
    families: {
      judge: families.comparer({
        better: ({ item }) => (item % 2 === 0 ? 'first' : 'second'),
        sees,
        bias,
        says: (choice) => choice,
      }),
    },
    agent: (model) => zeroShot(seat(model, 'judge')) as Agent<string, string>,
    isRight: (item, answer) => answer === (item % 2 === 0 ? 'first' : 'second'),
  });

/** From the first place and from the second one: both have to name the better one. */
const comparedExpected = ({ sees, bias }: Compared): Expectation =>
  exactly((flip) => {
    const inFirst = flip(bias) || flip(sees);
    const inSecond = !flip(bias) && flip(sees);
    return { value: inFirst && inSecond, calls: 2 };
  });

/** Three calls, and what a view says of the journal afterwards. */
function viewed(view: 'V10' | 'V14', p: number): Arm {
  return solving(`${view} ${p}`, {
    questions: arithmetic,
    families: { answerer: families.oracle({ questions: arithmetic, p }) },
    agent:
      (model): Agent<string, string> =>
      async (run, ask) => {
        for (const n of [1, 2]) await run.ask(seat(model, 'answerer'), `${ask} Draft ${n}.`);
        return done((await run.ask(seat(model, 'answerer'), ask)).text);
      },
    isRight: (item, _answer, { entries }) => {
      const id = `i${item}`;
      if (view === 'V10') {
        const { pendingActions } = checkpointOf(id, entries as never);
        return pendingActions.length === 0;
      }
      return asksIn(traceOf(id, entries as never)) === 3;
    },
    more: () => ({ reads: 'journal' }),
  });
}

/** Lines that somebody reads to know how a run ended: all of a view, or its outcome alone. */
function linesRead(view: 'V10' | 'V14', drafts: number, isViewed: boolean): Arm {
  return solving(`${view} lines ${drafts} ${isViewed}`, {
    questions: arithmetic,
    families: { answerer: families.oracle({ questions: arithmetic, p: 1 }) },
    agent:
      (model): Agent<string, string> =>
      async (run, ask) => {
        for (let n = 1; n < drafts; n++) await run.ask(seat(model, 'answerer'), `${ask} Draft ${n}.`);
        return done((await run.ask(seat(model, 'answerer'), ask)).text);
      },
    isRight: (item, _answer, { entries, outcome }) => {
      const id = `i${item}`;
      if (outcome.stop !== 'done') return 0;
      if (!isViewed) return 1;
      const listed =
        view === 'V10'
          ? checkpointOf(id, entries as never).completedActions.filter(({ verb }) => verb === 'ask').length
          : asksIn(traceOf(id, entries as never));
      return 1 / (1 + listed);
    },
    more: () => ({ reads: 'journal' }),
  });
}

interface Spanned {
  readonly kind: string;
  readonly children: readonly Spanned[];
}
const asksIn = ({ kind, children }: Spanned): number =>
  Number(kind === 'ask') + children.reduce((sum, child) => sum + asksIn(child), 0);

const V15: Judged = { right: 0.6, tpr: 0.9, fpr: 0.2 };
const judgedClaim = (given: Judged): Omit<Claim, 'id' | 'side' | 'says'> => ({
  pattern: 'V15',
  world: 'W9',
  family: 'F3',
  parameters: { ...given },
  formula: 'r · tpr + (1 - r)(1 - fpr), against calling everything right',
  arm: judged(given),
  baseline: askedOnce(arithmetic, given.right),
  expected: () => ({
    value: chanceOf(given.right * given.tpr + (1 - given.right) * (1 - given.fpr)),
    calls: always(2),
  }),
  expectedBaseline: onceExpected(given.right),
});
const comparedClaim = (given: Compared): Omit<Claim, 'id' | 'side' | 'says'> => ({
  pattern: 'V15',
  world: 'W9',
  family: 'F3',
  parameters: { ...given },
  formula: 'P(named from both places)',
  arm: compared(given),
  baseline: inOneOrder(given),
  expected: () => comparedExpected(given),
  expectedBaseline: (items) => {
    const first = given.bias + (1 - given.bias) * given.sees;
    const second = (1 - given.bias) * given.sees;
    const firsts = Math.ceil(items / 2) / items;
    const mean = firsts * first + (1 - firsts) * second;
    return { value: { mean, variance: firsts * first * (1 - first) + (1 - firsts) * second * (1 - second) } };
  },
});
const viewClaim = (view: 'V10' | 'V14', says: string): Claim => ({
  id: `${view}-view`,
  pattern: view,
  world: 'W1',
  family: 'F1',
  parameters: { p: 0.7 },
  says,
  side: 'holds',
  formula: '1, by code',
  arm: viewed(view, 0.7),
  baseline: askedOnce(arithmetic, 0.7),
  expected: () => ({ value: always(1), calls: always(3) }),
  expectedBaseline: onceExpected(0.7),
});

const DRAFTS = 3;
const readingClaim = (view: 'V10' | 'V14', says: string): Claim => ({
  id: `${view}-well`,
  pattern: view,
  world: 'W1',
  family: 'F1',
  parameters: { calls: DRAFTS },
  says,
  side: 'loses',
  formula: '1 / (1 + calls), against 1',
  arm: linesRead(view, DRAFTS, true),
  baseline: linesRead(view, DRAFTS, false),
  expected: () => ({ value: always(1 / (1 + DRAFTS)), calls: always(DRAFTS) }),
  expectedBaseline: () => ({ value: always(1) }),
  weight: 2,
});

export const reliability: readonly Claim[] = [
  {
    ...cappedClaim({ finds: 0.2, cap: 5 }),
    id: 'V9-cap',
    side: 'loses',
    says: 'A search that finds something in 20% of its calls, cut at five: cheaper, and it gives up what comes later.',
  },
  {
    ...cappedClaim({ finds: 0, cap: 4 }),
    id: 'V9-never-above',
    side: 'holds',
    says: 'A search that finds nothing never makes more calls than its cap.',
    formula: 'c, by code',
    expectedBaseline: () => ({ value: always(0) }),
    weight: 10,
  },
  {
    id: 'V11-same',
    pattern: 'V11',
    world: 'W10',
    family: 'faults',
    parameters: { failures: 8, kinds: 1 },
    says: 'Eight failures of one kind are one line. Scores are the lines that are spared.',
    side: 'gains',
    formula: '1 - kinds / failures',
    arm: digested(1, true),
    baseline: digested(1, false),
    expected: () => ({ value: always(1 - 1 / 8), calls: always(0) }),
    expectedBaseline: () => ({ value: always(0) }),
    weight: 4,
  },
  {
    id: 'V11-different',
    pattern: 'V11',
    world: 'W10',
    family: 'faults',
    parameters: { failures: 8, kinds: 8 },
    says: 'Eight failures of eight kinds: nothing is spared.',
    side: 'loses',
    formula: '1 - kinds / failures',
    arm: digested(8, true),
    baseline: digested(8, false),
    expected: () => ({ value: always(0), calls: always(0) }),
    expectedBaseline: () => ({ value: always(0) }),
    weight: 4,
  },
  {
    id: 'V13-few',
    pattern: 'V13',
    world: 'W9',
    family: 'F8',
    parameters: { tools: 60, kept: 10 },
    says: 'Ten of sixty tools are shown, the right one among them. Without the choice the request is refused.',
    side: 'gains',
    formula: 'exp(-n/40) for n tools, nothing above forty',
    arm: choosing(60, 10, true),
    baseline: choosing(60, 10, false),
    expected: () => ({ value: chanceOf(Math.exp(-10 / 40)), calls: always(1) }),
    expectedBaseline: () => ({ value: always(0) }),
    weight: 2,
  },
  {
    id: 'V13-enough',
    pattern: 'V13',
    world: 'W9',
    family: 'F8',
    parameters: { tools: 5, kept: 5 },
    says: 'Five tools are few enough: measuring them changes nothing.',
    side: 'loses',
    formula: 'exp(-n/40)',
    arm: choosing(5, 5, true),
    baseline: choosing(5, 5, false),
    expected: () => ({ value: chanceOf(Math.exp(-5 / 40)), calls: always(1) }),
    expectedBaseline: () => ({ value: chanceOf(Math.exp(-5 / 40)) }),
    weight: 2,
  },
  {
    ...judgedClaim(V15),
    id: 'V15-rubric',
    side: 'gains',
    says: 'A judge that passes 90% of right and 20% of wrong answers. Scores are true verdicts.',
  },
  {
    ...judgedClaim({ right: 0.9, tpr: 0.6, fpr: 0.4 }),
    id: 'V15-weak',
    side: 'loses',
    says: 'Of answers that are right in 90%, a weak judge makes fewer true statements than calling all of them right.',
  },
  {
    ...comparedClaim({ sees: 0.9, bias: 0.2 }),
    id: 'V15-pair',
    side: 'loses',
    says: 'Asked in both orders, a judge that favors the first place in 20% names fewer winners, and calls the rest a tie.',
  },
  {
    ...comparedClaim({ sees: 0.9, bias: 1 }),
    id: 'V15-biased',
    side: 'holds',
    says: 'A judge that always takes the first one never decides: every pair is a tie.',
    formula: '0, by code',
  },
  viewClaim('V10', 'The checkpoint of a run that has ended has nothing open.'),
  readingClaim(
    'V10',
    'A run that went well: its checkpoint has a line for each call, and the outcome alone said it in one. Scores are one over the lines read.',
  ),
  viewClaim('V14', 'The trace of a run has one span for each model call.'),
  readingClaim(
    'V14',
    'A run that went well: its trace has a line for each call, and the outcome alone said it in one. Scores are one over the lines read.',
  ),
];
