import { duration } from '../ui/amounts.js';
import type { TimeScale } from './time-scale.js';
import { KIND_NAMES, type Row } from './waterfall-rows.js';

/** A name and a bar on the axis; `end` is where open bars end for now. */
export function WaterfallBar({
  row,
  name,
  time,
  end,
  crashes,
  narrow,
  picked,
  onPick,
  onToggle,
}: {
  readonly row: Row;
  readonly name: string;
  readonly time: TimeScale;
  readonly end: number;
  /** When processes were lost: a line through all rows. */
  readonly crashes: readonly number[];
  /** A track on a phone: there is less room beside a bar. */
  readonly narrow: boolean;
  readonly picked: boolean;
  readonly onPick: () => void;
  readonly onToggle: () => void;
}) {
  const { kind, depth, startMs, endMs, status, hasChildren, isClosed } = row;
  const left = time.at(startMs);
  const width = Math.max(0, time.at(endMs ?? end) - left);
  const side = sideOf(left, width, narrow ? 0.4 : 0.2);
  const took = duration(Math.max(0, (endMs ?? end) - startMs));
  return (
    <div
      class={`wf-row ${picked ? 'picked' : ''} ${row.isCrash === true ? 'crash' : ''}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={picked}
      aria-label={`${KIND_NAMES[kind]} ${name}, ${row.isCrash === true ? 'crashed' : STATES[status]}, ${took}`}
      {...(hasChildren ? { 'aria-expanded': !isClosed } : {})}
      id={`bar-${row.id}`}
      data-span={row.id}
      tabIndex={-1}
      onClick={onPick}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onPick();
      }}
    >
      <span class="wf-name" style={{ '--depth': Math.min(depth, 8) }}>
        {hasChildren ? <Fold isClosed={isClosed} onToggle={onToggle} /> : <span class="wf-fold" />}
        <span class="wf-kind" data-kind={kind} aria-hidden="true" />
        <span class="cut wf-label">{name}</span>
      </span>
      <span class="wf-track">
        <span
          class="wf-bar"
          data-kind={kind}
          data-state={status}
          style={{ left: `${left * 100}%`, width: `max(3px, ${width * 100}%)` }}
          title={`${KIND_NAMES[kind]} ${name}: ${took}`}
        />
        {side === 'inside' && THIN.has(kind) && row.isCrash !== true ? null : (
          <span class={`wf-took number ${side}`} style={placeOf(side, left, width)}>
            {row.isCrash === true ? `${took}, crashed` : took}
          </span>
        )}
        {(row.ticks ?? []).map((at) => (
          <span key={at} class="wf-wake" style={{ left: `${time.at(at) * 100}%` }} />
        ))}
        {crashes.map((at) => (
          <span key={at} class="wf-crash" style={{ left: `${time.at(at) * 100}%` }} />
        ))}
      </span>
    </div>
  );
}

function Fold({ isClosed, onToggle }: { readonly isClosed: boolean; readonly onToggle: () => void }) {
  return (
    <button
      type="button"
      class="wf-fold"
      tabIndex={-1}
      aria-label={isClosed ? 'Expand' : 'Collapse'}
      onClick={(event) => {
        event.stopPropagation();
        onToggle();
      }}
    >
      {isClosed ? '▸' : '▾'}
    </button>
  );
}

/** How long it took stands behind the bar, before it where there is no room, and on it where it fills the track. */
type Side = 'after' | 'before' | 'inside';

function sideOf(left: number, width: number, room: number): Side {
  if (left + width <= 0.86) return 'after';
  return left >= room ? 'before' : 'inside';
}

/** On a bar it stands at its start: the end of one that is open fades. */
function placeOf(side: Side, left: number, width: number): { readonly left?: string; readonly right?: string } {
  if (side === 'before') return { right: `${(1 - left) * 100}%` };
  return { left: `${(side === 'after' ? left + width : left) * 100}%` };
}

/** Too thin to be written on. */
const THIN: ReadonlySet<Row['kind']> = new Set(['run', 'attempt', 'phase', 'pattern']);

const STATES = { ok: 'done', error: 'failed', open: 'open' } as const;
