import { type Agent, done } from 'flyball';
import { adaptiveRag } from 'flyball/patterns';
import { families } from 'flyball/testing/simulated';
import { itemOf, seat, solving } from '../arms.js';
import type { Arm, ArmSetting, Claim } from '../claim.js';
import { chanceOf, type Expectation, exactly } from '../exactly.js';
import type { Family, SimulatedCall } from '../simulated.js';
import { files } from '../worlds/files.js';

interface Gating {
  /** Share of questions that need no documents. */
  readonly direct: number;
  /** How often the gate is right. */
  readonly gate: number;
  readonly recall: number;
}

function gated(given: Gating): Arm {
  const { direct, gate } = given;
  const isDirect = (call: SimulatedCall): boolean => call.shared('direct') < direct;
  const judged =
    (says: readonly [string, string], isGood: (call: SimulatedCall) => boolean): Family =>
    (call) =>
      says[isGood(call) ? 0 : 1];
  return solving(`K5 ${JSON.stringify(given)}`, {
    questions: files,
    families: {
      classifier: (call) => (call.chance('gate') < gate === isDirect(call) ? 'DIRECT' : 'RETRIEVE'),
      scorer: judged(['PASS', 'FAIL'], (call) => call.text.includes(files.fact(call.item))),
      checker: () => 'SUPPORTED',
      rewriter: ({ item }) => `${files.ask(item)} again`,
      answerer: (call) =>
        isDirect(call) || call.text.includes(files.fact(call.item))
          ? files.truth(call.item)
          : files.wrong(call.item, 0),
    },
    agent: (model, { seed }: ArmSetting) =>
      adaptiveRag({
        lookup: families.retriever({ seed, recall: given.recall, right: files.fact }),
        classifier: seat(model, 'classifier'),
        scorer: seat(model, 'scorer'),
        checker: seat(model, 'checker'),
        rewriter: seat(model, 'rewriter'),
        answerer: seat(model, 'answerer'),
      }),
    isRight: (item, answer) => (answer as { readonly text?: string } | undefined)?.text === files.truth(item),
  });
}

/** Two searches: as asked, and with a better query. What is not found is not answered. */
const gatedExpected = ({ direct, gate, recall }: Gating): Expectation =>
  exactly((flip) => {
    const isDirect = flip(direct);
    const isRight = flip(gate);
    if (isRight === isDirect) return { value: isDirect, calls: 2 };
    if (flip(recall)) return { value: true, calls: 4 };
    return flip(recall) ? { value: true, calls: 6 } : { value: false, calls: 4 };
  });

const alwaysLooks = ({ recall }: Gating): Arm =>
  solving(`always RAG ${recall}`, {
    questions: files,
    families: {},
    agent: (_model, { seed }): Agent<string, boolean> => {
      const lookup = families.retriever({ seed, recall, right: files.fact });
      return async (run, question) => {
        const found = await run.step(
          'retrieve',
          question,
          (given) => lookup.retrieve(given, { limit: 3, signal: run.signal }),
          'pure',
        );
        return done(found.some(({ text }) => text === files.fact(itemOf(question))));
      };
    },
    isRight: (_item, answer) => answer === true,
  });

const gatedClaim = (given: Gating): Omit<Claim, 'id' | 'side' | 'says'> => ({
  pattern: 'K5',
  world: 'W4',
  family: 'F8, F10',
  parameters: { ...given },
  formula: 'calls 2 where the gate says direct, 4 where the first search finds it, 6 where the second does',
  arm: gated(given),
  baseline: alwaysLooks(given),
  expected: () => gatedExpected(given),
  expectedBaseline: () => ({ value: chanceOf(given.recall) }),
});

interface Caring {
  readonly direct: number;
  readonly gate: number;
  /** Share of replies of the gate that are not one of its two words. */
  readonly mumbles: number;
  /** Of a search, and of the other source that is asked last. */
  readonly recall: number;
  readonly other: number;
  /** How often a judge passes what is good, and what is not: of documents, and of answers. */
  readonly tpr: number;
  readonly fpr: number;
  /** Share of answers that claim more than the documents say. */
  readonly claims: number;
  /** Probability that the revision does not. */
  readonly mends: number;
  readonly rounds: number;
  /** What is measured: answers that are right, where no answer counts one half, or answers that say they are grounded. */
  readonly counts: 'right' | 'grounded';
  readonly whenNotFound: 'abstain' | 'answer-anyway';
}

const LIMIT = 2;
const documentsIn = (text: string): number => text.split('<document number=').length - 1;
const codeIn = (text: string): string | undefined => /hall \d+ is (c\d+)\./.exec(text)?.[1];

/** Answers from the documents; more of them than were asked for confuse it. */
const answering =
  ({ claims, mends }: Caring, isDirect: (call: SimulatedCall) => boolean): Family =>
  (call) => {
    if (documentsIn(call.text) === 0) return isDirect(call) ? files.truth(call.item) : files.wrong(call.item, 0);
    if (!call.text.includes(files.fact(call.item)) || documentsIn(call.text) > LIMIT) return files.wrong(call.item, 0);
    const isRevision = call.text.includes('The answer:\n');
    const isPlain = call.chance('plain') < (isRevision ? mends : 1 - claims);
    return isPlain ? files.truth(call.item) : `${files.truth(call.item)}, and all others too`;
  };

const worth = { right: 1, none: 0.5, wrong: 0 } as const;

function measuredIn(counts: Caring['counts'], item: number, answer: unknown): number {
  const { text, grounded } = (answer ?? {}) as { readonly text?: string; readonly grounded?: boolean };
  if (counts === 'grounded') return grounded === true ? 1 : 0;
  return worth[text === undefined ? 'none' : text === files.truth(item) ? 'right' : 'wrong'];
}

function caringArm(given: Caring): Arm {
  const { direct, gate, mumbles, recall, other, tpr, fpr, rounds, counts, whenNotFound } = given;
  const isDirect = (call: SimulatedCall): boolean => call.shared('direct') < direct;
  return solving(`K5 caring ${JSON.stringify(given)}`, {
    questions: files,
    families: {
      classifier: (call) => {
        if (call.chance('mumbles') < mumbles) return 'It may well be DIRECT';
        return call.chance('gate') < gate === isDirect(call) ? 'DIRECT' : 'RETRIEVE';
      },
      scorer: families.judge({
        isGood: (call) => call.text.includes(files.fact(call.item)),
        tpr,
        fpr,
        says: (passes) => (passes ? 'PASS' : 'FAIL'),
      }),
      // it is not shown the question: what it knows of the item is what it reads
      checker: families.judge({
        isGood: ({ text }) => /The answer:\n(.*)/.exec(text)?.[1] === codeIn(text),
        tpr,
        fpr,
        says: (passes) => (passes ? 'SUPPORTED' : 'UNSUPPORTED'),
      }),
      rewriter: ({ item }) => `${files.ask(item)} again`,
      answerer: answering(given, isDirect),
    },
    agent: (model, { seed }: ArmSetting) =>
      adaptiveRag(
        {
          lookup: families.retriever({ seed, recall, right: files.fact }),
          fallbacks: [families.retriever({ seed: `${seed} other`, recall: other, right: files.fact })],
          classifier: seat(model, 'classifier'),
          scorer: seat(model, 'scorer'),
          checker: seat(model, 'checker'),
          rewriter: seat(model, 'rewriter'),
          answerer: seat(model, 'answerer'),
        },
        { maxRounds: rounds, limit: LIMIT, whenNotFound },
      ),
    isRight: (item, answer) => measuredIn(counts, item, answer),
  });
}

/** What cannot be read counts as the careful word, and nobody claims that a revision is grounded. */
const caringExpected = (given: Caring): Expectation =>
  exactly((flip) => {
    const { direct, gate, mumbles, recall, other, tpr, fpr, claims, mends, rounds, counts, whenNotFound } = given;
    const ends = (text: keyof typeof worth, isGrounded: boolean, calls: number) => ({
      value: counts === 'grounded' ? isGrounded : worth[text],
      calls,
    });
    const rightIf = (isRight: boolean): keyof typeof worth => (isRight ? 'right' : 'wrong');
    const isDirect = flip(direct);
    if (!flip(mumbles) && flip(gate) === isDirect) return ends(rightIf(isDirect), false, 2);
    let calls = 1;
    let [isFound, isPassed] = [false, false];
    for (let round = 0; round < Math.min(rounds, 3) && !isPassed; round++) {
      isFound = flip(round < 2 ? recall : other);
      isPassed = flip(isFound ? tpr : fpr);
      calls += round === 1 ? 2 : 1;
    }
    if (!isPassed && whenNotFound === 'abstain') return ends('none', false, calls);
    const isGood = isFound && !flip(claims);
    calls += 2;
    if (flip(isGood ? tpr : fpr)) return ends(rightIf(isGood), isPassed, calls);
    return ends(rightIf(isFound && flip(mends)), false, calls + 1);
  });

const caringClaim = (given: Caring): Omit<Claim, 'id' | 'says'> => ({
  pattern: 'K5',
  world: 'W4',
  family: 'F3, F8, F10',
  parameters: { ...given },
  side: 'holds',
  formula: 'chain over gate, searches, verdicts and one revision',
  arm: caringArm(given),
  baseline: alwaysLooks({ direct: given.direct, gate: given.gate, recall: given.recall }),
  expected: () => caringExpected(given),
  expectedBaseline: () => ({ value: chanceOf(given.recall) }),
});

const CARING: Caring = {
  direct: 0.2,
  gate: 0.9,
  mumbles: 0.2,
  recall: 0.25,
  other: 0.5,
  tpr: 0.85,
  fpr: 0.15,
  claims: 0.4,
  mends: 0.8,
  rounds: 3,
  counts: 'right',
  whenNotFound: 'abstain',
};

export const adaptive: readonly Claim[] = [
  {
    ...gatedClaim({ direct: 0.4, gate: 0.9, recall: 0.7 }),
    id: 'K5-gate',
    side: 'gains',
    says: '40% of the questions need no documents, and the gate sees it in 90%.',
  },
  {
    ...gatedClaim({ direct: 0, gate: 1, recall: 1 }),
    id: 'K5-no-direct',
    side: 'loses',
    says: 'Every question needs the documents and they are good: four calls for what none would have found.',
  },
  {
    ...caringClaim(CARING),
    id: 'K5-careful',
    says: 'A gate that mumbles in 20%, judges that err in 15%, another source behind two searches, and answers that claim too much in 40%.',
  },
  {
    ...caringClaim({ ...CARING, counts: 'grounded' }),
    id: 'K5-grounded',
    says: 'The same, measured by how often it says that its answer is grounded.',
  },
  {
    ...caringClaim({
      ...CARING,
      rounds: 1,
      recall: 0.5,
      tpr: 0.7,
      fpr: 0.3,
      counts: 'grounded',
      whenNotFound: 'answer-anyway',
    }),
    id: 'K5-anyway',
    says: 'One search, judges that err in 30%, and an answer that does not say that it is grounded where nothing good enough was found.',
  },
];
