import type { Agent } from 'flyball';
import { reflexion, zeroShot } from 'flyball/patterns';
import { families } from 'flyball/testing/simulated';
import { askedOnce, itemOf, onceExpected, resampled, seat, solving } from '../arms.js';
import type { Arm, Claim } from '../claim.js';
import { chanceOf, type Expectation, exactly } from '../exactly.js';
import type { Family } from '../simulated.js';
import { arithmetic, game24, makes24 } from '../worlds/arithmetic.js';
import { PARTS, partsOf, problemIn, shareOf } from '../worlds/parts.js';
import { asGoodAsItSays, drafted, draftedExpected, draftedOnce } from './drafts.js';

interface Reflecting {
  readonly p: number;
  readonly helped: number;
  readonly useful: number;
  readonly attempts: number;
  /** Critiques that the next attempt reads. */
  readonly keep?: number;
}

/** Helps only where it is shown the attempt, and what the test said of this one. */
const critic =
  (useful: number): Family =>
  (call) => {
    const attempt = /<attempt>\n([\s\S]*?)\n<\/attempt>/.exec(call.text)?.[1];
    const isShown = attempt !== undefined && call.text.includes(`<test>\n${failure(attempt)}\n</test>`);
    return isShown ? families.critic({ useful })(call) : 'Try again.';
  };

const failure = (value: string): string => `It is not 24: ${value}`;

export function reflectingArm(given: Reflecting): Arm {
  return solving(`R7 ${JSON.stringify(given)}`, {
    questions: game24,
    families: {
      actor: families.improver({ questions: game24, ...given, wrong: 1_000_000 }),
      critic: critic(given.useful),
    },
    agent: (model) =>
      reflexion(
        zeroShot(seat(model, 'actor')) as Agent<string, string>,
        {
          // the checker of the game, not the solver: any right expression passes
          test: (_run, value, input) =>
            makes24(game24.hand(itemOf(input)), value) ? { ok: true } : { ok: false, because: failure(value) },
          critic: seat(model, 'critic'),
        },
        { maxAttempts: given.attempts, keep: given.keep ?? 1 },
      ),
    isRight: (item, answer) => makes24(game24.hand(item), String(answer)),
  });
}

export const reflectingExpected = ({ p, helped, useful, attempts, keep = 1 }: Reflecting): Expectation =>
  exactly((flip) => {
    let able = p;
    let critiques: readonly boolean[] = [];
    for (let attempt = 1, calls = 1; ; attempt++, calls += 2) {
      if (flip(able)) return { value: true, calls };
      if (attempt === attempts) return { value: false, calls };
      critiques = [...critiques, flip(useful)].slice(-keep);
      able = critiques.includes(true) ? helped : p;
    }
  });

const reflectingClaim = (given: Reflecting): Omit<Claim, 'id' | 'side' | 'says' | 'baseline' | 'expectedBaseline'> => ({
  pattern: 'R7',
  world: 'W1 (game of 24)',
  family: 'F2',
  parameters: { ...given },
  formula: 'absorbing chain over attempts',
  arm: reflectingArm(given),
  expected: () => reflectingExpected(given),
});

interface Trying {
  /** Probability that one part of an attempt is right. */
  readonly p: number;
  readonly attempts: number;
}

/** The critic is code, which says what the test says, and gives up where nothing of an attempt is right. */
const tryingClaim = (given: Trying): Omit<Claim, 'id' | 'side' | 'says'> => ({
  pattern: 'R7',
  world: 'W1 (drafts)',
  family: 'F2',
  parameters: { ...given, parts: PARTS },
  formula: 'E[the most parts right among all attempts], ended by one without any',
  arm: solving(`R7 parts ${JSON.stringify(given)}`, {
    questions: arithmetic,
    families: { actor: drafted(given.p) },
    agent: (model) =>
      reflexion(
        zeroShot(seat(model, 'actor')) as Agent<string, string>,
        {
          test: (_run, value) => {
            const because = problemIn(partsOf(value));
            return because === undefined ? { ok: true } : { ok: false, because, score: shareOf(partsOf(value)) };
          },
          critic: ({ value, because }) => (shareOf(partsOf(value)) === 0 ? undefined : because),
        },
        { maxAttempts: given.attempts },
      ),
    isRight: asGoodAsItSays,
  }),
  baseline: draftedOnce(given.p),
  expected: () =>
    exactly((flip) => {
      let best = 0;
      for (let attempt = 1; ; attempt++) {
        const share = shareOf(Array.from({ length: PARTS }, () => flip(given.p)));
        best = Math.max(best, share);
        if (share === 1 || share === 0 || attempt === given.attempts) return { value: best, calls: attempt };
      }
    }),
  expectedBaseline: () => draftedExpected(given.p),
});

const R7: Reflecting = { p: 0.5, helped: 0.8, useful: 0.7, attempts: 3 };
const R7_BLIND: Reflecting = { p: 0.5, helped: 0.5, useful: 0, attempts: 3 };
const R7_KEEPS: Reflecting = { p: 0, helped: 0.25, useful: 0.15, attempts: 10, keep: 2 };

export const reflections: readonly Claim[] = [
  {
    ...reflectingClaim(R7),
    id: 'R7-useful',
    side: 'gains',
    says: 'Critiques that help in 70% lift the next attempt from 50% to 80%.',
    baseline: askedOnce(game24, R7.p),
    expectedBaseline: onceExpected(R7.p),
  },
  {
    ...reflectingClaim(R7_BLIND),
    id: 'R7-useless',
    side: 'loses',
    says: 'Critiques that never help: trying again without them is as good and cheaper.',
    baseline: resampled(game24, R7_BLIND.p, R7_BLIND.attempts, (item, answer) => makes24(game24.hand(item), answer)),
    expectedBaseline: () => ({ value: chanceOf(1 - (1 - R7_BLIND.p) ** R7_BLIND.attempts) }),
  },
  {
    ...reflectingClaim(R7_KEEPS),
    id: 'R7-keeps',
    side: 'gains',
    says: 'Critiques that help in 15%, of which each of ten attempts reads the last two.',
    baseline: askedOnce(game24, R7_KEEPS.p),
    expectedBaseline: onceExpected(R7_KEEPS.p),
  },
  {
    ...tryingClaim({ p: 0.5, attempts: 3 }),
    id: 'R7-best',
    side: 'gains',
    says: 'Three attempts of three parts: where none passes, the one with most parts right is kept, and it does not pass for done.',
  },
];
