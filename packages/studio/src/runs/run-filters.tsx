import type { RefObject } from 'preact';
import { place, setQuery } from '../router/router.js';
import { nextSorting, SORTS, sortingFrom } from '../store/runs-order.js';
import type { RunsStore } from '../store/runs-store.js';
import { STATUS_WORDS } from '../ui/status-words.js';
import { TITLES } from './run-row.js';

/** On a phone there are no columns to click on. */
function SortField() {
  const sorting = sortingFrom(place.value.query);
  return (
    <select
      class="field sort-field"
      aria-label="Sort by"
      value={sorting?.by ?? ''}
      onChange={(event) => {
        const by = SORTS.find((known) => known === event.currentTarget.value);
        const next = by === undefined ? undefined : nextSorting(undefined, by);
        setQuery({ sort: next?.by, order: next?.order });
      }}
    >
      <option value="">Newest first</option>
      {SORTS.map((by) => (
        <option key={by} value={by}>
          By {TITLES[by].toLowerCase()}
        </option>
      ))}
    </select>
  );
}

const STATUSES = Object.entries(STATUS_WORDS);

/** What is filtered for stands in the address, so that it can be sent to somebody. */
export function RunFilters({
  store,
  search,
}: {
  readonly store: RunsStore;
  readonly search: RefObject<HTMLInputElement | null>;
}) {
  const { query } = place.value;
  const agent = query.get('agent') ?? '';
  const agents = store.agents.value;
  return (
    <search class="run-filters" aria-label="Filter runs">
      <input
        ref={search}
        class="field"
        type="search"
        placeholder="Search ( / )"
        aria-label="Search the list"
        value={query.get('q') ?? ''}
        onInput={(event) => setQuery({ q: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Escape' || event.key === 'Enter') event.currentTarget.blur();
        }}
      />
      <select
        class="field"
        aria-label="Status"
        value={query.get('status') ?? ''}
        onChange={(event) => setQuery({ status: event.currentTarget.value })}
      >
        <option value="">All statuses</option>
        {STATUSES.map(([value, { text }]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      <select
        class="field"
        aria-label="Agent"
        value={agent}
        onChange={(event) => setQuery({ agent: event.currentTarget.value })}
      >
        <option value="">All agents</option>
        {(agent === '' || agents.includes(agent) ? agents : [agent, ...agents]).map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <SortField />
    </search>
  );
}
