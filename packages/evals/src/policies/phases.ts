import type { Machine } from 'flyball/agents';
import type { PHASES, Phase } from 'flyball/internal';

export type PhaseName = (typeof PHASES)[number];

/** The tools of a desk, by what they are for: patterns, as in `Phase.tools`. */
export interface DeskTools {
  readonly knowledge: readonly string[];
  readonly lookups: readonly string[];
  readonly verification: readonly string[];
  readonly transfer: readonly string[];
  /** Looked at while a request is worked on, beside everything else that is offered then. */
  readonly clock: readonly string[];
}

/** The nine phases of a customer desk that verifies people before it acts for them. Words and tools are the domain's. */
export function deskPhases(tools: DeskTools, words: Readonly<Record<PhaseName, string>>): Record<PhaseName, Phase> {
  const { knowledge, lookups, verification, transfer, clock } = tools;
  return {
    GREETING: { instruction: words.GREETING, tools: [], expect: 'text', next: [{ when: 'words', to: 'TRIAGE' }] },
    TRIAGE: {
      instruction: words.TRIAGE,
      tools: [...knowledge, ...lookups, ...transfer],
      expect: 'either',
      next: [
        { when: 'identified', to: 'VERIFICATION' },
        { when: 'informed', to: 'ADVISORY' },
      ],
    },
    VERIFICATION: {
      instruction: words.VERIFICATION,
      tools: [...lookups, ...clock, ...verification, ...transfer],
      expect: 'either',
      next: [{ when: 'verified', to: 'PLANNING' }],
    },
    PLANNING: {
      instruction: words.PLANNING,
      tools: [],
      expect: 'text',
      plans: true,
      turns: 2,
      next: [
        { when: 'planned', to: 'EXECUTION' },
        { when: 'overstayed', to: 'EXECUTION' },
      ],
    },
    EXECUTION: {
      instruction: words.EXECUTION,
      tools: ['*'],
      expect: 'either',
      showsQueue: true,
      // asked again here, whatever led here: the hard gate comes before the queue
      next: [
        { when: 'unverified', to: 'VERIFICATION' },
        { when: 'emptied', to: 'CONFIRMATION' },
      ],
    },
    CONFIRMATION: {
      instruction: words.CONFIRMATION,
      tools: [],
      expect: 'text',
      next: [{ when: 'words', to: 'COMPLETE' }],
    },
    COMPLETE: { instruction: words.COMPLETE, tools: ['*'], expect: 'either', terminal: true, next: [] },
    ADVISORY: {
      instruction: words.ADVISORY,
      tools: [...knowledge, ...lookups, ...transfer],
      expect: 'either',
      next: [{ when: 'identified', to: 'VERIFICATION' }],
    },
    ESCALATE: {
      instruction: words.ESCALATE,
      tools: transfer,
      expect: 'tool_call',
      terminal: true,
      next: [{ when: 'handed-over', to: 'COMPLETE' }],
    },
  };
}

/** What results have in common that tell of a failure or of nothing found, in all the domains here. */
export const FAILING: Machine['failing'] = [
  'Error',
  'Failed',
  'No records found',
  'No relevant documents found',
  'No customer record',
];

/** The block that PLANNING asks for, the same in every domain. */
export const TASKS_FORMAT = [
  'Write down every request of the customer, one per line, in this form and nothing else between the two marks:',
  'TASKS:',
  '1. first request',
  '2. second request',
  'END_TASKS',
  'After the block, one sentence tells the customer that you are starting.',
].join('\n');
