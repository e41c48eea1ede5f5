import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { EffectId, Entry } from '../../../flyball/src/core/events.js';
import { CostFold, type CostReport } from '../../../flyball/src/views/cost.js';
import { type Effect, EffectFold } from '../../../flyball/src/views/effects.js';
import { GuardFold, type GuardRecord } from '../../../flyball/src/views/guard-decisions.js';
import { type RunSummary, SummaryFold } from '../../../flyball/src/views/summary.js';
import { type Span, TraceFold } from '../../../flyball/src/views/trace.js';
import type { StreamState } from '../api/event-stream.js';
import type { ApiError } from '../api/problem.js';
import type { RunCard } from '../api/types.js';
import { type EventLine, LineFold, linesOf } from './event-lines.js';
import { type Inherited, NOTHING_INHERITED } from './inherited.js';
import { PrefixFold } from './prefix-fold.js';

/**
 * One run as the page sees it. The journal is the truth and everything else is folded from it, so that the past is
 * shown by folding fewer entries. All signals; `entries` only ever grows.
 */
export interface RunModel {
  readonly runId: string;
  /** The server's own short view: who holds the run, what it waits for. Always of now, whatever the slider says. */
  readonly card: ReadonlySignal<RunCard | undefined>;
  /** All entries received, in order, none twice. */
  readonly entries: ReadonlySignal<readonly Entry[]>;
  /** How many entries are shown, or `live` to follow the newest. */
  readonly upTo: Signal<number | 'live'>;
  readonly position: ReadonlySignal<number>;
  /** The prefix that is looked at: what every view of what the run itself did has to fold. */
  readonly shown: ReadonlySignal<readonly Entry[]>;
  /** What a fork took over; nothing for other runs. */
  readonly inherited: ReadonlySignal<Inherited>;
  /** Why what a fork took over cannot be shown. */
  readonly parentProblem: ReadonlySignal<unknown>;
  /** What was inherited, then what is shown: for views of the work as a whole. Adding up its cost counts others' money. */
  readonly story: ReadonlySignal<readonly Entry[]>;
  readonly summary: ReadonlySignal<RunSummary>;
  /** A new array at each change, but the effects in it are the same objects and grow: compare fields, not identity. */
  readonly effects: ReadonlySignal<readonly Effect[]>;
  readonly guards: ReadonlySignal<readonly GuardRecord[]>;
  readonly trace: ReadonlySignal<Span>;
  readonly cost: ReadonlySignal<CostReport>;
  /** One line for each entry that is shown. */
  readonly lines: ReadonlySignal<readonly EventLine[]>;
  /** The same for what was inherited. */
  readonly inheritedLines: ReadonlySignal<readonly EventLine[]>;
  /** Text of open model calls as it arrives, by effect. Not in the journal, cut in length, empty while the past is shown. */
  readonly arriving: ReadonlySignal<ReadonlyMap<EffectId, string>>;
  readonly connection: ReadonlySignal<StreamState>;
  /** The journal is longer than a page can hold: `entries` ends before it does. */
  readonly isCut: ReadonlySignal<boolean>;
  /** Why the run cannot be shown. */
  readonly problem: ReadonlySignal<ApiError | undefined>;
  /** What is selected in the waterfall, the event list and the details: an effect as `generation:id`, or an entry as `@index`. */
  readonly selected: Signal<string | undefined>;
  /** Asks the server again: after a command, and when the stream has ended although the run goes on. */
  refresh(): void;
  close(): void;
}

/** The signals that a source of entries writes. */
export interface RunInputs {
  readonly card: Signal<RunCard | undefined>;
  readonly entries: Signal<readonly Entry[]>;
  readonly inherited: Signal<Inherited>;
  readonly parentProblem: Signal<unknown>;
  readonly arriving: Signal<ReadonlyMap<EffectId, string>>;
  readonly connection: Signal<StreamState>;
  readonly isCut: Signal<boolean>;
  readonly problem: Signal<ApiError | undefined>;
}

export function runInputs(): RunInputs {
  return {
    card: signal(undefined),
    entries: signal([]),
    inherited: signal(NOTHING_INHERITED),
    parentProblem: signal(undefined),
    arriving: signal(new Map()),
    connection: signal('connecting'),
    isCut: signal(false),
    problem: signal(undefined),
  };
}

const NOTHING_ARRIVING: ReadonlyMap<EffectId, string> = new Map();

/** Everything that follows from the entries. Pure: no network, no page. */
export function runModel(runId: string, inputs: RunInputs, commands: Pick<RunModel, 'refresh' | 'close'>): RunModel {
  const { card, entries, inherited, connection, problem } = inputs;
  const upTo = signal<number | 'live'>('live');
  const position = computed(() => {
    const all = entries.value.length;
    return upTo.value === 'live' ? all : Math.max(Math.min(1, all), Math.min(upTo.value, all));
  });
  const shown = computed(() =>
    position.value === entries.value.length ? entries.value : entries.value.slice(0, position.value),
  );
  const folded = <F extends { apply(entry: Entry): unknown }, V>(make: () => F, read: (fold: F) => V) => {
    const fold = new PrefixFold(make, read);
    return computed(() => fold.of(shown.value));
  };
  const lineFold = new PrefixFold(
    () => new LineFold(),
    (fold) => fold.lines(),
  );
  const allLines = computed(() => lineFold.of(entries.value)); // a line looks back only: the past is a shorter list of the same
  return {
    runId,
    card,
    entries,
    upTo,
    position,
    shown,
    inherited,
    parentProblem: inputs.parentProblem,
    story: computed(() =>
      inherited.value.entries.length === 0 ? shown.value : inherited.value.entries.concat(shown.value),
    ),
    summary: folded(
      () => new SummaryFold(),
      (fold) => fold.summary(),
    ),
    effects: folded(
      () => new EffectFold(),
      (fold) => fold.all(),
    ),
    guards: folded(
      () => new GuardFold(),
      (fold) => fold.all(),
    ),
    trace: folded(
      () => new TraceFold(runId),
      (fold) => fold.trace(),
    ),
    cost: folded(
      () => new CostFold(),
      (fold) => fold.report(),
    ),
    lines: computed(() =>
      position.value === allLines.value.length ? allLines.value : allLines.value.slice(0, position.value),
    ),
    inheritedLines: computed(() => linesOf(inherited.value.entries)),
    arriving: computed(() => (upTo.value === 'live' ? inputs.arriving.value : NOTHING_ARRIVING)),
    connection,
    isCut: inputs.isCut,
    problem,
    selected: signal(undefined),
    ...commands,
  };
}
