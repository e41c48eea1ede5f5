import type { Agent } from 'flyball';
import { compression, pruning, reAct } from 'flyball/patterns';
import { tool } from 'flyball/tools';
import { itemOf, seat, solving } from '../arms.js';
import type { Arm, Claim } from '../claim.js';
import { always, chanceOf } from '../exactly.js';
import type { Family } from '../simulated.js';
import { files } from '../worlds/files.js';

const PAGE = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
const THOUGHTS = 'I keep thinking about pump-20 of hall-31 before I turn the page. ';
const NAMES = 'It was about pump-20 of hall-31.'; // what is named again and again, a summary must not lose

interface Long {
  readonly pages: number;
  readonly window: number;
  readonly policy: 'none' | 'compression' | 'pruning';
  /** Words that it thinks aloud for each page: no pruning takes them out. */
  readonly aloud: boolean;
  /** The fact stands on the first page, and the answer needs it. */
  readonly needs: boolean;
  /** Probability that a summary keeps it. */
  readonly keeps: number;
  /** Probability that a summary keeps nothing at all, unless it is asked to. */
  readonly empties?: number;
}

/** Reads pages one after the other in a small window. What it has read is what stands in its prompt. */
const readerOf =
  ({ pages, needs, aloud }: Long): Family =>
  (call) => {
    const read = Math.max(-1, ...[...call.text.matchAll(/Read page (\d+)/g)].map(([, n]) => Number(n))) + 1;
    if (read < pages)
      return {
        text: `Read page ${read}.${aloud ? ` ${read === 0 ? files.fact(call.item) : ''} ${THOUGHTS.repeat(12)}` : ''}`,
        toolCalls: [{ id: `p${read}`, name: 'page', arguments: JSON.stringify({ n: read }) }],
      };
    return !needs || call.text.includes(files.fact(call.item)) ? files.truth(call.item) : files.wrong(call.item, 0);
  };

/** Keeps the place, and the fact where it is lucky. */
const summarizerOf =
  ({ keeps, empties = 0 }: Long): Family =>
  (call) => {
    const isAsked = call.text.includes('The summary must keep these');
    if (!isAsked && call.chance('empties') < empties) return 'Some pages were read.';
    const read = [...call.text.matchAll(/Read page \d+/g)].map(([text]) => text).join('. ');
    const fact = /The code of the machine in hall \d+ is \w+\./.exec(call.text)?.[0] ?? '';
    return `${NAMES} ${read}. ${call.chance('keeps') < keeps ? fact : ''}`;
  };

function longRead(given: Long): Arm {
  const { pages, window, policy, aloud } = given;
  return solving(`window ${JSON.stringify(given)}`, {
    questions: files,
    families: { worker: readerOf(given), 'worker-summarizer': summarizerOf(given) },
    agent: (model) => {
      const small = { ...model, capabilities: { ...model.capabilities, window, maxOutputTokens: 300 } };
      const policies = {
        none: [],
        pruning: [pruning({}, { keepRecent: 1 })],
        compression: [compression({ summarizer: seat(small, 'small') }, { keepRecent: 1 })],
      }[policy];
      return async (run, ask) => {
        const item = itemOf(ask);
        const page = tool({
          name: 'page',
          description: 'Reads a page. Not for anything else.',
          input: PAGE,
          effect: 'pure',
          execute: async ({ n }) =>
            aloud ? 'read' : `${Number(n) === 0 ? files.fact(item) : ''} ${files.page(item, Number(n))}`,
        });
        const loop = reAct(
          { worker: seat(small, 'worker'), tools: [page], window: policies },
          { maxIterations: pages + 3, repeatLimit: 1_000 },
        );
        return (loop as Agent<string, string>)(run, ask);
      };
    },
  });
}

const READ: Long = { pages: 8, window: 1_800, policy: 'none', aloud: false, needs: false, keeps: 1 };
const WIDE = 100_000;

interface Windowed {
  readonly pattern: 'K6' | 'K7';
  readonly given: Long;
  readonly baseline: Long;
  /** Summaries that the conversation needs in this window. */
  readonly events: number;
}

const windowClaim = ({ pattern, given, baseline, events }: Windowed): Omit<Claim, 'id' | 'side' | 'says'> => {
  const isKept = pattern === 'K6' || !given.needs;
  const { empties = 0 } = given; // such a summary is asked for once more
  return {
    pattern,
    world: 'W4',
    family: 'F4',
    parameters: {
      pages: given.pages,
      window: given.window,
      ...(pattern === 'K6' ? { keeps: given.keeps } : {}),
      ...(given.empties === undefined ? {} : { empties: given.empties }),
    },
    formula:
      pattern === 'K6'
        ? 'retention^events, in one call for each page, one for each event and one for the answer'
        : '1 where nothing that was taken out is needed, else 0, in one call for each page and one for the answer',
    arm: longRead(given),
    baseline: longRead(baseline),
    expected: () => ({
      value: isKept ? chanceOf(given.keeps ** events) : always(0),
      calls: {
        mean: given.pages + events * (1 + empties) + 1,
        variance: events * empties * (1 - empties),
      },
    }),
    // without a policy the window is full before the last page, unless it is wide enough
    expectedBaseline: () => ({ value: always(baseline.window === WIDE ? 1 : 0) }),
    weight: 4,
  };
};

const TALK: Long = { ...READ, aloud: true, needs: true, keeps: 0.8, policy: 'compression' };

export const windows: readonly Claim[] = [
  {
    ...windowClaim({ pattern: 'K6', given: TALK, baseline: { ...TALK, policy: 'none' }, events: 1 }),
    id: 'K6-fits',
    side: 'gains',
    says: 'Eight pages with thoughts aloud in a window for six, and a summarizer that keeps the fact in 80%.',
  },
  {
    ...windowClaim({ pattern: 'K6', given: TALK, baseline: { ...TALK, policy: 'none', window: WIDE }, events: 1 }),
    id: 'K6-wide',
    side: 'loses',
    says: 'The same against a window that is wide enough: a summary is a call, and loses the fact in 20%.',
  },
  {
    ...windowClaim({
      pattern: 'K6',
      given: { ...TALK, empties: 0.4 },
      baseline: { ...TALK, policy: 'none' },
      events: 1,
    }),
    id: 'K6-empty',
    side: 'gains',
    says: 'The same with a summarizer whose first summary keeps nothing in 40%: it is not used, and a second one is told what it has to keep.',
  },
  {
    ...windowClaim({ pattern: 'K6', given: { ...READ, policy: 'compression' }, baseline: READ, events: 0 }),
    id: 'K6-prunes',
    side: 'gains',
    says: 'Where taking out old results is enough, no summary is paid for.',
  },
  {
    ...windowClaim({ pattern: 'K7', given: { ...READ, policy: 'pruning' }, baseline: READ, events: 0 }),
    id: 'K7-fits',
    side: 'gains',
    says: 'Eight pages in a window for six, and an answer that needs none of the old ones.',
  },
  {
    ...windowClaim({
      pattern: 'K7',
      given: { ...READ, policy: 'pruning', needs: true },
      baseline: { ...READ, needs: true, window: WIDE },
      events: 0,
    }),
    id: 'K7-needed',
    side: 'loses',
    says: 'The answer needs the first page, and the model does not recall what was taken out; a wide window keeps it.',
  },
];
