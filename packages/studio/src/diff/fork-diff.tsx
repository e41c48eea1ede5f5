import { useComputed, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Entry, ForkPoint } from '../../../flyball/src/core/events.js';
import { type Effect, EffectFold } from '../../../flyball/src/views/effects.js';
import { sentenceFor } from '../../../flyball/src/views/timeline-sentences.js';
import type { RunModel } from '../run/run-model.js';
import { ErrorNote } from '../ui/error-note.js';
import { VirtualList } from '../ui/virtual-list.js';
import { type ForkRow, forkRows, shown } from './fold-fork.js';
import { parentEntries } from './parent-entries.js';
import { TextDiff } from './text-diff.js';

/** A fork beside the run it came from, entry by entry from the point where they part. */
export function ForkDiff({ model, point }: { readonly model: RunModel; readonly point: ForkPoint }) {
  const tries = useSignal(0);
  const { run, generation, seq } = point;
  const parent = useMemo(() => parentEntries({ run, generation, seq }), [run, generation, seq, tries.value]);
  const loaded = parent.value;
  return (
    <section class="diff-section" aria-label="Comparison with the original run">
      <h2>
        Fork of <a href={`/studio/runs/${encodeURIComponent(run)}`}>{run}</a> after entry {generation}.{seq}
      </h2>
      {loaded.state === 'loading' ? <p class="quiet">Loading the other run…</p> : null}
      {loaded.state === 'failed' ? <ErrorNote error={loaded.error} onRetry={() => tries.value++} /> : null}
      {loaded.state === 'ready' ? <Rows model={model} parent={loaded.entries} point={point} /> : null}
    </section>
  );
}

const ROW = 30;
const SIGNS: Readonly<Record<ForkRow['kind'], string>> = { same: '=', changed: '≠', gone: '−', new: '+' };
const WORDS: Readonly<Record<ForkRow['kind'], string>> = {
  same: 'the same',
  changed: 'otherwise',
  gone: 'only in the original',
  new: 'only in the fork',
};

function Rows({
  model,
  parent,
  point,
}: {
  readonly model: RunModel;
  readonly parent: readonly Entry[];
  readonly point: ForkPoint;
}) {
  const picked = useSignal<number | undefined>(undefined);
  const rows = useComputed(() => forkRows(parent, model.shown.value, point)).value;
  const effects = useComputed(() => effectsIn(parent, model.shown.value)).value;
  const first = rows.findIndex(({ kind }) => kind !== 'same');
  const chosen = picked.value ?? (first === -1 ? 0 : first);
  const row = rows[chosen];
  const counts = (Object.keys(SIGNS) as ForkRow['kind'][]).map(
    (kind) => `${rows.filter((each) => each.kind === kind).length} ${WORDS[kind]}`,
  );
  if (rows.length === 0) return <p class="quiet">Neither run has continued past that point yet.</p>;
  return (
    <>
      <p class="quiet">{counts.join(' · ')}</p>
      <div class="fork-list" style={{ height: `${Math.min(12, rows.length) * ROW + 2}px` }}>
        <VirtualList
          items={rows}
          rowHeight={ROW}
          label="Entries of both runs"
          keyOf={(_row, index) => String(index)}
          row={(each, index) => (
            <button
              type="button"
              class={`fork-row fork-${each.kind}`}
              data-kind={each.kind}
              aria-pressed={index === chosen}
              onClick={() => (picked.value = index)}
            >
              <span class="diff-sign" aria-hidden="true">
                {SIGNS[each.kind]}
              </span>
              <span class="visually-hidden">{WORDS[each.kind]}: </span>
              <span class="cut">{told(each, effects)}</span>
            </button>
          )}
        />
      </div>
      {row === undefined ? null : (
        <TextDiff
          key={chosen}
          title={WORDS[row.kind]}
          names={['Parent', 'Fork']}
          before={row.parent === undefined ? '' : shown(row.parent.event)}
          after={row.fork === undefined ? '' : shown(row.fork.event)}
        />
      )}
    </>
  );
}

/** Which effect each entry belongs to: its name is told where the entry itself has only an id. */
function effectsIn(...runs: readonly (readonly Entry[])[]): ReadonlyMap<Entry, Effect> {
  const known = new Map<Entry, Effect>();
  for (const entries of runs) {
    const fold = new EffectFold();
    for (const entry of entries) {
      const effect = fold.apply(entry);
      if (effect !== undefined) known.set(entry, effect);
    }
  }
  return known;
}

function told({ parent, fork }: ForkRow, effects: ReadonlyMap<Entry, Effect>): string {
  const entry = fork ?? parent;
  if (entry === undefined) return '';
  const { event } = entry;
  const said = sentenceFor(event, effects.get(entry));
  return said === undefined ? event.type.replaceAll('-', ' ') : `${said.symbol} ${said.text}`;
}
