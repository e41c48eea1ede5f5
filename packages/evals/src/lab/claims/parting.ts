import { type Agent, degraded, done } from 'flyball';
import { rag, selfConsistency, selfRefine, withQueryRewriting, zeroShot } from 'flyball/patterns';
import { itemOf, seat, solving } from '../arms.js';
import type { Claim } from '../claim.js';
import { always, chanceOf, type Expectation, exactly, meanChance } from '../exactly.js';
import type { Family } from '../simulated.js';
import { arithmetic, mark } from '../worlds/arithmetic.js';
import { draftOf, PARTS, type Parts, partNamedIn, partsOf, problemIn, shareOf } from '../worlds/parts.js';
import { asGoodAsItSays, drafted, draftedExpected, draftedOnce } from './drafts.js';
import { held } from './held.js';
import { embedder, NOBODY } from './knowledge.js';

interface Mending {
  /** Probability that one part of the first draft is right, and that a named one is mended. */
  readonly p: number;
  readonly mends: number;
  /** Share of critiques that cannot be read. */
  readonly mumbles: number;
  readonly rounds: number;
}

const RESULT = /<result>\n([\s\S]*?)\n<\/result>/;
const resultIn = (text: string): Parts => partsOf(RESULT.exec(text)?.[1] ?? '');

/** Names the first part that is not right, in words that cannot be read now and then. */
const finder =
  ({ mumbles }: Mending): Family =>
  (call) => {
    const problem = problemIn(resultIn(call.text));
    if (problem === undefined) return 'DONE';
    return call.chance('mumbles') < mumbles
      ? 'There is something.'
      : JSON.stringify({ issues: [{ text: problem, severity: 'high' }] });
  };

/** Needs the result: without it all parts are lost. */
const mender =
  ({ mends }: Mending): Family =>
  (call) => {
    const now = [...resultIn(call.text)];
    const at = partNamedIn(call.text);
    if (at >= 0 && call.chance('mends') < mends) now[at] = true;
    return draftOf(now);
  };

const refined = (given: Mending) =>
  solving(`R8 parts ${JSON.stringify(given)}`, {
    questions: arithmetic,
    families: { writer: drafted(given.p), critic: finder(given), reviser: mender(given) },
    agent: (model) =>
      selfRefine(
        zeroShot(seat(model, 'writer')) as Agent<string, string>,
        { critic: seat(model, 'critic'), reviser: seat(model, 'reviser') },
        { maxRounds: given.rounds },
      ),
    isRight: asGoodAsItSays,
  });

/** A critique that cannot be read is asked for once more; a second one ends it with what there is. */
const refinedExpected = ({ p, mends, mumbles, rounds }: Mending): Expectation =>
  exactly((flip) => {
    const draft = Array.from({ length: PARTS }, () => flip(p));
    let calls = 1;
    for (let round = 1; round <= rounds; round++) {
      calls++;
      const at = draft.indexOf(false);
      if (at < 0) return { value: 1, calls };
      if (flip(mumbles)) {
        calls++;
        if (flip(mumbles)) return { value: shareOf(draft), calls };
      }
      calls++;
      draft[at] = flip(mends);
    }
    return { value: shareOf(draft), calls };
  });

const R8: Mending = { p: 0.5, mends: 0.6, mumbles: 0.3, rounds: 2 };

const GUESSES = { samples: 5, p: 0.6, guesses: 0.5 };
const GUESS = 'guess: ';

/** Half of the samples guess, wrong and always the same: they are not sure, and have no vote. */
const guessing = solving('R17 guesses', {
  questions: arithmetic,
  families: {
    solver: (call) => {
      if (call.chance('guesses') < GUESSES.guesses) return `${GUESS}${arithmetic.wrong(call.item, 0)}`;
      return call.chance('right') < GUESSES.p ? arithmetic.truth(call.item) : arithmetic.wrong(call.item, 0);
    },
  },
  agent: (model) => {
    const solver = zeroShot(seat(model, 'solver')) as Agent<string, string>;
    const honest: Agent<string, string> = async (run, ask) => {
      const made = await solver(run, ask);
      if (made.stop !== 'done' || !made.value.startsWith(GUESS)) return made;
      return degraded(made.value.slice(GUESS.length), 'it is a guess');
    };
    return selfConsistency(honest, {}, { samples: GUESSES.samples });
  },
});

const guessingExpected = (): Expectation =>
  exactly((flip) => {
    const votes: boolean[] = [];
    for (let n = 0; n < GUESSES.samples; n++) if (!flip(GUESSES.guesses)) votes.push(flip(GUESSES.p));
    const right = votes.filter(Boolean).length;
    const isTie = 2 * right === votes.length; // the first of equals
    return { value: isTie ? votes[0] === true : 2 * right > votes.length, calls: GUESSES.samples };
  });

const TOPICS = 12;
const topicOf = (item: number): string => `machine${item % TOPICS}`;
const halves = (item: number): readonly string[] => [
  `The key of ${topicOf(item)} has the left half l${item % TOPICS}q.`,
  `The lock of ${topicOf(item)} has the right half r${item % TOPICS}q.`,
];
/** Says more words of a question than what answers it. */
const decoy = (item: number): string =>
  `Which key and which lock? The key of ${topicOf(item)} and the lock of ${topicOf(item)} were asked for by many.`;
const LIBRARY = Array.from({ length: TOPICS }, (_none, item) =>
  [...halves(item), decoy(item)].map((text, n) => ({ source: `${topicOf(item)}-${n}.txt`, text })),
).flat();

const library = {
  ask: (item: number) => `${mark(item)}: which key and which lock has ${topicOf(item)}?`,
  truth: (item: number) => `l${item % TOPICS}q r${item % TOPICS}q`,
  wrong: (item: number, n: number) => `none ${item} ${n}`,
};

const isWhole = (item: number, text: string): boolean => halves(item).every((half) => text.includes(half));
const cites =
  (share: number): Family =>
  (call) => {
    if (!isWhole(call.item, call.text)) return 'NOT_COVERED';
    return `${library.truth(call.item)} [${call.chance('cites') < share ? 99 : 1}]`;
  };

const searched = (name: string, { misquotes = 0, limit = 3, rates }: Searched) =>
  solving(name, {
    questions: library,
    families: { answerer: cites(misquotes) },
    agent: async (model) => {
      const reranker = async (query: string, { text }: { readonly text: string }) => {
        const topic = /machine\d+/.exec(query)?.[0] ?? '';
        return / half /.test(text) && text.includes(`${topic} `) ? 9 : 0;
      };
      const parts = { embedder, answerer: seat(model, 'answerer'), ...(rates === true ? { reranker } : {}) };
      const documents = rag(parts, { limit, candidates: LIBRARY.length });
      await documents.ingest(LIBRARY);
      return documents.answer;
    },
    isRight: (item, answer, { outcome }) =>
      outcome.stop === 'done' && String((answer as { readonly text?: unknown }).text).startsWith(library.truth(item)),
  });

interface Searched {
  /** Share of answers that cite what was never shown. */
  readonly misquotes?: number;
  readonly limit?: number;
  /** Pieces are rated by code before they are shown. */
  readonly rates?: true;
}

const MISQUOTES = 0.3;
const NAMES = 0.8;
const LIMIT = 2;

const both = (item: number): readonly string[] =>
  ['alpha', 'beta'].map((name) => `The code of ${name}${item % TOPICS} is ${name}${item % TOPICS}q.`);
const questions = {
  ...library,
  ask: (item: number) => `${mark(item)}: what are the codes of alpha${item % TOPICS} and of beta${item % TOPICS}?`,
};
const keysOf = (item: number): readonly string[] =>
  ['alpha', 'beta'].map((name) => `${mark(item)}: what is the code of ${name}${item % TOPICS}?`);

async function codes(answerer: Parameters<typeof rag>[0]['answerer']) {
  const documents = rag({ embedder, answerer });
  const all = Array.from({ length: TOPICS }, (_none, item) => both(item)).flat();
  await documents.ingest(all.map((text, n) => ({ source: `code${n}.txt`, text })));
  return documents;
}

/** A question of two, which are searched for one by one; where a half was lost, as it was asked. */
const divided = solving('K2 parts', {
  questions,
  families: {
    rewriter: (call) =>
      keysOf(call.item)
        .slice(0, call.chance('names') < NAMES ? 2 : 1)
        .join('\n'),
  },
  agent: async (model): Promise<Agent<string, boolean>> => {
    const parts = { rewriter: seat(model, 'rewriter') };
    const search = withQueryRewriting(await codes(seat(model, 'answerer')), parts, {
      how: 'multi',
      keys: 2,
      limit: LIMIT,
    });
    return async (run, ask) => {
      const found = await search(run, ask);
      const texts = 'value' in found ? found.value.map(({ text }) => text) : [];
      return done(both(itemOf(ask)).every((text) => texts.includes(text)));
    };
  },
  isRight: (_item, answer) => answer === true,
});

/** The two best of several lists, by the sum of 1 / (60 + place). */
function bestOf(lists: readonly (readonly string[])[]): readonly string[] {
  const sums = new Map<string, number>();
  for (const list of lists)
    for (const [at, text] of list.entries()) sums.set(text, (sums.get(text) ?? 0) + 1 / (61 + at));
  return [...sums]
    .sort(([, a], [, b]) => b - a)
    .slice(0, LIMIT)
    .map(([text]) => text);
}

/** What one key finds is what the library finds; that both are searched for, and how they are joined, is worked out here. */
async function dividedExpected(items: number): Promise<Expectation> {
  const documents = await codes(seat(NOBODY, 'answerer'));
  const { signal } = new AbortController();
  const chances: number[] = [];
  for (let item = 0; item < items; item++) {
    const found = async (key: string): Promise<readonly string[]> =>
      (await documents.retrieve(key, { limit: LIMIT, signal })).map(({ text }) => text);
    const finds = (lists: readonly (readonly string[])[]): number =>
      Number(both(item).every((half) => bestOf(lists).includes(half)));
    const divided = finds(await Promise.all(keysOf(item).map(found)));
    chances.push(NAMES * divided + (1 - NAMES) * finds([await found(questions.ask(item))]));
  }
  return { value: meanChance(chances), calls: always(1) };
}

const shown = { value: always(1), calls: always(1) };

/** Work in several parts, none of which may get lost. */
export const parts: readonly Claim[] = [
  {
    id: 'R8-parts',
    pattern: 'R8',
    world: 'W1 (drafts)',
    family: 'F2, F3',
    parameters: { ...R8, parts: PARTS },
    side: 'gains',
    says: 'A critic names one part that is not right, and 30% of its critiques cannot be read. A reviser mends it in 60% where it is shown the result.',
    formula: 'E[parts right] of a chain over rounds, ended by two critiques that cannot be read',
    arm: refined(R8),
    baseline: draftedOnce(R8.p),
    expected: () => refinedExpected(R8),
    expectedBaseline: () => draftedExpected(R8.p),
  },
  held({
    id: 'R17-guesses',
    pattern: 'R17',
    world: 'W1',
    family: 'F1',
    parameters: GUESSES,
    says: 'Half of the samples are guesses that say so, wrong and all the same: they have no vote.',
    formula: 'Σ over votes, the first of equals',
    arm: guessing,
    expected: guessingExpected,
  }),
  held({
    id: 'K1-pieces',
    pattern: 'K1',
    world: 'W5',
    family: 'F4, F10',
    parameters: { pieces: 2, limit: 3 },
    says: 'An answer that stands in two documents: both are shown.',
    formula: '1, by code',
    arm: searched('K1 pieces', {}),
    expected: () => shown,
    weight: 2,
  }),
  held({
    id: 'K1-rated',
    pattern: 'K1',
    world: 'W5',
    family: 'F4, F10',
    parameters: { pieces: 2, limit: 2 },
    says: 'A third document says more words of the question: code rates what was found, and the two that answer it are shown.',
    formula: '1, by code',
    arm: searched('K1 rated', { limit: 2, rates: true }),
    expected: () => shown,
    weight: 2,
  }),
  held({
    id: 'K1-cites',
    pattern: 'K1',
    world: 'W5',
    family: 'F4, F10',
    parameters: { misquotes: MISQUOTES },
    says: 'An answer that cites what was never shown does not get out. 30% do.',
    formula: '1 - m',
    arm: searched('K1 cites', { misquotes: MISQUOTES }),
    expected: () => ({ value: chanceOf(1 - MISQUOTES), calls: always(1) }),
    weight: 2,
  }),
  held({
    id: 'K2-parts',
    pattern: 'K2',
    world: 'W5',
    family: 'F10',
    parameters: { names: NAMES, keys: 2 },
    says: 'A question of two, and a rewriter that divides it in 80% and else loses a half: each half is searched for, or the question as it was asked.',
    formula: 'q · recall of both by two keys + (1 - q) · by the question',
    arm: divided,
    expected: dividedExpected,
    weight: 2,
  }),
];
