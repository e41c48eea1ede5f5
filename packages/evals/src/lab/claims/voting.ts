import type { Agent } from 'flyball';
import { selfConsistency, zeroShot } from 'flyball/patterns';
import { families } from 'flyball/testing/simulated';
import { askedOnce, onceExpected, seat, solving } from '../arms.js';
import type { Arm, Claim } from '../claim.js';
import { always, chanceOf, type Expectation, exactly } from '../exactly.js';
import { plurality, pluralityOver } from '../formulas.js';
import type { Family } from '../simulated.js';
import { arithmetic } from '../worlds/arithmetic.js';

interface Voting {
  readonly p: number;
  readonly wrong: number;
  readonly samples: number;
  readonly common?: number;
  readonly abstains?: number;
  readonly difficulty?: { readonly a: number; readonly b: number };
}

/** Says the same each time, unless it is asked at a temperature: whoever draws samples has to raise it. */
const unlessCold =
  (family: Family): Family =>
  (call) =>
    family((call.request.sampling.temperature ?? 0) > 0 ? call : { ...call, chance: call.shared });

const COLD = { sampling: { temperature: 0 } } as const;

export function votingArm(given: Voting): Arm {
  const { samples, ...model } = given;
  return solving(`R17 ${JSON.stringify(given)}`, {
    questions: arithmetic,
    families: { answerer: unlessCold(families.oracle({ questions: arithmetic, ...model })) },
    agent: (simulated) =>
      selfConsistency(zeroShot(seat(simulated, 'answerer', COLD)) as Agent<string, string>, {}, { samples }),
  });
}

export function votingExpected({ p, wrong, samples, common = 0, abstains = 0, difficulty }: Voting): Expectation {
  const alone = (1 - abstains) * p;
  const voted =
    difficulty === undefined ? plurality(samples, p, wrong, abstains) : pluralityOver(samples, difficulty, wrong);
  return { value: chanceOf(common * alone + (1 - common) * voted), calls: always(samples) };
}

function voting(id: string, side: Claim['side'], says: string, given: Voting): Claim {
  const { p, wrong, difficulty } = given;
  const single = difficulty === undefined ? p : difficulty.a / (difficulty.a + difficulty.b);
  return {
    id,
    pattern: 'R17',
    world: 'W1',
    family: 'F1',
    parameters: {
      ...given,
      ...(difficulty === undefined ? {} : { difficulty: `Beta(${difficulty.a},${difficulty.b})` }),
    } as Claim['parameters'],
    says,
    side,
    formula: 'ρp + (1 - ρ) · P(plurality of n is right)',
    arm: votingArm(given),
    baseline: askedOnce(arithmetic, single, { wrong }),
    expected: () => votingExpected(given),
    expectedBaseline: onceExpected(single),
  };
}

interface Deciding {
  readonly p: number;
  readonly abstains: number;
  readonly samples: number;
  readonly minAgreement: number;
}

function deciding(id: string, says: string, given: Deciding): Claim {
  const { p, abstains, samples, minAgreement } = given;
  return {
    id,
    pattern: 'R17',
    world: 'W1',
    family: 'F1',
    parameters: { ...given, wrong: 1 },
    says,
    side: 'holds',
    formula: 'P(at least a of all that were asked say the same, and no other answer has as many votes)',
    arm: solving(`R17 deciding ${JSON.stringify(given)}`, {
      questions: arithmetic,
      families: { answerer: unlessCold(families.oracle({ questions: arithmetic, p, abstains })) },
      agent: (model) =>
        selfConsistency(
          zeroShot(seat(model, 'answerer', COLD)) as Agent<string, string>,
          {},
          { samples, minAgreement },
        ),
      isRight: (_item, _answer, { outcome }) => outcome.stop === 'done',
    }),
    baseline: askedOnce(arithmetic, p),
    expected: () =>
      exactly((flip) => {
        const ballots = Array.from({ length: samples }, () => (flip(abstains) ? undefined : flip(p)));
        const [right, wrong] = [true, false].map((side) => ballots.filter((one) => one === side).length) as [
          number,
          number,
        ];
        return { value: right !== wrong && Math.max(right, wrong) / samples >= minAgreement, calls: samples };
      }),
    expectedBaseline: onceExpected(p),
  };
}

interface Wording {
  readonly p: number;
  readonly samples: number;
  readonly abstains: number;
  /** Who says that two answers are one: code, or a session whose replies cannot be read with this probability. */
  readonly malformed?: number;
}

const WORDED = [(truth: string) => truth, (truth: string) => `It is ${truth}.`, (truth: string) => `I get ${truth}.`];
const numberIn = (text: string): string => /-?\d+/.exec(text)?.[0] ?? '';

/** Puts answers with one number into one group. */
const grouper =
  (malformed: number): Family =>
  (call) => {
    if (call.chance('malformed') < malformed) return `They differ a little, by ${call.chance('words')}.`;
    const groups = new Map<string, number[]>();
    for (const [, n, said = ''] of call.text.matchAll(/<answer n="(\d+)">\n(.*)\n<\/answer>/g))
      groups.set(numberIn(said), [...(groups.get(numberIn(said)) ?? []), Number(n)]);
    return JSON.stringify([...groups.values()]);
  };

function wordedArm(given: Wording): Arm {
  const { p, samples, abstains, malformed } = given;
  const inWords: Family = (call) => {
    if (call.chance('abstains') < abstains) return { text: '', finish: 'error' };
    if (call.chance('right') >= p) return arithmetic.wrong(call.item, 0);
    const words = WORDED[Math.floor(call.chance('words') * WORDED.length)] ?? String;
    return words(arithmetic.truth(call.item));
  };
  return solving(`R17 worded ${JSON.stringify(given)}`, {
    questions: arithmetic,
    families: { answerer: unlessCold(inWords), grouper: grouper(malformed ?? 0) },
    agent: (model) =>
      selfConsistency(
        zeroShot(seat(model, 'answerer', COLD)) as Agent<string, string>,
        {
          same:
            malformed === undefined ? (a: string, b: string) => numberIn(a) === numberIn(b) : seat(model, 'grouper'),
        },
        { samples },
      ),
    isRight: (item, answer) => numberIn(String(answer)) === arithmetic.truth(item),
  });
}

/** The answer with most votes, the first of those that have as many; undefined where nobody voted. */
function winnerOf(votes: readonly string[]): string | undefined {
  const count = (vote: string): number => votes.filter((one) => one === vote).length;
  return votes.reduce<string | undefined>(
    (best, vote) => (best && count(best) >= count(vote) ? best : vote),
    undefined,
  );
}

/** A session is asked where two answers are not word for word the same, and once more where it cannot be read. */
const wordedExpected = ({ p, samples, abstains, malformed }: Wording): Expectation =>
  exactly((flip) => {
    const said = Array.from({ length: samples }, (): readonly string[] => {
      if (flip(abstains)) return [];
      if (!flip(p)) return ['wrong'];
      return [flip(1 / 3) ? 'right 1' : flip(1 / 2) ? 'right 2' : 'right 3'];
    }).flat();
    let calls = samples;
    let isGrouped = true;
    if (malformed !== undefined && new Set(said).size > 1) {
      calls++;
      if (flip(malformed)) {
        calls++;
        isGrouped = !flip(malformed);
      }
    }
    const winner = winnerOf(isGrouped ? said.map((one) => one.slice(0, 5)) : said);
    return { value: winner?.startsWith('right') === true, calls };
  });

function worded(id: string, side: Claim['side'], says: string, given: Wording): Claim {
  return {
    id,
    pattern: 'R17',
    world: 'W1',
    family: 'F1',
    parameters: { ...given, wrong: 1, wordings: WORDED.length },
    says,
    side,
    formula: 'P(the group of right answers has most votes), over all ways to word them',
    arm: wordedArm(given),
    baseline: askedOnce(arithmetic, given.p),
    expected: () => wordedExpected(given),
    expectedBaseline: onceExpected(given.p),
  };
}

export const votes: readonly Claim[] = [
  voting('R17-five', 'gains', 'Five samples of a model that is right in 60% and has four ways to be wrong.', {
    p: 0.6,
    wrong: 4,
    samples: 5,
  }),
  voting('R17-seven', 'gains', 'Seven samples of the same model.', { p: 0.6, wrong: 4, samples: 7 }),
  voting('R17-common', 'gains', 'Half of the items have an error that all samples share.', {
    p: 0.6,
    wrong: 4,
    samples: 5,
    common: 0.5,
  }),
  voting('R17-weak', 'loses', 'Below one half with one wrong answer, more samples make it worse.', {
    p: 0.4,
    wrong: 1,
    samples: 7,
  }),
  voting(
    'R17-abstains',
    'loses',
    'Half of the samples give no answer: they have no vote, and the rest still decides.',
    { p: 0.5, wrong: 4, samples: 3, abstains: 0.5 },
  ),
  voting('R17-difficulty', 'gains', 'Items differ in difficulty.', {
    p: 0,
    wrong: 4,
    samples: 5,
    difficulty: { a: 3, b: 2 },
  }),
  deciding(
    'R17-sure',
    'Two of five samples have to agree, and three of five give no answer. What is measured is how often it says that it is sure.',
    { p: 0.6, abstains: 0.6, samples: 5, minAgreement: 0.4 },
  ),
  deciding(
    'R17-tie',
    'Four samples, and two ways to answer that are as likely: a tie is not sure, whatever is asked for.',
    {
      p: 0.5,
      abstains: 0,
      samples: 4,
      minAgreement: 0,
    },
  ),
  worded('R17-worded', 'gains', 'The right answer comes in three wordings, and code says that they are one.', {
    p: 0.6,
    samples: 5,
    abstains: 0.1,
  }),
  worded(
    'R17-grouped',
    'holds',
    'The same with a session that groups the answers, and whose replies cannot be read in 30%: then they are counted as they are worded.',
    { p: 0.7, samples: 5, abstains: 0.1, malformed: 0.3 },
  ),
];
