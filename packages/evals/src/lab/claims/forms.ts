import { type Agent, done, type Outcome } from 'flyball';
import { validated, zeroShot } from 'flyball/patterns';
import { families } from 'flyball/testing/simulated';
import { saying, seat, solving } from '../arms.js';
import type { Arm, Claim } from '../claim.js';
import { chanceOf, type Expectation, exactly } from '../exactly.js';
import type { Family, SimulatedModel } from '../simulated.js';
import { arithmetic } from '../worlds/arithmetic.js';

interface Validating {
  readonly malformed: number;
  readonly retries: number;
}

function checkedForm({ malformed, retries }: Validating): Arm {
  return solving(`V20 ${malformed} ${retries}`, {
    questions: arithmetic,
    families: {
      writer: families.writer({
        malformed,
        fits: ({ item }) => `{"sum":${arithmetic.truth(item)}}`,
        misfits: (call) => `Sum ${call.chance('words')}`, // another one each time: the same twice is not paid for a third time
      }),
    },
    agent: (model) =>
      validated<string, { readonly sum: number }>(
        zeroShot(seat(model, 'writer')) as Agent<string, string>,
        { schema: sumSchema, otherwise: saying({ sum: Number.NaN }) as Agent<string, never> },
        { maxRetries: retries },
      ),
    isRight: (item, answer) =>
      (answer as { readonly sum?: number } | undefined)?.sum === Number(arithmetic.truth(item)),
  });
}

const sumSchema = {
  '~standard': {
    version: 1,
    vendor: 'lab',
    validate: (value: unknown) => {
      const { sum } = Object(value) as { readonly sum?: unknown };
      return typeof sum === 'number' ? { value: { sum } } : { issues: [{ message: 'sum is missing' }] };
    },
  },
} as const;

const validatedClaim = (given: Validating): Omit<Claim, 'id' | 'side' | 'says'> => ({
  pattern: 'V20',
  world: 'W10',
  family: 'F7',
  parameters: { ...given },
  formula: '1 - f^(r + 1)',
  arm: checkedForm(given),
  baseline: checkedForm({ ...given, retries: 0 }),
  expected: () =>
    exactly((flip) => {
      for (let calls = 1; ; calls++) {
        if (!flip(given.malformed)) return { value: true, calls };
        if (calls > given.retries) return { value: false, calls };
      }
    }),
  expectedBaseline: () => ({ value: chanceOf(1 - given.malformed) }),
});

interface Telling {
  readonly malformed: number;
  /** Probability that an answer fits once it is said what is wrong with the last one. */
  readonly mends: number;
  /** Share of answers that do not fit which are all the same. */
  readonly stubborn: number;
  readonly retries: number;
  /** Probability that whoever answers when nothing fits is right. */
  readonly otherwise: number;
  /** Who repairs: the agent with notes, or a session of its own. */
  readonly reviser: 'agent' | 'own';
}

/** Needs its answer and the problem with it: without both it answers as if for the first time. */
const teller =
  ({ malformed, mends, stubborn }: Telling): Family =>
  (call) => {
    const isTold = call.text.includes('sum is missing') && call.text.includes('{"total":');
    const fails = isTold ? 1 - mends : malformed;
    if (call.chance('malformed') >= fails) return `{"sum":${arithmetic.truth(call.item)}}`;
    return `{"total":${call.chance('stubborn') < stubborn ? 0 : call.chance('words')}}`;
  };

interface Sum {
  readonly sum: number;
}

const otherwiseOf =
  (model: SimulatedModel): Agent<string, Sum> =>
  async (run, input) =>
    done({ sum: Number((await run.ask(seat(model, 'otherwise'), input)).text) });

/** A right answer that another path gave, and says so, counts one half. */
const worthOf = (item: number, answer: unknown, outcome: Outcome<unknown>): number => {
  if ((answer as Sum | undefined)?.sum !== Number(arithmetic.truth(item))) return 0;
  return outcome.stop === 'done' ? 1 : 0.5;
};

function tellingArm(given: Telling): Arm {
  return solving(`V20 telling ${JSON.stringify(given)}`, {
    questions: arithmetic,
    families: {
      writer: teller(given),
      otherwise: families.oracle({ questions: arithmetic, p: given.otherwise }),
    },
    agent: (model) =>
      validated<string, Sum>(
        zeroShot(seat(model, 'writer')) as Agent<string, string>,
        {
          schema: sumSchema,
          otherwise: otherwiseOf(model),
          ...(given.reviser === 'own' ? { reviser: { ...seat(model, 'writer'), setup: 'You repair answers.' } } : {}),
        },
        { maxRetries: given.retries },
      ),
    isRight: (item, answer, { outcome }) => worthOf(item, answer, outcome),
  });
}

/** The same bad answer twice is not paid for a third time. */
const tellingExpected = ({ malformed, mends, stubborn, retries, otherwise }: Telling): Expectation =>
  exactly((flip) => {
    let isBad = flip(malformed);
    let wasStubborn = false;
    for (let calls = 1; ; calls++) {
      if (!isBad) return { value: 1, calls };
      const isStubborn = flip(stubborn);
      const isLast = calls > retries || (isStubborn && wasStubborn);
      if (isLast) return { value: flip(otherwise) ? 0.5 : 0, calls: calls + 1 };
      wasStubborn = isStubborn;
      isBad = !flip(mends);
    }
  });

const tellingClaim = (given: Telling): Omit<Claim, 'id' | 'says'> => ({
  pattern: 'V20',
  world: 'W10',
  family: 'F2, F7',
  parameters: { ...given },
  side: 'gains',
  formula: 'chain over answers that do not fit, ended by the same one twice; what another path answers counts one half',
  arm: tellingArm(given),
  baseline: checkedForm({ malformed: given.malformed, retries: 0 }),
  expected: () => tellingExpected(given),
  expectedBaseline: () => ({ value: chanceOf(1 - given.malformed) }),
});

const TELLING: Telling = {
  malformed: 0.8,
  mends: 0.4,
  stubborn: 0.8,
  retries: 3,
  otherwise: 0.9,
  reviser: 'agent',
};

export const forms: readonly Claim[] = [
  {
    ...validatedClaim({ malformed: 0.3, retries: 2 }),
    id: 'V20-retries',
    side: 'gains',
    says: 'Replies that do not fit in 30%, and two retries.',
  },
  {
    ...validatedClaim({ malformed: 1, retries: 2 }),
    id: 'V20-never',
    side: 'loses',
    says: 'Replies that never fit: three calls for the way out that one would have taken.',
  },
  {
    ...tellingClaim(TELLING),
    id: 'V20-told',
    says: 'Answers that do not fit in 80%, and in 60% once it is said what is wrong. Four of five bad ones are the same, and another path is right in 90%.',
  },
  {
    ...tellingClaim({ ...TELLING, retries: 2, reviser: 'own' }),
    id: 'V20-reviser',
    says: 'The same with two retries, and a session of its own that repairs.',
  },
];
