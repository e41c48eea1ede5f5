import { type Agent, done } from 'flyball';
import { defineAgent } from 'flyball/agents';
import { isolated, mapReduce, untilApproved, withReviewers, zeroShot } from 'flyball/patterns';
import { families } from 'flyball/testing/simulated';
import { tool } from 'flyball/tools';
import { askedOnce, delivered, itemOf, onceExpected, seat, solving } from '../arms.js';
import type { Arm, Claim } from '../claim.js';
import { always, chanceOf, type Expectation, exactly } from '../exactly.js';
import { atLeast, plurality } from '../formulas.js';
import type { Family, SimulatedCall } from '../simulated.js';
import { arithmetic, mark } from '../worlds/arithmetic.js';

interface Judging {
  readonly p: number;
  readonly tpr: number;
  readonly fpr: number;
  readonly rounds: number;
}

const answerIn = ({ text }: SimulatedCall): string => /<answer>(.*)<\/answer>/.exec(text)?.[1] ?? '';

export function judgingArm(given: Judging): Arm {
  const { p, tpr, fpr, rounds } = given;
  return solving(`O5 ${JSON.stringify(given)}`, {
    questions: arithmetic,
    families: {
      writer: families.oracle({ questions: arithmetic, p, wrong: 1e9 }),
      judge: families.judge({ isGood: (call) => answerIn(call) === arithmetic.truth(call.item), tpr, fpr }),
    },
    agent: (model) =>
      untilApproved(
        zeroShot(seat(model, 'writer')) as Agent<string, string>,
        {
          test: async (run, value, input) => {
            const { text } = await run.ask(seat(model, 'judge'), `${mark(itemOf(input))}: <answer>${value}</answer>`);
            return text === 'YES' ? { ok: true } : { ok: false, because: 'It is not right.' };
          },
        },
        { maxRounds: rounds },
      ),
  });
}

/** A right draft that comes back after it was rejected changed nothing: it stops there, with that draft. */
export const judgingExpected = ({ p, tpr, fpr, rounds }: Judging): Expectation =>
  exactly((flip) => {
    let calls = 0;
    let before = false;
    for (let round = 1; ; round++) {
      const isRight = flip(p);
      calls++;
      if (isRight && before) return { value: true, calls };
      calls++;
      if (flip(isRight ? tpr : fpr) || round === rounds) return { value: isRight, calls };
      before = isRight;
    }
  });

function judging(id: string, side: Claim['side'], says: string, given: Judging): Claim {
  return {
    id,
    pattern: 'O5',
    world: 'W1',
    family: 'F1, F3',
    parameters: { ...given },
    says,
    side,
    formula: 'geometric over verdicts, the last draft where none passes',
    arm: judgingArm(given),
    baseline: askedOnce(arithmetic, given.p),
    expected: () => judgingExpected(given),
    expectedBaseline: onceExpected(given.p),
  };
}

interface Workers {
  readonly workers: number;
  readonly p: number;
  readonly wrong: number;
  readonly fails: number;
  readonly quorum: number;
  readonly join: 'majority' | 'count';
}

export function workersArm(given: Workers): Arm {
  const { workers, p, wrong, fails, quorum, join } = given;
  return solving(`O4 ${JSON.stringify(given)}`, {
    questions: arithmetic,
    families: { worker: families.oracle({ questions: arithmetic, p, wrong, abstains: fails }) },
    agent: (model) => {
      const split = (input: string): readonly string[] => Array.from({ length: workers }, () => input);
      const worker = zeroShot(seat(model, 'worker')) as Agent<string, string>;
      const options = { maxWorkers: workers, quorum };
      if (join === 'majority') return mapReduce({ split, worker, join: 'majority' }, options);
      return mapReduce({ split, worker, join: () => 'true' }, options); // below the quorum nothing is joined
    },
    ...(join === 'count' ? { isRight: (_item: number, answer: unknown) => answer === 'true' } : {}),
  });
}

function workers(id: string, side: Claim['side'], says: string, given: Workers): Claim {
  const { workers: n, p, wrong, fails, quorum, join } = given;
  const reached = join === 'majority' ? plurality(n, p, wrong) : atLeast(quorum, n, 1 - fails);
  const single = join === 'majority' ? p : (1 - fails) * p;
  return {
    id,
    pattern: 'O4',
    world: 'W1',
    family: 'F1',
    parameters: { ...given },
    says,
    side,
    formula: join === 'majority' ? 'P(plurality of n is right)' : 'binomial tail of the quorum',
    arm: workersArm(given),
    baseline: askedOnce(arithmetic, single),
    expected: () => ({ value: chanceOf(reached), calls: always(n) }),
    expectedBaseline: onceExpected(single),
  };
}

/** Wall time: side by side it takes as long as the slowest, one after the other as long as all. */
function sideBySide(width: number): Arm {
  return solving(`O4 wall ${width}`, {
    questions: arithmetic,
    families: { worker: families.slow(families.oracle({ questions: arithmetic, p: 1 }), { fixedMs: 1_000 }) },
    agent: (model) =>
      mapReduce(
        {
          split: (input: string) => [input, input, input, input],
          worker: zeroShot(seat(model, 'worker')) as Agent<string, string>,
          join: 'majority',
        },
        { maxWorkers: 4, width },
      ),
    isRight: (_item, _answer, { ms }) => ms / 10_000, // tenths of ten seconds
    more: () => ({ isTimed: true, serial: true }),
  });
}

interface Reviewing {
  readonly faulty: number;
  readonly finds: number;
  readonly alarms: number;
  readonly mends: number;
  readonly rounds: number;
}

const LENSES = ['security', 'speed'] as const;
const stateOf = (lens: string, text: string): string => new RegExp(`${lens}=(ok|bad)`).exec(text)?.[1] ?? 'ok';
const draftOf = (item: number, states: readonly string[]): string =>
  `${mark(item)}: ${LENSES.map((lens, n) => `${lens}=${states[n]}`).join(' ')}`;

function reviewingArm(given: Reviewing): Arm {
  const { faulty, finds, alarms, mends, rounds } = given;
  const reviewer = (lens: string): Family =>
    families.judge({
      isGood: (call) => stateOf(lens, call.text) === 'ok',
      tpr: 1 - alarms,
      fpr: 1 - finds,
      says: (isFine) => JSON.stringify({ issues: isFine ? [] : [{ text: `${lens} is not good`, lens }] }),
    });
  const editor: Family = ({ text }) => {
    const ids = [...text.matchAll(/^- ((?:security|speed)-\d+)/gm)].map(([, id]) => id);
    return JSON.stringify({
      verdict: ids.length === 0 ? 'PASS' : 'FAIL',
      ranked: ids,
      contradictions: [],
      dismissed: [],
      brief: 'Fix it.',
    });
  };
  const reviser: Family = (call) => {
    const draft = /<draft>\n([\s\S]*?)\n<\/draft>/.exec(call.text)?.[1] ?? '';
    const mended = LENSES.map((lens) => {
      const isNamed = call.text.includes(`${lens} is not good`);
      return stateOf(lens, draft) === 'bad' && !(isNamed && call.chance(lens) < mends) ? 'bad' : 'ok';
    });
    return draftOf(call.item, mended);
  };
  return solving(`O9 ${JSON.stringify(given)}`, {
    questions: arithmetic,
    families: {
      writer: (call) =>
        draftOf(
          call.item,
          LENSES.map((lens) => (call.chance(lens) < faulty ? 'bad' : 'ok')),
        ),
      security: reviewer('security'),
      speed: reviewer('speed'),
      editor,
      reviser,
    },
    agent: (model) =>
      withReviewers(
        zeroShot(seat(model, 'writer')) as Agent<string, string>,
        {
          reviewers: { security: seat(model, 'security'), speed: seat(model, 'speed') },
          editor: seat(model, 'editor'),
          reviser: seat(model, 'reviser'),
        },
        { precedence: ['security', 'speed'], maxRounds: rounds },
      ),
    isRight: (_item, answer) => !String(answer).includes('bad'),
  });
}

/** Of drafts that do not pass the one with the fewest issues is kept, of equals the later one. */
const reviewingExpected = ({ faulty, finds, alarms, mends, rounds }: Reviewing): Expectation =>
  exactly((flip) => {
    let bad: readonly boolean[] = LENSES.map(() => flip(faulty));
    let best: { readonly issues: number; readonly isGood: boolean } | undefined;
    for (let round = 1, calls = 1; ; round++, calls++) {
      const named = bad.map((isBad) => flip(isBad ? finds : alarms));
      const issues = named.filter(Boolean).length;
      const isGood = !bad.includes(true);
      calls += LENSES.length + 1;
      if (issues === 0) return { value: isGood, calls };
      if (best === undefined || issues <= best.issues) best = { issues, isGood };
      if (round === rounds) return { value: best.isGood, calls };
      bad = bad.map((isBad, n) => isBad && !(named[n] === true && flip(mends)));
    }
  });

function reviewing(id: string, side: Claim['side'], says: string, given: Reviewing): Claim {
  const clean = (1 - given.faulty) ** LENSES.length;
  return {
    id,
    pattern: 'O9',
    world: 'W1',
    family: 'F2, F3',
    parameters: { ...given },
    says,
    side,
    formula: 'found 1 - Π(1 - tpr), false alarms 1 - Π(1 - fpr), chain over two rounds',
    arm: reviewingArm(given),
    baseline: solving(`S1 draft ${given.faulty}`, {
      questions: arithmetic,
      families: {
        writer: (call) =>
          draftOf(
            call.item,
            LENSES.map((lens) => (call.chance(lens) < given.faulty ? 'bad' : 'ok')),
          ),
      },
      agent: (model) => zeroShot(seat(model, 'writer')) as Agent<string, string>,
      isRight: (_item, answer) => !String(answer).includes('bad'),
    }),
    expected: () => reviewingExpected(given),
    expectedBaseline: onceExpected(clean),
  };
}

const CHUNK = 'x'.repeat(800);
const PARTS = 4;
const CHARS = 4;
const partText = (item: number): string => `${CHUNK} ${mark(item)}`;

/** Sub-tasks in one growing prompt, or each by itself; `needs`: share of sub-tasks whose fact stands in the part before. */
function readingArm(name: 'inline' | 'isolated', length: number, needs: number): Arm {
  const fact = (item: number): string => `FACT ${item}`;
  const needsBefore: Family = (call) => {
    const isMissing =
      call.shared(`part ${/Part (\d)/.exec(call.text)?.[1]}`) < needs && !call.text.includes(fact(call.item));
    return isMissing ? 'none' : families.reader({ questions: arithmetic, length })(call);
  };
  return solving(`O17 ${name} ${length} ${needs}`, {
    questions: arithmetic,
    families: { reader: needs === 0 ? families.reader({ questions: arithmetic, length }) : needsBefore },
    agent: (model): Agent<string, number> => {
      const sub: Agent<string, boolean> = async (run, text) =>
        done((await run.ask(seat(model, 'reader'), text)).text === arithmetic.truth(itemOf(text)));
      const alone = isolated(sub, { brief: (text: string) => text }, { slice: { of: PARTS + 1 } });
      return async (run, ask) => {
        const item = itemOf(ask);
        let before = needs === 0 ? '' : `${fact(item)} `;
        let right = 0;
        for (let part = 0; part < PARTS; part++) {
          const own = needs === 0 ? partText(item) : `Part ${part} ${partText(item)}`;
          const end = name === 'isolated' ? await alone(run, own) : await sub(run, `${before}${own}`);
          if (delivered(end) === true) right++;
          before += CHUNK;
        }
        return done(right / PARTS);
      };
    },
    isRight: (_item, answer) => Number(answer),
  });
}

function readingExpected(name: 'inline' | 'isolated', length: number, needs: number): Expectation {
  const own = partText(0).length + (needs === 0 ? 0 : 'Part 0 '.length);
  const chances = Array.from({ length: PARTS }, (_none, part) => {
    const before = name === 'inline' ? part * CHUNK.length + (needs === 0 ? 0 : 'FACT 0 '.length + 1) : 0;
    return Math.exp(-(own + before) / CHARS / length) * (name === 'isolated' ? 1 - needs : 1);
  });
  const mean = chances.reduce((sum, p) => sum + p, 0) / PARTS;
  const variance = chances.reduce((sum, p) => sum + p * (1 - p), 0) / PARTS ** 2;
  return { value: { mean, variance }, calls: always(PARTS) };
}

function reading(
  id: string,
  side: Claim['side'],
  says: string,
  { length, needs }: { readonly length: number; readonly needs: number },
): Claim {
  return {
    id,
    pattern: 'O17',
    world: 'W4',
    family: 'F4',
    parameters: { parts: PARTS, length, needs },
    says,
    side,
    formula: 'exp(-n₁/L) against the mean of exp(-n_k/L) over a growing prompt',
    arm: readingArm('isolated', length, needs),
    baseline: readingArm('inline', length, needs),
    expected: () => readingExpected('isolated', length, needs),
    expectedBaseline: () => readingExpected('inline', length, needs),
  };
}

const LOOK = { type: 'object', properties: { page: { type: 'string' } }, required: ['page'] } as const;

/** An agent with a tool that it needs, or does not; a second look at the answer is a call of its own. */
function singleArm(given: { readonly known: number; readonly confirms: boolean }): Arm {
  const { known, confirms } = given;
  return solving(`O1 ${JSON.stringify(given)}`, {
    questions: arithmetic,
    families: (): Readonly<Record<string, Family>> => ({
      solver: (call) => {
        const isFound = call.text.includes('It is said here:');
        const isKnown = call.shared('known') < known;
        if (isFound || isKnown) return arithmetic.truth(call.item);
        return {
          text: '',
          toolCalls: [{ id: call.key, name: 'look', arguments: JSON.stringify({ page: mark(call.item) }) }],
        };
      },
    }),
    agent: (model) => {
      const look = tool({
        name: 'look',
        description: 'Reads a page. Not for anything else.',
        input: LOOK,
        effect: 'pure',
        execute: async ({ page }) => `It is said here: ${arithmetic.truth(itemOf(String(page)))}`,
      });
      const { agent } = defineAgent({
        name: 'solver',
        description: 'Solves tasks.',
        model,
        tools: [look],
        loop: { doubleConfirmation: confirms },
      });
      return agent as unknown as Agent<string, unknown>;
    },
    isRight: (item, answer) =>
      (answer as { readonly rawText?: unknown } | undefined)?.rawText === arithmetic.truth(item),
  });
}

function single(
  id: string,
  side: Claim['side'],
  says: string,
  given: { readonly known: number; readonly confirms: boolean },
): Claim {
  return {
    id,
    pattern: 'O1',
    world: 'W4',
    family: 'F1',
    parameters: { known: given.known, confirms: String(given.confirms) },
    says,
    side,
    formula: 'calls 1 + (1 - k), and one more where the answer is confirmed',
    arm: singleArm(given),
    baseline: askedOnce(arithmetic, given.known),
    expected: () => exactly((flip) => ({ value: true, calls: (flip(given.known) ? 1 : 2) + (given.confirms ? 1 : 0) })),
    expectedBaseline: onceExpected(given.known),
  };
}

export const orchestration: readonly Claim[] = [
  judging('O5-fair', 'gains', 'A judge that passes 80% of right and 30% of wrong drafts, three rounds.', {
    p: 0.5,
    tpr: 0.8,
    fpr: 0.3,
    rounds: 3,
  }),
  judging('O5-five', 'gains', 'The same judge, five rounds.', { p: 0.5, tpr: 0.8, fpr: 0.3, rounds: 5 }),
  judging(
    'O5-blind',
    'loses',
    'A judge that cannot tell is worth little for its calls: a right draft that comes back is kept, and no more.',
    { p: 0.5, tpr: 0.3, fpr: 0.9, rounds: 3 },
  ),
  workers('O4-vote', 'gains', 'Five workers vote.', {
    workers: 5,
    p: 0.6,
    wrong: 4,
    fails: 0,
    quorum: 5,
    join: 'majority',
  }),
  workers('O4-quorum', 'gains', 'Three of four workers are enough, and each fails in 30%.', {
    workers: 4,
    p: 1,
    wrong: 1,
    fails: 0.3,
    quorum: 2,
    join: 'count',
  }),
  workers('O4-all', 'loses', 'All of four workers are needed, and each fails in 30%.', {
    workers: 4,
    p: 1,
    wrong: 1,
    fails: 0.3,
    quorum: 4,
    join: 'count',
  }),
  {
    id: 'O4-wall',
    pattern: 'O4',
    world: 'W1',
    family: 'F14',
    parameters: { workers: 4, latencyMs: 1_000 },
    says: 'Side by side, four workers take the time of one. Scores are wall time in units of ten seconds.',
    side: 'holds',
    formula: 'wall = max, against the sum',
    arm: sideBySide(4),
    baseline: sideBySide(1),
    expected: () => ({ value: always(0.1), calls: always(4) }),
    expectedBaseline: () => ({ value: always(0.4) }),
    weight: 30,
  },
  reviewing(
    'O9-found',
    'gains',
    'Two reviewers that find 80% of the faults of their concern, and a reviser that mends 90% of what the brief names.',
    { faulty: 0.4, finds: 0.8, alarms: 0.05, mends: 0.9, rounds: 2 },
  ),
  reviewing('O9-clean', 'loses', 'Drafts without faults: five calls for what one has brought.', {
    faulty: 0,
    finds: 0.8,
    alarms: 0,
    mends: 0.9,
    rounds: 2,
  }),
  reading(
    'O17-decay',
    'gains',
    'Four sub-tasks, each in a context of its own, with a reader whose attention is gone after 500 tokens.',
    { length: 500, needs: 0 },
  ),
  reading('O17-needs', 'loses', 'Seven of ten sub-tasks need a fact that only the growing prompt holds.', {
    length: 5_000,
    needs: 0.7,
  }),
  single('O1-looks', 'gains', 'An agent that knows 40% and looks the rest up.', { known: 0.4, confirms: false }),
  single('O1-knows', 'loses', 'It knows everything: the second look at its answer is a call for nothing.', {
    known: 1,
    confirms: true,
  }),
];
