import { type Agent, done } from 'flyball';
import { defineAgent } from 'flyball/agents';
import { isolated } from 'flyball/patterns';
import { families } from 'flyball/testing/simulated';
import { tool } from 'flyball/tools';
import { askedOnce, delivered, itemOf, onceExpected, seat, solving } from '../arms.js';
import type { Arm, Claim } from '../claim.js';
import { always, type Expectation, exactly } from '../exactly.js';
import type { Family } from '../simulated.js';
import { arithmetic, mark } from '../worlds/arithmetic.js';

const CHUNK = 'x'.repeat(800);
const PARTS = 4;
const CHARS = 4;
const partText = (item: number): string => `${CHUNK} ${mark(item)}`;

/** Sub-tasks in one growing prompt, or each by itself; `needs`: share of sub-tasks whose fact stands in the part before. */
function readingArm(name: 'inline' | 'isolated', length: number, needs: number): Arm {
  const fact = (item: number): string => `FACT ${item}`;
  const needsBefore: Family = (call) => {
    const isMissing =
      call.shared(`part ${/Part (\d)/.exec(call.text)?.[1]}`) < needs && !call.text.includes(fact(call.item));
    return isMissing ? 'none' : families.reader({ questions: arithmetic, length })(call);
  };
  return solving(`O17 ${name} ${length} ${needs}`, {
    questions: arithmetic,
    families: { reader: needs === 0 ? families.reader({ questions: arithmetic, length }) : needsBefore },
    agent: (model): Agent<string, number> => {
      const sub: Agent<string, boolean> = async (run, text) =>
        done((await run.ask(seat(model, 'reader'), text)).text === arithmetic.truth(itemOf(text)));
      const alone = isolated(sub, { brief: (text: string) => text }, { slice: { of: PARTS + 1 } });
      return async (run, ask) => {
        const item = itemOf(ask);
        let before = needs === 0 ? '' : `${fact(item)} `;
        let right = 0;
        for (let part = 0; part < PARTS; part++) {
          const own = needs === 0 ? partText(item) : `Part ${part} ${partText(item)}`;
          const end = name === 'isolated' ? await alone(run, own) : await sub(run, `${before}${own}`);
          if (delivered(end) === true) right++;
          before += CHUNK;
        }
        return done(right / PARTS);
      };
    },
    isRight: (_item, answer) => Number(answer),
  });
}

function readingExpected(name: 'inline' | 'isolated', length: number, needs: number): Expectation {
  const own = partText(0).length + (needs === 0 ? 0 : 'Part 0 '.length);
  const chances = Array.from({ length: PARTS }, (_none, part) => {
    const before = name === 'inline' ? part * CHUNK.length + (needs === 0 ? 0 : 'FACT 0 '.length + 1) : 0;
    return Math.exp(-(own + before) / CHARS / length) * (name === 'isolated' ? 1 - needs : 1);
  });
  const mean = chances.reduce((sum, p) => sum + p, 0) / PARTS;
  const variance = chances.reduce((sum, p) => sum + p * (1 - p), 0) / PARTS ** 2;
  return { value: { mean, variance }, calls: always(PARTS) };
}

function reading(
  id: string,
  side: Claim['side'],
  says: string,
  { length, needs }: { readonly length: number; readonly needs: number },
): Claim {
  return {
    id,
    pattern: 'O17',
    world: 'W4',
    family: 'F4',
    parameters: { parts: PARTS, length, needs },
    says,
    side,
    formula: 'exp(-n₁/L) against the mean of exp(-n_k/L) over a growing prompt',
    arm: readingArm('isolated', length, needs),
    baseline: readingArm('inline', length, needs),
    expected: () => readingExpected('isolated', length, needs),
    expectedBaseline: () => readingExpected('inline', length, needs),
  };
}

const LOOK = { type: 'object', properties: { page: { type: 'string' } }, required: ['page'] } as const;

/** An agent with a tool that it needs, or does not; a second look at the answer is a call of its own. */
function singleArm(given: { readonly known: number; readonly confirms: boolean }): Arm {
  const { known, confirms } = given;
  return solving(`O1 ${JSON.stringify(given)}`, {
    questions: arithmetic,
    families: (): Readonly<Record<string, Family>> => ({
      solver: (call) => {
        const isFound = call.text.includes('It is said here:');
        const isKnown = call.shared('known') < known;
        if (isFound || isKnown) return arithmetic.truth(call.item);
        return {
          text: '',
          toolCalls: [{ id: call.key, name: 'look', arguments: JSON.stringify({ page: mark(call.item) }) }],
        };
      },
    }),
    agent: (model) => {
      const look = tool({
        name: 'look',
        description: 'Reads a page. Not for anything else.',
        input: LOOK,
        effect: 'pure',
        execute: async ({ page }) => `It is said here: ${arithmetic.truth(itemOf(String(page)))}`,
      });
      const { agent } = defineAgent({
        name: 'solver',
        description: 'Solves tasks.',
        model,
        tools: [look],
        loop: { doubleConfirmation: confirms },
      });
      return agent as unknown as Agent<string, unknown>;
    },
    isRight: (item, answer) =>
      (answer as { readonly rawText?: unknown } | undefined)?.rawText === arithmetic.truth(item),
  });
}

function single(
  id: string,
  side: Claim['side'],
  says: string,
  given: { readonly known: number; readonly confirms: boolean },
): Claim {
  return {
    id,
    pattern: 'O1',
    world: 'W4',
    family: 'F1',
    parameters: { known: given.known, confirms: String(given.confirms) },
    says,
    side,
    formula: 'calls 1 + (1 - k), and one more where the answer is confirmed',
    arm: singleArm(given),
    baseline: askedOnce(arithmetic, given.known),
    expected: () => exactly((flip) => ({ value: true, calls: (flip(given.known) ? 1 : 2) + (given.confirms ? 1 : 0) })),
    expectedBaseline: onceExpected(given.known),
  };
}

export const orchestration: readonly Claim[] = [
  reading(
    'O17-decay',
    'gains',
    'Four sub-tasks, each in a context of its own, with a reader whose attention is gone after 500 tokens.',
    { length: 500, needs: 0 },
  ),
  reading('O17-needs', 'loses', 'Seven of ten sub-tasks need a fact that only the growing prompt holds.', {
    length: 5_000,
    needs: 0.7,
  }),
  single('O1-looks', 'gains', 'An agent that knows 40% and looks the rest up.', { known: 0.4, confirms: false }),
  single('O1-knows', 'loses', 'It knows everything: the second look at its answer is a call for nothing.', {
    known: 1,
    confirms: true,
  }),
];
