import type { Agent, Session } from 'flyball';
import { constraints, probe, shaped, withConstraints, zeroShot } from 'flyball/patterns';
import { families } from 'flyball/testing/simulated';
import { askedOnce, onceExpected, seat, solving } from '../arms.js';
import type { Arm, Claim } from '../claim.js';
import { always, chanceOf, type Expectation, exactly } from '../exactly.js';
import { plurality } from '../formulas.js';
import type { Family, SimulatedCall } from '../simulated.js';
import { arithmetic, mark } from '../worlds/arithmetic.js';
import { votingArm } from './voting.js';

const SAMPLES = 20;

/** Measures a bare instruction with twenty cases: the share of replies that fit. */
function probing(p: number): Arm {
  return solving(`S1 probe ${p}`, {
    questions: arithmetic,
    families: {
      answerer: families.judge({
        isGood: () => true,
        tpr: p,
        fpr: 0,
        says: (fits) => (fits ? 'spam' : 'I think it is spam.'),
      }),
    },
    agent: (model) =>
      probe(
        {
          answerer: seat(model, 'answerer'),
          instruction: 'Label this message spam or ham.',
          cases: Array.from({ length: SAMPLES }, (_none, n) => `message ${n}`),
          fits: (reply) => (reply === 'spam' ? true : 'structure'),
        },
        { samples: SAMPLES },
      ) as Agent<string, unknown>,
    isRight: (_item, answer) => (answer as { readonly consistency: number }).consistency,
  });
}

interface Limits {
  /** Breaches at first, and once it was told. */
  readonly breaches: number;
  readonly again: number;
  readonly retries: number;
  /** A judge reads for what no pattern finds, and is wrong about good answers this often. */
  readonly alarms?: number;
}

const NO_PRICES = {
  id: 'no-prices',
  forbid: 'Do not name a price.',
  instead: null,
  reason: 'Prices change.',
  check: { kind: 'pattern', pattern: /\d+ EUR/ },
} as const;
const JUDGED = {
  id: 'no-advice',
  forbid: 'Do not give legal advice.',
  instead: null,
  reason: 'It is not ours to give.',
} as const;

const salesman =
  ({ breaches, again }: Pick<Limits, 'breaches' | 'again'>): Family =>
  (call) => {
    const share = call.text.includes('It breaches no-prices') ? again : breaches;
    return call.chance('breach') < share ? `${mark(call.item)} costs 5 EUR.` : `${mark(call.item)}: ask our desk.`;
  };
const isClean = (_item: number, answer: unknown): boolean => typeof answer === 'string' && !answer.includes('EUR');

function limited(given: Limits): Arm {
  const { retries, alarms } = given;
  return solving(`S5 ${JSON.stringify(given)}`, {
    questions: arithmetic,
    families: {
      clerk: salesman(given),
      reader: (call: SimulatedCall) =>
        JSON.stringify({ verdicts: [{ id: JUDGED.id, breached: call.chance('alarm') < (alarms ?? 0), quote: '' }] }),
    },
    agent: (model) =>
      withConstraints(
        zeroShot(seat(model, 'clerk')) as Agent<string, string>,
        { constraints: constraints({ items: [NO_PRICES] }, { version: '1' }) },
        { maxRetries: retries },
      ),
    isRight: isClean,
  });
}

const limitedExpected = ({ breaches, again, retries }: Limits): Expectation =>
  exactly((flip) => {
    for (let tries = 1; ; tries++) {
      if (!flip(tries === 1 ? breaches : again)) return { value: true, calls: tries };
      if (tries > retries) return { value: false, calls: tries };
    }
  });

/** What leaks: a breach that gets out. */
const leaking = (arm: Arm): Arm => ({
  name: `${arm.name} leaks`,
  open: async (setting) => {
    const ready = await arm.open(setting);
    return { ...ready, score: ({ outcome }) => Number(!JSON.stringify(outcome).includes('EUR')) };
  },
});

const bareClerk = (given: Limits): Arm =>
  solving(`S1 clerk ${given.breaches}`, {
    questions: arithmetic,
    families: { clerk: salesman(given) },
    agent: (model) => zeroShot(seat(model, 'clerk')) as Agent<string, string>,
    isRight: isClean,
  });

const SCHEMA = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } as const;

interface Form {
  readonly malformed: number;
  readonly repairs: number;
}

function formed(given: Form): Arm {
  return solving(`S6 ${JSON.stringify(given)}`, {
    questions: arithmetic,
    families: { writer: formWriter(given.malformed) },
    agent: (model) =>
      zeroOr(
        shaped<{ readonly sum: number }>(seat(model, 'writer'), SCHEMA, { mode: 'json', maxRepairs: given.repairs }),
      ),
    isRight: (item, answer) =>
      (answer as { readonly sum?: number } | undefined)?.sum === Number(arithmetic.truth(item)),
  });
}

const formWriter = (malformed: number): Family =>
  families.writer({
    malformed,
    fits: ({ item }) => `{"sum":${arithmetic.truth(item)}}`,
    misfits: ({ item }) => `The sum is ${arithmetic.truth(item)}.`,
  });

/** One ask of a session, with the repairs it allows. */
const zeroOr =
  (session: Session<{ readonly sum: number }>): Agent<string, unknown> =>
  async (run, input) => ({ stop: 'done', value: (await run.ask(session, input)).value });

const bareForm = ({ malformed }: Form): Arm =>
  solving(`S1 form ${malformed}`, {
    questions: arithmetic,
    families: { writer: formWriter(malformed) },
    agent: (model) => zeroShot(seat(model, 'writer')) as Agent<string, string>,
    isRight: (item, answer) => answer === `{"sum":${arithmetic.truth(item)}}`,
  });

const formedClaim = (given: Form): Omit<Claim, 'id' | 'side' | 'says'> => ({
  pattern: 'S6',
  world: 'W1',
  family: 'F7',
  parameters: { ...given },
  formula: '1 - f^(r + 1)',
  arm: formed(given),
  baseline: bareForm(given),
  expected: () =>
    exactly((flip) => {
      for (let calls = 1; ; calls++) {
        if (!flip(given.malformed)) return { value: true, calls };
        if (calls > given.repairs) return { value: false, calls };
      }
    }),
  expectedBaseline: onceExpected(1 - given.malformed),
});

const limitedClaim = (given: Limits): Omit<Claim, 'id' | 'side' | 'says'> => ({
  pattern: 'S5',
  world: 'W7',
  family: 'F9',
  parameters: { ...given },
  formula: '1 - b · b₁^r, in 1 + b + b · b₁ + … calls',
  arm: limited(given),
  baseline: bareClerk(given),
  expected: () => limitedExpected(given),
  expectedBaseline: onceExpected(1 - given.breaches),
});

const TOLD: Limits = { breaches: 0.5, again: 0.2, retries: 2 };
const DEAF: Limits = { breaches: 1, again: 1, retries: 2 };

export const signal: readonly Claim[] = [
  {
    id: 'S1-floor',
    pattern: 'S1',
    world: 'W1',
    family: 'F1',
    parameters: { p: 0.6, wrong: 4 },
    says: 'One call is right as often as the model is; five samples that vote are right more often.',
    side: 'loses',
    formula: 'p, against P(plurality of five)',
    arm: askedOnce(arithmetic, 0.6, { wrong: 4 }),
    baseline: votingArm({ p: 0.6, wrong: 4, samples: 5 }),
    expected: onceExpected(0.6),
    expectedBaseline: () => ({ value: chanceOf(plurality(5, 0.6, 4)) }),
  },
  {
    id: 'S1-probe',
    pattern: 'S1',
    world: 'W9',
    family: 'F3',
    parameters: { fits: 0.9, samples: SAMPLES },
    says: 'Twenty cases measure the share of replies that fit, without bias.',
    side: 'holds',
    formula: 'binomial share',
    arm: probing(0.9),
    baseline: askedOnce(arithmetic, 0.9),
    expected: () => ({ value: { mean: 0.9, variance: (0.9 * 0.1) / SAMPLES }, calls: always(SAMPLES) }),
    expectedBaseline: onceExpected(0.9),
    weight: 10,
  },
  {
    ...limitedClaim(TOLD),
    id: 'S5-told',
    side: 'gains',
    says: 'A model that breaches in 50% and in 20% once it was told.',
  },
  {
    ...limitedClaim(TOLD),
    id: 'S5-leaks',
    side: 'holds',
    says: 'No breach gets out, however often the model breaches. Scores are outcomes without one.',
    formula: '1, by code',
    arm: leaking(limited(TOLD)),
    baseline: leaking(bareClerk(TOLD)),
    expected: () => ({ ...limitedExpected(TOLD), value: always(1) }),
    expectedBaseline: () => ({ value: chanceOf(1 - TOLD.breaches) }),
  },
  {
    ...limitedClaim(DEAF),
    id: 'S5-deaf',
    side: 'loses',
    says: 'A model that always breaches: three calls, and no answer.',
  },
  {
    ...formedClaim({ malformed: 0.3, repairs: 1 }),
    id: 'S6-repairs',
    side: 'gains',
    says: 'A form that 30% of the replies miss, and one repair.',
  },
  {
    ...formedClaim({ malformed: 1, repairs: 1 }),
    id: 'S6-never',
    side: 'loses',
    says: 'A model that never fills it in: the repair is paid for nothing.',
  },
];
