import type { Entry } from '../core/events.js';
import { usesIn } from '../core/use.js';
import { claimsFeeling } from './affect.js';
import { foundAnti } from './anti-pattern-finding.js';
import { type Finding, inOrder } from './finding.js';
import {
  callsIn,
  type RunJournal,
  type Span,
  scopeOfEffect,
  serialChildren,
  tokensBySession,
  unusedShare,
} from './journal.js';
import { withoutAccepted } from './lint.js';
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

/** An error after which nobody is told: no model reads it, nobody waits, and the run ends as if nothing had happened. */
function silent({ run, entries }: RunJournal): readonly Finding[] {
  const end = entries.at(-1)?.event;
  if (end?.type !== 'run-end' || end.outcome.stop !== 'done') return [];
  return entries.flatMap(({ event }, index) => {
    const failed =
      (event.type === 'abort' && event.ran === true && event.cutOff !== true) ||
      (event.type === 'ask-end' && event.failure !== undefined && event.cutOff !== true);
    if (!failed || entries.slice(index + 1).some(tells)) return [];
    return [
      foundAnti(
        'A10',
        `${run}:${scopeOfEffect(event.id)}`,
        'something failed, and nothing after it reports, replaces or escalates it.',
      ),
    ];
  });
}

const tells = ({ event }: Entry): boolean =>
  event.type === 'ask-start' ||
  event.type === 'wait-start' ||
  event.type === 'intent' ||
  event.type === 'complete' ||
  event.type === 'note' ||
  event.type === 'spawn-start' ||
  (event.type === 'scope-end' && event.how !== 'done');

function hoarded({ run, entries }: RunJournal, { window, share = 0.5 }: JournalOptions): readonly Finding[] {
  if (window === undefined) return [];
  return [...tokensBySession(entries)].flatMap(([session, tokens]) => {
    const isRising = tokens.length >= 6 && tokens.every((count, n) => n === 0 || count > (tokens[n - 1] ?? 0));
    const last = tokens.at(-1) ?? 0;
    return isRising && last > window * share
      ? [
          foundAnti(
            'A7',
            `${run}:${session}`,
            `its prompts only grow, to ${Math.round((last / window) * 100)}% of the window.`,
          ),
        ]
      : [];
  });
}

function serial({ run, entries }: RunJournal): readonly Finding[] {
  return serialChildren(entries).map(({ first, second }) =>
    foundAnti('A8', `${run}:${second}`, `it waited for ${first} and used nothing of it.`),
  );
}

/** A loop whose calls never needed what came back could have planned them all. */
function unused({ run, entries, spans }: RunJournal): readonly Finding[] {
  const loop = spans.find(({ pattern }) => pattern === 'reAct');
  return loop !== undefined && unusedShare(entries) === 1
    ? [foundAnti('CE3', `${run}:${loop.path}`, 'no call used what an earlier one had returned.')]
    : [];
}

function affected({ run, entries }: RunJournal): readonly Finding[] {
  const end = entries.at(-1)?.event;
  const value = end?.type === 'run-end' && 'value' in end.outcome ? end.outcome.value : undefined;
  return typeof value === 'string' && claimsFeeling(value)
    ? [foundAnti('HA1', run, 'the answer says how the agent feels.')]
    : [];
}

/** The same tools in the same order, whatever the input: code could call them. */
function sameSequence(journals: readonly RunJournal[], { runs = MANY }: JournalOptions): readonly Finding[] {
  const { share, sequence, count } = commonSequence(journals);
  if (count < runs || share < SAME_SEQUENCE || sequence.length === 0) return [];
  return [
    foundAnti('A2', `${count} runs`, `${Math.round(share * 100)}% of them call ${sequence.join(', ')} in this order.`),
  ];
}

/** The most frequent sequence of tools, and the share of runs with it. */
export function commonSequence(journals: readonly RunJournal[]): {
  readonly share: number;
  readonly sequence: readonly string[];
  readonly count: number;
} {
  const sequences = journals
    .map(({ entries }) =>
      callsIn(entries)
        .map(({ name }) => name)
        .join('\n'),
    )
    .filter((text) => text !== '');
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
    : [foundAnti('A12', `${journals.length} runs`, `nobody called ${idle.join(', ')}.`, 'warning')];
}
