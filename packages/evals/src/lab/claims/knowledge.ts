import { type Agent, done, type Embedder } from 'flyball';
import { fromBundle, rag, withQueryRewriting, zeroShot } from 'flyball/patterns';
import { itemOf, onceExpected, seat, solving } from '../arms.js';
import type { Arm, Claim } from '../claim.js';
import { always, chanceOf, meanChance } from '../exactly.js';
import { draw, type Family } from '../simulated.js';
import { files } from '../worlds/files.js';
import { rfcs } from '../worlds/rfc.js';

/** Counts words into a few buckets: real code, and good enough to be found by. */
export const embedder: Embedder = {
  id: 'words/64',
  dimensions: 64,
  embed: async (texts: readonly string[]) =>
    texts.map((text) => {
      const vector = new Array<number>(64).fill(0);
      for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
        const at = Math.floor(draw('embedder', word) * 64);
        vector[at] = (vector[at] ?? 0) + 1;
      }
      const length = Math.hypot(...vector) || 1;
      return Float32Array.from(vector, (value) => value / length);
    }),
} as unknown as Embedder;

interface Reading {
  /** Right where the passage is there, and right by itself. */
  readonly reads: number;
  readonly knows: number;
  /** Whether the documents hold the answers at all. */
  readonly covered: 'all' | 'none';
}

const HELD = rfcs.documents;
const OTHERS = Array.from({ length: 12 }, (_none, n) => ({
  source: `memo${n}.txt`,
  text: files.page(n, n).slice(0, 300),
}));
const libraryOf = ({ covered }: Reading) => (covered === 'all' ? HELD : OTHERS);

const answersFrom =
  ({ reads, knows }: Reading): Family =>
  (call) => {
    const number = [...call.text.matchAll(/\[(\d+)\][^\n]*\n?[\s\S]*?(?=\n\[|$)/g)].find(([passage]) =>
      passage.includes(rfcs.fact(call.item)),
    )?.[1];
    if (call.text.includes('The documents') && !call.text.includes(rfcs.fact(call.item))) return 'NOT_COVERED';
    const able = call.text.includes('The documents') ? reads : knows;
    const answer = call.chance('answer') < able ? rfcs.truth(call.item) : rfcs.wrong(call.item, 0);
    return number === undefined ? answer : `${answer} [${number}]`;
  };

const isNamed = (item: number, answer: unknown): boolean =>
  String((answer as { readonly text?: unknown } | undefined)?.text ?? answer).startsWith(rfcs.truth(item));

async function ragFor(given: Reading, model: Parameters<typeof seat>[0]) {
  const library = rag({ embedder, answerer: seat(model, 'answerer') }, { limit: 3 });
  await library.ingest(libraryOf(given));
  return library;
}

function lookingUp(given: Reading): Arm {
  return solving(`K1 ${JSON.stringify(given)}`, {
    questions: rfcs,
    families: { answerer: answersFrom(given) },
    agent: async (model) => (await ragFor(given, model)).answer,
    isRight: isNamed,
  });
}

/** Recall by running the search, against the planted truth. */
async function recallOf(given: Reading, items: number, query: (item: number) => string): Promise<readonly boolean[]> {
  const library = await ragFor(given, NOBODY);
  const found: boolean[] = [];
  for (let item = 0; item < items; item++) {
    const pieces = await library.retrieve(query(item), { limit: 3, signal: new AbortController().signal });
    found.push(pieces.some(({ text }) => text.includes(rfcs.fact(item))));
  }
  return found;
}
/** A model that nobody asks. */
export const NOBODY = {
  id: 'nobody',
  capabilities: { window: 1, maxOutputTokens: 1, tools: false, structuredOutput: false, promptCache: false },
} as unknown as Parameters<typeof seat>[0];

const lookingUpClaim = (given: Reading): Omit<Claim, 'id' | 'side' | 'says'> => ({
  pattern: 'K1',
  world: 'W5',
  family: 'F4, F10',
  parameters: { ...given, limit: 3 },
  formula: 'recall@k against the planted truth, times p of the reader',
  arm: lookingUp(given),
  baseline: solving(`S1 rfc ${given.knows}`, {
    questions: rfcs,
    families: { answerer: answersFrom(given) },
    agent: (model) => zeroShot(seat(model, 'answerer')) as Agent<string, string>,
    isRight: isNamed,
  }),
  expected: async (items) => {
    const recall = await recallOf(given, items, rfcs.ask);
    return { value: meanChance(recall.map((found) => (found ? given.reads : 0))), calls: always(1) };
  },
  expectedBaseline: onceExpected(given.knows),
});

interface Rewriting {
  /** Probability that the rewriter names what the question leans on. */
  readonly names: number;
  /** The question already says all. */
  readonly isPlain: boolean;
}

const saidBefore = (item: number): string => `We talked about RFC ${rfcs.old(item)}.`;
const vague = (item: number): string => `${rfcs.ask(item).slice(0, 12)} and which one replaced it?`;

function rewritten(given: Rewriting, how: 'rewritten' | 'as asked'): Arm {
  return solving(`K2 ${how} ${JSON.stringify(given)}`, {
    questions: { ...rfcs, ask: given.isPlain ? rfcs.ask : vague },
    families: {
      rewriter: (call) => {
        const isTold = given.isPlain || call.text.includes(saidBefore(call.item)); // else it cannot know what is meant
        return isTold && call.chance('names') < given.names ? rfcs.ask(call.item) : 'which one replaced it?';
      },
      answerer: () => '',
    },
    agent: async (model): Promise<Agent<string, boolean>> => {
      const library = await ragFor({ reads: 1, knows: 0, covered: 'all' }, model);
      const search = withQueryRewriting(library, { rewriter: seat(model, 'rewriter') }, { how: 'rewrite', limit: 3 });
      return async (run, question) => {
        const item = itemOf(question);
        if (how === 'rewritten') {
          const found = await search(run, { text: question, turns: [saidBefore(item)] });
          return done('value' in found && found.value.some(({ text }) => text.includes(rfcs.fact(item))));
        }
        const pieces = await run.step(
          'retrieve',
          question,
          (given) => library.retrieve(given, { limit: 3, signal: run.signal }),
          'pure',
        );
        return done(pieces.some(({ text }) => text.includes(rfcs.fact(item))));
      };
    },
    isRight: (_item, answer) => answer === true,
  });
}

const rewrittenClaim = (given: Rewriting): Omit<Claim, 'id' | 'side' | 'says'> => {
  const all: Reading = { reads: 1, knows: 0, covered: 'all' };
  const asked = given.isPlain ? rfcs.ask : vague;
  return {
    pattern: 'K2',
    world: 'W5',
    family: 'F10',
    parameters: { names: given.names, question: given.isPlain ? 'complete' : 'leans on earlier turns' },
    formula: 'q · recall(rewritten) + (1 - q) · recall(reply that names nothing)',
    arm: rewritten(given, 'rewritten'),
    baseline: rewritten(given, 'as asked'),
    expected: async (items) => {
      const better = await recallOf(all, items, rfcs.ask);
      // a reply that lost a number of the question is dropped, and the question searched for as it is
      const other = await recallOf(all, items, given.isPlain ? rfcs.ask : () => 'which one replaced it?');
      const chances = better.map(
        (found, item) => given.names * Number(found) + (1 - given.names) * Number(other[item]),
      );
      return { value: meanChance(chances), calls: always(1) };
    },
    expectedBaseline: async (items) => ({ value: meanChance((await recallOf(all, items, asked)).map(Number)) }),
  };
};

interface Bundling {
  readonly fields: number;
  readonly fails: number;
}

function bundled({ fields, fails }: Bundling): Arm {
  return solving(`K13 ${fields} ${fails}`, {
    questions: files,
    families: {
      worker: (call) =>
        call.text.includes(`field-${fields - 1}`) ? files.truth(call.item) : files.wrong(call.item, 0),
    },
    agent: (model, { seed }) => {
      const field = (n: number) =>
        ({
          name: `field-${n}`,
          source: `system ${n}`,
          shape: 'table',
          by: 'lookup',
          fetch: async ({ entity }: { readonly entity: string }) =>
            draw(seed, 'field', n, entity) < fails ? undefined : `value ${n}`,
          ttlS: 0,
          auth: ['clerk'],
          authority: 'authoritative',
          ifMissing: { action: 'halt' },
        }) as const;
      const spec = { workflow: 'halls', version: '1', fields: Array.from({ length: fields }, (_none, n) => field(n)) };
      const inner = fromBundle({ spec, worker: seat(model, 'worker') }, { roles: ['clerk'] });
      return async (run, ask) => inner(run, { entity: ask });
    },
  });
}

/** Asks for one field after the other, and goes on without what is missing. */
const oneByOne = ({ fields, fails }: Bundling): Arm =>
  solving(`one by one ${fields} ${fails}`, {
    questions: files,
    families: { worker: ({ item }) => files.truth(item) },
    agent:
      (model, { seed }): Agent<string, string> =>
      async (run, ask) => {
        let there = 0;
        for (let n = 0; n < fields; n++) {
          await run.ask(seat(model, 'worker'), `${ask} Field ${n}?`);
          if (draw(seed, 'field', n, ask) >= fails) there++;
        }
        const { text } = await run.ask(seat(model, 'worker'), ask);
        return done(there === fields ? text : '');
      },
  });

const bundledClaim = (given: Bundling): Omit<Claim, 'id' | 'side' | 'says'> => ({
  pattern: 'K13',
  world: 'W4',
  family: 'F10',
  parameters: { ...given },
  formula: '(1 - f)^k, and a call only where nothing is missing',
  arm: bundled(given),
  baseline: oneByOne(given),
  expected: () => {
    const whole = chanceOf((1 - given.fails) ** given.fields);
    return { value: whole, calls: whole };
  },
  expectedBaseline: () => ({ value: chanceOf((1 - given.fails) ** given.fields) }),
});

/** Whoever knows by itself needs none of the fields. */
const knowsAnyway: Arm = solving('S1 halls', {
  questions: files,
  families: { worker: ({ item }) => files.truth(item) },
  agent: (model) => zeroShot(seat(model, 'worker')) as Agent<string, string>,
});

export const knowledge: readonly Claim[] = [
  {
    ...lookingUpClaim({ reads: 0.9, knows: 0.2, covered: 'all' }),
    id: 'K1-covered',
    side: 'gains',
    says: 'Headers of RFCs that are searched, and a reader that uses what it is shown in 90%.',
  },
  {
    ...lookingUpClaim({ reads: 0.9, knows: 0.7, covered: 'none' }),
    id: 'K1-not-covered',
    side: 'loses',
    says: 'Documents about something else: a model that knows 70% by itself says that they do not cover it.',
  },
  {
    ...rewrittenClaim({ names: 0.8, isPlain: false }),
    id: 'K2-follow-up',
    side: 'gains',
    says: 'Questions that lean on what was said before, and a rewriter that names it in 80%.',
  },
  {
    ...rewrittenClaim({ names: 0.8, isPlain: true }),
    id: 'K2-complete',
    side: 'loses',
    says: 'Questions that already find what they need: a call for nothing.',
  },
  {
    ...bundledClaim({ fields: 3, fails: 0.1 }),
    id: 'K13-halts',
    side: 'gains',
    says: 'Three fields that cannot be done without: as many answers as asking one by one, for at most one call.',
  },
  {
    ...bundledClaim({ fields: 3, fails: 0 }),
    id: 'K13-whole',
    side: 'gains',
    says: 'Nothing is missing: one call for four.',
  },
  {
    ...bundledClaim({ fields: 3, fails: 0.1 }),
    id: 'K13-needless',
    side: 'loses',
    says: 'A model that needs none of the fields: one that is missing ends the run for nothing.',
    baseline: knowsAnyway,
    expectedBaseline: onceExpected(1),
  },
];
