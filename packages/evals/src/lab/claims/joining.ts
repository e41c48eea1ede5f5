import type { Agent } from 'flyball';
import { mapReduce, zeroShot } from 'flyball/patterns';
import { families } from 'flyball/testing/simulated';
import { askedOnce, itemOf, onceExpected, seat, solving } from '../arms.js';
import type { Arm, Claim } from '../claim.js';
import { always, chanceOf, exactly } from '../exactly.js';
import { atLeast, plurality } from '../formulas.js';
import type { Family } from '../simulated.js';
import { arithmetic, mark } from '../worlds/arithmetic.js';

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

interface Reading {
  /** Pages of an item, each with a worker of its own. */
  readonly pages: number;
  readonly maxWorkers: number;
  /** Pages that have to be read. */
  readonly quorum: number | 'all';
  /** Probability that a worker reads its page right, and that it gives nothing. */
  readonly p: number;
  readonly fails: number;
}

const pageOf = (item: number, n: number): string => `${mark(item)}: page ${n}`;

/** What stands on the pages has to come out in their order; a page without a reader leaves a gap. */
const readingArm = ({ pages, maxWorkers, quorum, p, fails }: Reading): Arm =>
  solving(`O4 pages ${pages} ${maxWorkers} ${quorum} ${p} ${fails}`, {
    questions: arithmetic,
    families: {
      worker: (call) => {
        if (call.chance('fails') < fails) return { text: '', finish: 'error' };
        const page = /page (\d)/.exec(call.text)?.[1] ?? '';
        return call.chance('reads') < p ? page : '?';
      },
    },
    agent: (model) =>
      mapReduce(
        {
          split: (input: string) => Array.from({ length: pages }, (_none, n) => pageOf(itemOf(input), n)),
          worker: zeroShot(seat(model, 'worker')) as Agent<string, string>,
          join: (slots) => slots.map(({ value = '-' }) => value).join(''),
        },
        { maxWorkers, quorum },
      ),
    isRight: (_item, answer) => {
      const words = [...String(answer ?? '')];
      return words.length === pages ? words.filter((word, n) => word === String(n)).length / pages : 0;
    },
  });

const readingClaim = (given: Reading): Omit<Claim, 'id' | 'side' | 'says'> => {
  const { pages, maxWorkers, quorum, p, fails } = given;
  return {
    pattern: 'O4',
    world: 'W1 (pages)',
    family: 'F1',
    parameters: { ...given },
    formula: 'p · E[pages that are read, where they are enough] / pages',
    arm: readingArm(given),
    baseline: readingArm({ ...given, pages: 1, maxWorkers: 1, quorum: 1 }),
    expected: () => {
      const { value } = exactly((flip) => {
        const read = Array.from({ length: maxWorkers }, () => !flip(fails)).filter(Boolean).length;
        const right = Array.from({ length: read }, () => flip(p)).filter(Boolean).length;
        return { value: read < (quorum === 'all' ? pages : quorum) ? 0 : right / pages, calls: 0 };
      });
      return { value, calls: always(maxWorkers) };
    },
    expectedBaseline: () => ({ value: chanceOf((1 - fails) * p) }),
  };
};

interface Choosing {
  readonly workers: number;
  /** Probability that a worker is right, and that it gives nothing. */
  readonly p: number;
  readonly fails: number;
  readonly quorum: number;
  /** Probability that the judge takes a right candidate where there is one. */
  readonly sees: number;
  /** Probability that its reply cannot be read. */
  readonly malformed: number;
}

/** Takes the last right candidate, or says that none will do. */
const chooser =
  ({ sees, malformed }: Choosing): Family =>
  (call) => {
    if (call.chance('malformed') < malformed) return `The best one, by ${call.chance('words')}.`;
    const right = [...call.text.matchAll(/<candidate n="(\d+)">\nright\n/g)].at(-1)?.[1];
    const wrong = /<candidate n="(\d+)">\nwrong\n/.exec(call.text)?.[1];
    return (call.chance('sees') < sees ? right : wrong) ?? 'NO_CANDIDATE';
  };

const choosingClaim = (given: Choosing): Omit<Claim, 'id' | 'side' | 'says'> => {
  const { workers: n, p, fails, quorum, sees, malformed } = given;
  return {
    pattern: 'O4',
    world: 'W1',
    family: 'F1, F3',
    parameters: { ...given },
    formula: 'P(enough results, one of them right, a judge that can be read within two replies and sees it)',
    arm: solving(`O4 choosing ${JSON.stringify(given)}`, {
      questions: arithmetic,
      families: {
        worker: (call) => {
          if (call.chance('fails') < fails) return { text: '', finish: 'error' };
          return call.chance('right') < p ? 'right' : 'wrong';
        },
        judge: chooser(given),
      },
      agent: (model) =>
        mapReduce(
          {
            split: (input: string) => Array.from({ length: n }, () => input),
            worker: zeroShot(seat(model, 'worker')) as Agent<string, string>,
            join: seat(model, 'judge'),
          },
          { maxWorkers: n, quorum },
        ),
      isRight: (_item, answer) => answer === 'right',
    }),
    baseline: askedOnce(arithmetic, (1 - fails) * p),
    expected: () =>
      exactly((flip) => {
        const results = Array.from({ length: n }, () => !flip(fails)).filter(Boolean);
        const isThere = results.map(() => flip(p)).includes(true);
        if (results.length < quorum) return { value: false, calls: n };
        const calls = flip(malformed) ? (flip(malformed) ? 0 : 2) : 1;
        return { value: calls > 0 && isThere && flip(sees), calls: n + (calls === 0 ? 2 : calls) };
      }),
    expectedBaseline: onceExpected((1 - fails) * p),
  };
};

export const joins: readonly Claim[] = [
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
  {
    ...readingClaim({ pages: 4, maxWorkers: 3, quorum: 2, p: 0.9, fails: 0.3 }),
    id: 'O4-pages',
    side: 'holds',
    says: 'Four pages and three workers, of which two have to deliver: each reads its own page, what they read stands in the order of the pages, and the fourth page is a gap.',
  },
  {
    ...readingClaim({ pages: 4, maxWorkers: 3, quorum: 'all', p: 0.9, fails: 0 }),
    id: 'O4-too-many',
    side: 'loses',
    says: 'All of four pages are needed, and three workers are allowed: nothing is joined.',
  },
  {
    ...choosingClaim({ workers: 3, p: 0.4, fails: 0.3, quorum: 2, sees: 0.8, malformed: 0.2 }),
    id: 'O4-chosen',
    side: 'gains',
    says: 'A judge that sees the right one of three results in 80%, and whose replies cannot be read in 20%.',
  },
];
