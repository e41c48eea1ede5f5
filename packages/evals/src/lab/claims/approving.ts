import { type Agent, done, type Run } from 'flyball';
import { untilApproved, zeroShot } from 'flyball/patterns';
import { families } from 'flyball/testing/simulated';
import { askedOnce, itemOf, onceExpected, seat, solving } from '../arms.js';
import type { Arm, Claim } from '../claim.js';
import { type Expectation, exactly } from '../exactly.js';
import type { Family, SimulatedCall, SimulatedModel } from '../simulated.js';
import { arithmetic, mark } from '../worlds/arithmetic.js';
import { draftOf, PARTS, type Parts, partNamedIn, partsOf, problemIn, shareOf } from '../worlds/parts.js';
import { asGoodAsItSays, drafted, draftedExpected, draftedOnce } from './drafts.js';

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

interface Mending {
  /** Probability that one part of the first draft is right. */
  readonly p: number;
  /** Whoever revises mends the part that is named with this probability, and breaks the next one with the other. */
  readonly mends: number;
  readonly breaks: number;
  readonly rounds: number;
  /** Who revises: the agent with notes, or a reviser of its own. */
  readonly reviser: 'agent' | 'own';
}

const draftIn = (text: string): string | undefined => /Your draft:\n(.*)/.exec(text)?.[1];

/** Needs its draft and what is wrong with it: without the one it begins again, without the other it changes nothing. */
const mending =
  ({ p, mends, breaks }: Mending): Family =>
  (call) => {
    const before = draftIn(call.text);
    if (before === undefined) return drafted(p)(call);
    const at = partNamedIn(call.text);
    if (at < 0) return before;
    const now = [...partsOf(before)];
    if (call.chance('mends') < mends) now[at] = true;
    if (call.chance('breaks') < breaks) now[(at + 1) % PARTS] = false;
    return draftOf(now);
  };

const ownReviser =
  (model: SimulatedModel) =>
  async (run: Run, { input, draft, because }: { input: string; draft: string; because: string }) =>
    done((await run.ask(seat(model, 'writer'), `${input}\n\nYour draft:\n${draft}\n\n${because}`)).text);

function mendingArm(given: Mending): Arm {
  return solving(`O5 parts ${JSON.stringify(given)}`, {
    questions: arithmetic,
    families: { writer: mending(given) },
    agent: (model) =>
      untilApproved(
        zeroShot(seat(model, 'writer')) as Agent<string, string>,
        {
          test: (_run, value) => {
            const because = problemIn(partsOf(value));
            return because === undefined ? { ok: true } : { ok: false, because, score: shareOf(partsOf(value)) };
          },
          ...(given.reviser === 'own' ? { reviser: ownReviser(model) } : {}),
        },
        { maxRounds: given.rounds },
      ),
    isRight: asGoodAsItSays,
  });
}

/** The draft with most parts right is kept; a revision that changes nothing ends it. */
const mendingExpected = ({ p, mends, breaks, rounds }: Mending): Expectation =>
  exactly((flip) => {
    let draft: Parts = Array.from({ length: PARTS }, () => flip(p));
    let best = shareOf(draft);
    for (let calls = 1; ; calls++) {
      if (shareOf(draft) === 1) return { value: 1, calls };
      best = Math.max(best, shareOf(draft));
      if (calls === rounds) return { value: best, calls };
      const next = [...draft];
      const at = draft.indexOf(false);
      next[at] = flip(mends);
      if (flip(breaks)) next[(at + 1) % PARTS] = false;
      if (draftOf(next) === draftOf(draft)) return { value: best, calls: calls + 1 };
      draft = next;
    }
  });

function mendingClaim(id: string, says: string, given: Mending): Claim {
  return {
    id,
    pattern: 'O5',
    world: 'W1 (drafts)',
    family: 'F2',
    parameters: { ...given, parts: PARTS },
    says,
    side: 'gains',
    formula: 'E[the most parts right among all drafts], ended by one that changes nothing',
    arm: mendingArm(given),
    baseline: draftedOnce(given.p),
    expected: () => mendingExpected(given),
    expectedBaseline: () => draftedExpected(given.p),
  };
}

export const approvals: readonly Claim[] = [
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
  mendingClaim(
    'O5-told',
    'A judge in code names one part that is not right. The agent mends it in 30% where it is shown its draft and what is wrong, and breaks another part in 70%.',
    { p: 0.6, mends: 0.3, breaks: 0.7, rounds: 6, reviser: 'agent' },
  ),
  mendingClaim('O5-reviser', 'The same with a reviser of its own, which mends 70% and breaks 30%.', {
    p: 0.5,
    mends: 0.7,
    breaks: 0.3,
    rounds: 3,
    reviser: 'own',
  }),
];
