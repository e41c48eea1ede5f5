import type { RunCard } from '../api/types.js';
import { href, setQuery } from '../router/router.js';
import { useCalmStatus } from '../run/calm-status.js';
import { nextSorting, SORTS, type SortBy, type Sorting } from '../store/runs-order.js';
import { AXIS_NAMES } from '../ui/amounts.js';
import { Ago } from '../ui/amounts-view.js';
import { Badge, StatusBadge } from '../ui/badge.js';
import { DemonstrationMark } from '../ui/demonstration-mark.js';
import { Gauge } from '../ui/gauge.js';
import { useNarrow } from '../ui/use-narrow.js';
import { marksOf, nowOf, ROW_GAUGES } from './run-words.js';

export const TITLES: Readonly<Record<SortBy, string>> = {
  status: 'Status',
  agent: 'Agent',
  asked: 'Asked, and now',
  costUsd: AXIS_NAMES.costUsd,
  modelCalls: AXIS_NAMES.modelCalls,
  wallMs: AXIS_NAMES.wallMs,
  updatedAt: 'Changed',
};

const TURNED = { up: '▴', down: '▾' } as const;

/** A click on a name sorts by it; the order stands in the address. */
export function RunRowHead({ sorting }: { readonly sorting: Sorting | undefined }) {
  return (
    <div class="run-row run-row-head" role="group" aria-label="Sort the list">
      {SORTS.map((by) => {
        const order = sorting?.by === by ? sorting.order : undefined;
        return (
          <button
            key={by}
            type="button"
            class={`sort ${by === 'updatedAt' ? 'right' : ''}`}
            aria-pressed={order !== undefined}
            aria-label={`Sort by ${TITLES[by].toLowerCase()}${order === undefined ? '' : order === 'up' ? ', now ascending' : ', now descending'}`}
            onClick={() => {
              const next = nextSorting(sorting, by);
              setQuery({ sort: next?.by, order: next?.order });
            }}
          >
            {TITLES[by]} {order === undefined ? '' : TURNED[order]}
          </button>
        );
      })}
    </div>
  );
}

export function RunRow({ card, picked }: { readonly card: RunCard; readonly picked: boolean }) {
  const { id, agent, version, status, asked, usage, updatedAt } = card;
  const calm = useCalmStatus(status, card.waiting);
  const now = nowOf({ ...card, status: calm });
  return (
    <div role="listitem" class="run-item">
      <a
        class={`run-row ${picked ? 'picked' : ''}`}
        id={`run-${id}`}
        href={href(`/runs/${encodeURIComponent(id)}`)}
        onClick={() => setQuery({ picked: id })}
      >
        <span class="run-status">
          <StatusBadge status={calm} />
        </span>
        <span class="run-agent cut">
          <strong>{agent}</strong> <span class="quiet">{version}</span> <DemonstrationMark agent={agent} />
          <span class="mono quiet cut run-id">{id}</span>
        </span>
        <span class="run-what">
          <span class="run-asked cut" title={asked}>
            {asked ?? <span class="quiet">No input</span>}
          </span>
          <span class="run-now quiet">
            {marksOf(card).map(({ text, tone, title }) => (
              <Badge key={text} tone={tone} {...(title === undefined ? {} : { title })}>
                {text}
              </Badge>
            ))}
            <span class="cut" title={now}>
              {now}
            </span>
          </span>
        </span>
        {ROW_GAUGES.map((axis) => (
          <span key={axis} class={`run-gauge ${axis}`}>
            <Gauge axis={axis} use={usage[axis] ?? { spent: 0 }} short />
          </span>
        ))}
        <span class="run-changed right quiet">
          <Ago at={updatedAt} />
        </span>
      </a>
    </div>
  );
}

const TALL = 104;
const FLAT = 52;

/** Rows have one height, which the list needs to know: four lines where the screen is narrow. */
export function useRowHeight(): number {
  return useNarrow() ? TALL : FLAT;
}
