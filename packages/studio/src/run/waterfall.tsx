import { useComputed, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { type KeyAction, useKeys } from '../app/keys.js';
import { useNow } from '../ui/amounts-view.js';
import { Empty } from '../ui/empty.js';
import { useNarrow } from '../ui/use-narrow.js';
import { VirtualList } from '../ui/virtual-list.js';
import { PrefixFold } from './prefix-fold.js';
import type { RunModel } from './run-model.js';
import { RestFold, TimeScale } from './time-scale.js';
import { WaterfallAxis } from './waterfall-axis.js';
import { WaterfallBar } from './waterfall-bar.js';
import { barNames, crashesIn, KIND_NAMES, type Row, RowTree } from './waterfall-rows.js';

/** The style sheet has the same heights: flat for a pointer, taller where a finger has to meet it. */
const [FLAT, TALL] = [26, 36];
const AXIS_HEIGHT = 26;
const ZOOMS = [1, 2, 4, 8, 16, 32] as const;
/** Open bars grow this often: smooth enough for the eye, cheap enough for a phone. */
const GROW_MS = 250;

/** Phases, model calls, tools and children as nested bars on one time axis. */
export function Waterfall({ model }: { readonly model: RunModel }) {
  const closed = useSignal<ReadonlySet<string>>(new Set());
  const zoom = useSignal(0);
  const rests = useMemo(
    () =>
      new PrefixFold(
        () => new RestFold(),
        (fold) => fold.read(),
      ),
    [],
  );
  const tree = useMemo(() => new RowTree(), []);
  const rows = useComputed(() => tree.of(model.trace.value, closed.value));
  const crashes = useComputed(() => crashesIn(model.trace.value));
  const names = useComputed(() => barNames(model.effects.value));
  const isGrowing = useComputed(() => model.upTo.value === 'live' && model.summary.value.outcome === undefined);
  const now = useNow(GROW_MS, isGrowing.value);
  const scale = useComputed(() => rests.of(model.shown.value));
  const narrow = useNarrow();
  const rowHeight = narrow ? TALL : FLAT;
  const selected = model.selected.value;
  const shownRow = rows.value.findIndex(({ id }) => id === selected);
  const { from, to, rests: gaps } = scale.value;
  const end = isGrowing.value ? Math.max(now, to) : to;
  // at rest since the last entry: the wait goes on, but nobody works
  const resting = isGrowing.value && model.summary.value.status !== 'running' && end - to > 2000;
  const time = new TimeScale(from, end, resting ? [...gaps, { from: to, to: end }] : gaps);
  const factor = ZOOMS[zoom.value] ?? 1;
  useKeys(useMemo(() => keysFor(model, rows, closed, zoom), [model]));
  if (model.shown.value.length === 0)
    return (
      <div class="card">
        <Empty title="No events yet">The journal is empty. The run has not been started yet.</Empty>
      </div>
    );
  return (
    <div class="card waterfall-card">
      <div class="waterfall-tools">
        <Legend />
        <Zoom zoom={zoom} factor={factor} />
      </div>
      <VirtualList
        items={rows.value}
        rowHeight={rowHeight}
        headerHeight={AXIS_HEIGHT}
        label="Timeline of the run"
        role="tree"
        class="waterfall"
        width={`calc(var(--names) + (100% - var(--names)) * ${factor})`}
        header={<WaterfallAxis time={time} factor={factor} />}
        keyOf={({ id }) => id}
        {...(shownRow < 0 ? {} : { shownRow, activeId: `bar-${selected}` })}
        onStep={(by) => moveBy(model, rows.peek(), by)}
        row={(row) => (
          <WaterfallBar
            row={row}
            name={names.value.get(row.id) ?? row.name}
            time={time}
            end={end}
            crashes={crashes.value}
            narrow={narrow}
            picked={row.id === selected}
            onPick={() => pick(model, row.id)}
            onToggle={() => toggle(closed, row.id)}
          />
        )}
      />
    </div>
  );
}

function Zoom({ zoom, factor }: { readonly zoom: Cell<number>; readonly factor: number }) {
  return (
    <div class="wf-zoom" role="group" aria-label="Zoom">
      <button type="button" class="button small" onClick={() => zoomBy(zoom, -1)} disabled={zoom.value === 0}>
        Zoom out
      </button>
      <span class="number quiet">{factor}×</span>
      <button
        type="button"
        class="button small"
        onClick={() => zoomBy(zoom, 1)}
        disabled={zoom.value === ZOOMS.length - 1}
      >
        Closer
      </button>
    </div>
  );
}

const LEGEND = ['ask', 'call', 'step', 'spawn', 'wait'] as const;

function Legend() {
  return (
    <span class="wf-legend" aria-hidden="true">
      {LEGEND.map((kind) => (
        <span key={kind}>
          <span class="wf-kind" data-kind={kind} /> {KIND_NAMES[kind]}
        </span>
      ))}
    </span>
  );
}

/** On a narrow screen the details stand below: whoever touches a bar wants to read them. */
function pick(model: RunModel, id: string): void {
  model.selected.value = id;
  document.querySelector('.split-side')?.scrollIntoView({ block: 'nearest' });
}

function moveBy(model: RunModel, rows: readonly Row[], by: number): void {
  const at = rows.findIndex(({ id }) => id === model.selected.peek());
  model.selected.value = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))]?.id;
}

type Cell<T> = { value: T; peek(): T };

function toggle(closed: Cell<ReadonlySet<string>>, id: string): void {
  const next = new Set(closed.peek());
  if (!next.delete(id)) next.add(id);
  closed.value = next;
}

function zoomBy(zoom: Cell<number>, by: number): void {
  zoom.value = Math.min(ZOOMS.length - 1, Math.max(0, zoom.peek() + by));
}

function keysFor(
  model: RunModel,
  rows: { peek(): readonly Row[] },
  closed: Cell<ReadonlySet<string>>,
  zoom: Cell<number>,
): readonly KeyAction[] {
  const move = (by: number) => moveBy(model, rows.peek(), by);
  const fold = () => {
    const id = model.selected.peek();
    if (id !== undefined) toggle(closed, id);
  };
  return [
    { keys: 'j', what: 'Next bar', run: () => move(1) },
    { keys: 'k', what: 'Previous bar', run: () => move(-1) },
    { keys: 'o', what: 'Expand or collapse the bar', run: fold },
    { keys: '+', what: 'Closer', run: () => zoomBy(zoom, 1) },
    { keys: '-', what: 'Zoom out', run: () => zoomBy(zoom, -1) },
  ];
}
