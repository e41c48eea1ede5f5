import { useComputed } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { type KeyAction, useKeys } from '../app/keys.js';
import { place, setQuery } from '../router/router.js';
import { duration } from '../ui/amounts.js';
import { Empty } from '../ui/empty.js';
import { Split } from '../ui/split.js';
import { useNarrow } from '../ui/use-narrow.js';
import { VirtualList } from '../ui/virtual-list.js';
import { Details } from './details.js';
import type { EventLine } from './event-lines.js';
import { originOf } from './inherited.js';
import type { RunModel } from './run-model.js';

/** The style sheet has the same heights: flat for a pointer, taller where a finger has to meet it. */
const [FLAT, TALL] = [26, 36];

interface Numbered {
  readonly line: EventLine;
  readonly index: number;
}

/** Every entry of the journal up to the slider, one row each. */
export function EventsTab({ model }: { readonly model: RunModel }) {
  const search = useComputed(() => place.value.query.get('find') ?? '');
  const input = useRef<HTMLInputElement>(null);
  const all = useComputed(() => numbered(model.inheritedLines.value, model.lines.value));
  const found = useComputed(() => matching(all.value, search.value));
  const inheritedCount = model.inheritedLines.value.length;
  const rowHeight = useNarrow() ? TALL : FLAT;
  const selected = model.selected.value;
  const shownRow = found.value.findIndex(({ index }) => `@${index}` === selected);
  useKeys(useMemo(() => keysFor(model, found, input), [model]));
  return (
    <Split
      label="Details"
      side={<Details model={model} />}
      main={
        <div class="card">
          <div class="events-head">
            <input
              ref={input}
              class="field"
              type="search"
              placeholder="Find events ( / )"
              aria-label="Find events"
              value={search.value}
              onInput={(event) => setQuery({ find: event.currentTarget.value })}
              onKeyDown={(event) => {
                if (event.key === 'Escape') event.currentTarget.blur();
              }}
            />
            <span class="quiet number" role="status">
              {found.value.length === all.value.length
                ? `${found.value.length} events`
                : `${found.value.length} of ${all.value.length} events`}
              {inheritedCount === 0 ? '' : `, ${inheritedCount} inherited`}
            </span>
          </div>
          {found.value.length === 0 ? (
            <Empty title={search.value === '' ? 'No events yet' : 'No events match'} />
          ) : (
            <VirtualList
              items={found.value}
              rowHeight={rowHeight}
              label="Events"
              class="events"
              role="listbox"
              stickToEnd={model.upTo.value === 'live'}
              keyOf={({ index }) => String(index)}
              {...(shownRow < 0 ? {} : { shownRow, activeId: `event-${selected?.slice(1)}` })}
              onStep={(by) => moveBy(model, found.peek(), by)}
              row={({ line, index }) => (
                <Line
                  line={line}
                  id={`event-${index}`}
                  origin={originOf(model.inherited.value, index)}
                  picked={`@${index}` === selected}
                  onPick={() => (model.selected.value = `@${index}`)}
                />
              )}
            />
          )}
        </div>
      }
    />
  );
}

function Line({
  line,
  id,
  origin,
  picked,
  onPick,
}: {
  readonly line: EventLine;
  readonly id: string;
  /** Where it stands in the parent's journal, when it was inherited. */
  readonly origin: { readonly run: string; readonly seq: number } | undefined;
  readonly picked: boolean;
  readonly onPick: () => void;
}) {
  return (
    <div
      class={`event-row ${picked ? 'picked' : ''} ${TROUBLE.has(line.kind) ? 'trouble' : ''} ${line.isCrash === true ? 'crash' : ''} ${origin === undefined ? '' : 'inherited'}`}
      {...(origin === undefined ? {} : { title: `Inherited from ${origin.run}` })}
      role="option"
      id={id}
      aria-selected={picked}
      tabIndex={-1}
      data-seq={line.seq}
      onClick={onPick}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onPick();
      }}
    >
      <span class="event-seq number quiet">{origin?.seq ?? line.seq}</span>
      <span class="event-time number quiet">{duration(line.offsetMs)}</span>
      <span class="event-symbol" aria-hidden="true">
        {line.symbol}
      </span>
      <span class="cut" style={{ paddingLeft: `${Math.min(line.depth, 6) * 12}px` }}>
        {line.text} {line.detail === undefined ? null : <span class="quiet mono">{line.detail}</span>}
      </span>
    </div>
  );
}

const TROUBLE: ReadonlySet<string> = new Set([
  'abort',
  'doubt',
  'guard-refused',
  'operator-alert',
  'retry',
  'stuck',
  'trip',
]);

/** Inherited lines count up to -1, as their entries do. */
function numbered(inherited: readonly EventLine[], own: readonly EventLine[]): readonly Numbered[] {
  const start = -inherited.length;
  return [...inherited, ...own].map((line, at) => ({ line, index: start + at }));
}

function matching(lines: readonly Numbered[], search: string): readonly Numbered[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return lines;
  return lines.filter(({ line }) => {
    const text = `${line.kind} ${line.text} ${line.detail ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

function moveBy(model: RunModel, found: readonly Numbered[], by: number): void {
  const at = found.findIndex(({ index }) => `@${index}` === model.selected.peek());
  const to = found[at < 0 ? (by > 0 ? 0 : found.length - 1) : Math.min(found.length - 1, Math.max(0, at + by))];
  if (to !== undefined) model.selected.value = `@${to.index}`;
}

function keysFor(
  model: RunModel,
  found: { peek(): readonly Numbered[] },
  input: { readonly current: HTMLInputElement | null },
): readonly KeyAction[] {
  const move = (by: number) => moveBy(model, found.peek(), by);
  return [
    { keys: 'j', what: 'Next event', run: () => move(1) },
    { keys: 'k', what: 'Previous event', run: () => move(-1) },
    { keys: '/', what: 'Find events', run: () => input.current?.focus() },
  ];
}
