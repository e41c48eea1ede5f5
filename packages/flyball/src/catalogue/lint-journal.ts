import { usesIn } from '../core/use.js';
import { claimsFeeling } from './affect.js';
import { foundAnti } from './anti-pattern-finding.js';
import { type Finding, inOrder } from './finding.js';
import { callsIn, type RunJournal, type Span, serialChildren, tokensBySession, unusedShare } from './journal.js';
import { withoutAccepted } from './lint.js';
import { silent } from './silent-failure.js';
import { type Composition, placedIn } from './subject.js';
import { drifted, overheard, stale, untraced, unusedMemories } from './trace-rules.js';

/** How the journal is read. */
export interface JournalOptions {
  /** Tokens of the model's window; without it nothing is said about how full it gets. */
  readonly window?: number;
  /** The share of the window above which a prompt that only grows is a finding. */
  readonly share?: number;
  /** From how many runs on something that is the same in all of them counts. */
  readonly runs?: number;
}

const SAME_SEQUENCE = 0.95;
/** From how many runs on something that is the same in all of them counts. */
const MANY = 20;

/**
 * What did happen: formulas that did not hold, patterns that nobody declared, and the known mistakes that only a run shows.
 * Journals tell what hand-written agents do, too.
 */
export function lintJournals(
  journals: readonly RunJournal[],
  subject: Pick<Composition, 'agents' | 'decisions'> = { agents: {} },
  options: JournalOptions = {},
): readonly Finding[] {
  const each = journals.flatMap((journal) => [
    ...unpredicted(journal),
    ...undeclared(journal, subject.agents),
    ...silent(journal),
    ...hoarded(journal, options),
    ...serial(journal),
    ...unused(journal),
    ...affected(journal),
    ...untraced(journal, subject.agents),
    ...overheard(journal),
    ...stale(journal),
  ]);
  return inOrder(
    withoutAccepted(
      [
        ...each,
        ...drifted(journals),
        ...sameSequence(journals, options),
        ...neverCalled(journals, options),
        ...unusedMemories(journals, options.runs ?? MANY),
      ],
      subject.decisions,
    ),
  );
}

const isWhole = ({ how }: Span): boolean => how === 'done' || how === 'degraded' || how === 'returned';

function unpredicted({ run, spans }: RunJournal): readonly Finding[] {
  return spans.flatMap((span) => {
    const { predicted, modelCalls, path } = span;
    if (predicted === undefined || (modelCalls <= predicted.max && (!isWhole(span) || modelCalls >= predicted.min)))
      return [];
    const most =
      predicted.max < Number.MAX_SAFE_INTEGER ? `${predicted.min} to ${predicted.max}` : `at least ${predicted.min}`;
    const why = `It made ${modelCalls} model calls, and ${most} were predicted.`;
    return [
      {
        rule: 'UNPREDICTED',
        level: 'error',
        at: `${run}:${path}`,
        why,
        change: "Correct the pattern's formula, or what it calls.",
        patterns: [],
      },
    ];
  });
}

/** Patterns that ran and are not in the composition: somebody calls an agent that the description does not show. */
function undeclared({ run, spans }: RunJournal, agents: Composition['agents']): readonly Finding[] {
  const declared = new Set(placedIn(agents).flatMap(({ use }) => usesIn(use).map(({ name }) => name)));
  if (declared.size === 0) return [];
  return spans
    .filter(({ pattern }) => pattern !== 'part' && !declared.has(pattern))
    .map(({ pattern, path }) => ({
      rule: 'UNDECLARED',
      level: 'warning',
      at: `${run}:${path}`,
      why: `${pattern} ran, and no description names it.`,
      change: 'Hand it to the pattern around it as a part, or describe the agent that calls it.',
      patterns: [],
    }));
}

function hoarded({ run, entries }: RunJournal, { window, share = 0.5 }: JournalOptions): readonly Finding[] {
  if (window === undefined) return [];
  return [...tokensBySession(entries)].flatMap(([session, tokens]) => {
    const isRising = tokens.length >= 6 && tokens.every((count, n) => n === 0 || count > (tokens[n - 1] ?? 0));
    const last = tokens.at(-1) ?? 0;
    return isRising && last > window * share
      ? [
          foundAnti('A7', {
            at: `${run}:${session}`,
            why: `its prompts only grow, to ${Math.round((last / window) * 100)}% of the window.`,
            change: 'Give its window a policy: {K7} or {K6}.',
          }),
        ]
      : [];
  });
}

function serial({ run, entries }: RunJournal): readonly Finding[] {
  return serialChildren(entries).map(({ first, second }) =>
    foundAnti('A8', {
      at: `${run}:${second}`,
      why: `it waited for ${first} and used nothing of it.`,
      change: `Run it beside ${first}: {O4}.`,
    }),
  );
}

/** A loop whose calls never needed what came back could have planned them all. */
function unused({ run, entries, spans }: RunJournal): readonly Finding[] {
  const loops = spans.filter((span) => span.pattern === 'reAct' && unusedShare(entries, span) === 1);
  return loops.map(({ path }) =>
    foundAnti('CE3', {
      at: `${run}:${path}`,
      why: 'no call used what an earlier one had returned.',
      change: 'Plan all calls at once: {R5} in its place.',
    }),
  );
}

function affected({ run, entries }: RunJournal): readonly Finding[] {
  const end = entries.at(-1)?.event;
  const value = end?.type === 'run-end' && 'value' in end.outcome ? end.outcome.value : undefined;
  return typeof value === 'string' && claimsFeeling(value)
    ? [
        foundAnti('HA1', {
          at: run,
          why: 'the answer says how the agent feels.',
          change: 'Forbid it in the instructions, and check answers: {V5}.',
        }),
      ]
    : [];
}

/** The same tools in the same order, whatever the input: code could call them. */
function sameSequence(journals: readonly RunJournal[], { runs = MANY }: JournalOptions): readonly Finding[] {
  const { share, sequence, count } = commonSequence(journals);
  if (count < runs || share < SAME_SEQUENCE || sequence.length === 0) return [];
  return [
    foundAnti('A2', {
      at: `${count} runs`,
      why: `${Math.round(share * 100)}% of them call ${sequence.join(', ')} in this order.`,
      change: 'Call them from code in this order: {O2} and {I1}.',
    }),
  ];
}

/** The most frequent sequence of tools, and the share of all runs with it: one that calls none is another sequence. */
export function commonSequence(journals: readonly RunJournal[]): {
  readonly share: number;
  readonly sequence: readonly string[];
  readonly count: number;
} {
  const sequences = journals.map(({ entries }) =>
    callsIn(entries)
      .map(({ name }) => name)
      .join('\n'),
  );
  const counts = new Map<string, number>();
  for (const text of sequences) counts.set(text, (counts.get(text) ?? 0) + 1);
  const [sequence = '', most = 0] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
  return {
    share: sequences.length === 0 ? 0 : most / sequences.length,
    sequence: sequence === '' ? [] : sequence.split('\n'),
    count: sequences.length,
  };
}

/** Tools that are shown in every run and called in none. */
function neverCalled(journals: readonly RunJournal[], { runs = MANY }: JournalOptions): readonly Finding[] {
  if (journals.length < runs) return [];
  const offered = new Set(
    journals.flatMap(({ spans }) =>
      spans.flatMap(({ params }) => (Array.isArray(params?.['tools']) ? (params['tools'] as readonly string[]) : [])),
    ),
  );
  const called = new Set(journals.flatMap(({ entries }) => callsIn(entries).map(({ name }) => name)));
  const idle = [...offered].filter((name) => !called.has(name));
  return idle.length === 0
    ? []
    : [
        foundAnti('A12', {
          at: `${journals.length} runs`,
          why: `nobody called ${idle.join(', ')}.`,
          change: `Take ${idle.join(', ')} away, or choose tools for each task: {V13}.`,
          level: 'warning',
        }),
      ];
}
