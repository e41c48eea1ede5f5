import type { Agent } from 'flyball';
import { withReviewers, zeroShot } from 'flyball/patterns';
import { families } from 'flyball/testing/simulated';
import { onceExpected, seat, solving } from '../arms.js';
import type { Arm, Claim } from '../claim.js';
import { type Expectation, exactly } from '../exactly.js';
import type { Family } from '../simulated.js';
import { arithmetic, mark } from '../worlds/arithmetic.js';

interface Reviewing {
  readonly faulty: number;
  readonly finds: number;
  readonly alarms: number;
  readonly mends: number;
  readonly rounds: number;
}

const LENSES = ['security', 'speed'] as const;
const stateOf = (lens: string, text: string): string => new RegExp(`${lens}=(ok|bad)`).exec(text)?.[1] ?? 'ok';
const statesOf = (item: number, states: readonly string[]): string =>
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
    return statesOf(call.item, mended);
  };
  return solving(`O9 ${JSON.stringify(given)}`, {
    questions: arithmetic,
    families: {
      writer: (call) =>
        statesOf(
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
          statesOf(
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

interface Weighing {
  /** Probability that the first draft is safe; else it is mixed, and both reviewers want the opposite of each other. */
  readonly p: number;
  /** Probability that the review of security does not come. */
  readonly fails: number;
  /** Probability that the editor passes a draft and forgets what was found. */
  readonly forgets: number;
  readonly rounds: number;
}

type Mode = 'safe' | 'mixed' | 'fast';
const modeText = (item: number, mode: string): string => `${mark(item)}: mode=${mode}`;
const modeIn = (text: string): string => /mode=(\w+)/.exec(text)?.[1] ?? '';
const found = (lens: string): string => JSON.stringify({ issues: [{ text: `${lens} is not good`, lens }] });
const NOTHING = JSON.stringify({ issues: [] });

/** Names every issue, those that contradict each other as a pair; one that forgets says that all is well. */
const weigher =
  (forgets: number): Family =>
  (call) => {
    const ids = [...new Set([...call.text.matchAll(/^- ((?:security|speed)-1)/gm)].map(([, id = '']) => id))];
    const isWell = ids.length === 0 || call.chance('forgets') < forgets;
    const isPair = ids.length === 2;
    return JSON.stringify({
      verdict: isWell ? 'PASS' : 'FAIL',
      ranked: isWell || isPair ? [] : ids,
      contradictions: !isWell && isPair ? [['speed-1', 'security-1']] : [],
      dismissed: [],
      brief: '',
    });
  };

const modeWriter =
  (p: number): Family =>
  (call) =>
    modeText(call.item, call.chance('mode') < p ? 'safe' : 'mixed');

const weighingArm = (given: Weighing): Arm =>
  solving(`O9 weighing ${JSON.stringify(given)}`, {
    questions: arithmetic,
    families: {
      writer: modeWriter(given.p),
      security: (call) => {
        if (call.chance('fails') < given.fails) return { text: '', finish: 'error' };
        return modeIn(call.text) === 'safe' ? NOTHING : found('security');
      },
      speed: (call) => (modeIn(call.text) === 'mixed' ? found('speed') : NOTHING),
      editor: weigher(given.forgets),
      // does what stands first
      reviser: (call) => {
        const first = /^1\. (security|speed)-1/m.exec(call.text)?.[1];
        const next = first === undefined ? modeIn(call.text) : first === 'security' ? 'safe' : 'fast';
        return modeText(call.item, next);
      },
    },
    agent: (model) =>
      withReviewers(
        zeroShot(seat(model, 'writer')) as Agent<string, string>,
        {
          reviewers: { speed: seat(model, 'speed'), security: seat(model, 'security') },
          editor: seat(model, 'editor'),
          reviser: seat(model, 'reviser'),
        },
        { precedence: ['security', 'speed'], mandatory: ['security'], maxRounds: given.rounds },
      ),
    isRight: (_item, answer, { outcome }) =>
      modeIn(String(answer)) !== 'safe' ? 0 : outcome.stop === 'done' ? 1 : 0.75,
  });

/** An editor that has forgotten something is asked again, and after that what was found is the brief. */
const weighingExpected = ({ p, fails, forgets, rounds }: Weighing): Expectation =>
  exactly((flip) => {
    let mode: Mode = flip(p) ? 'safe' : 'mixed';
    let best: { readonly mode: Mode; readonly ranked: number } | undefined;
    for (let round = 1, calls = 1; ; round++, calls++) {
      const isReviewed = !flip(fails);
      const issues: readonly string[] = [
        ...(isReviewed && mode !== 'safe' ? ['security'] : []),
        ...(mode === 'mixed' ? ['speed'] : []),
      ];
      calls += LENSES.length + 1;
      const isAskedAgain = issues.length > 0 && flip(forgets);
      if (isAskedAgain) calls++;
      const isRaw = isAskedAgain && flip(forgets);
      if (issues.length === 0 && isReviewed) return { value: 1, calls };
      const ranked = isRaw ? issues.length : Math.min(1, issues.length); // of two that contradict each other one is left
      if (best === undefined || ranked <= best.ranked) best = { mode, ranked };
      if (round === rounds) return { value: best.mode === 'safe' ? 0.75 : 0, calls };
      if (issues.length > 0) mode = issues[0] === 'security' ? 'safe' : 'fast';
    }
  });

const weighingClaim = (given: Weighing): Omit<Claim, 'id' | 'side' | 'says'> => ({
  pattern: 'O9',
  world: 'W1 (drafts)',
  family: 'F2, F3',
  parameters: { ...given },
  formula:
    'chain over drafts, missing reviews and forgotten issues; what is safe and not approved counts three quarters',
  arm: weighingArm(given),
  baseline: solving(`S1 mode ${given.p}`, {
    questions: arithmetic,
    families: { writer: modeWriter(given.p) },
    agent: (model) => zeroShot(seat(model, 'writer')) as Agent<string, string>,
    isRight: (_item, answer) => modeIn(String(answer)) === 'safe',
  }),
  expected: () => weighingExpected(given),
  expectedBaseline: onceExpected(given.p),
});

export const reviews: readonly Claim[] = [
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
  {
    ...weighingClaim({ p: 0.3, fails: 0.5, forgets: 0.3, rounds: 2 }),
    id: 'O9-weighs',
    side: 'gains',
    says: 'Security goes before speed, and nothing passes without its review, which does not come in half of the rounds. An editor forgets what was found in 30%.',
  },
];
