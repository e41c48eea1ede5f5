import { useSignalEffect } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type KeyAction, useKeys } from '../app/keys.js';
import { navigate, place, setQuery } from '../router/router.js';
import { sorted, sortingFrom } from '../store/runs-order.js';
import { RunsStore } from '../store/runs-store.js';
import { Empty } from '../ui/empty.js';
import { ErrorNote } from '../ui/error-note.js';
import { VirtualList } from '../ui/virtual-list.js';
import { RunFilters } from './run-filters.js';
import { RunRow, RunRowHead, useRowHeight } from './run-row.js';
import './runs.css';

/** All runs as they change, newest first unless a column says otherwise. */
export function RunsPage() {
  const store = useMemo(() => new RunsStore(), []);
  useEffect(() => {
    store.open();
    return () => store.close();
  }, [store]);
  useSignalEffect(() => store.setFilter(filterIn(place.value.query)));
  const search = useRef<HTMLInputElement>(null);
  const [picked, setPicked] = useState<string>();
  const sorting = sortingFrom(place.value.query);
  const cards = sorted(store.cards.value, sorting);
  const pickedRow = cards.findIndex(({ id }) => id === picked);
  useKeys(useMemo(() => listKeys(store, setPicked, search), [store]));
  useEffect(() => {
    if (picked !== undefined) document.getElementById(`run-${picked}`)?.focus({ preventScroll: true });
  }, [picked]);
  const rowHeight = useRowHeight();
  return (
    <>
      <div class="runs-head">
        <h1>Runs</h1>
        <span class="quiet" role="status">
          {store.loading.value
            ? 'Loading'
            : store.loadedOnce.value
              ? `${cards.length}${store.hasMore.value ? ' or more' : ''}${sorting !== undefined && store.hasMore.value ? ', sorted among those loaded' : ''}`
              : ''}
        </span>
        <RunFilters store={store} search={search} />
      </div>
      {store.problem.value === undefined ? null : (
        <ErrorNote error={store.problem.value} onRetry={() => void store.load()} />
      )}
      <div class="card runs">
        <RunRowHead sorting={sorting} />
        {cards.length === 0 && store.loadedOnce.value ? (
          <Nothing filtered={Object.keys(filterIn(place.value.query)).length > 0} />
        ) : (
          <VirtualList
            items={cards}
            rowHeight={rowHeight}
            label="Runs"
            class="runs-list"
            keyOf={({ id }) => id}
            row={(card) => <RunRow card={card} picked={card.id === picked} />}
            {...(pickedRow < 0 ? {} : { shownRow: pickedRow })}
            onEnd={() => void store.more()}
          />
        )}
      </div>
      {store.hasMore.value ? (
        <button type="button" class="button more" disabled={store.loading.value} onClick={() => void store.more()}>
          Load more
        </button>
      ) : null}
    </>
  );
}

function Nothing({ filtered }: { readonly filtered: boolean }) {
  return filtered ? (
    <Empty title="No run fits the filters">
      <button type="button" class="button" onClick={() => navigate('/runs')}>
        Clear the filters
      </button>
    </Empty>
  ) : (
    <Empty title="No runs yet">Start one from the playground (press g p), or with POST /v1/runs.</Empty>
  );
}

function filterIn(query: URLSearchParams) {
  const status = query.get('status');
  const agent = query.get('agent');
  const search = query.get('q');
  return {
    ...(status === null ? {} : { status }),
    ...(agent === null ? {} : { agent }),
    ...(search === null ? {} : { search }),
  };
}

function listKeys(
  store: RunsStore,
  pick: (change: (before: string | undefined) => string | undefined) => void,
  search: { readonly current: HTMLInputElement | null },
): readonly KeyAction[] {
  const move = (by: number) =>
    pick((before) => {
      const cards = sorted(store.cards.peek(), sortingFrom(place.peek().query));
      const at = cards.findIndex(({ id }) => id === before);
      const to = at < 0 ? 0 : Math.min(cards.length - 1, Math.max(0, at + by));
      return cards[to]?.id;
    });
  return [
    { keys: 'j', what: 'Next run', run: () => move(1) },
    { keys: 'k', what: 'Run before', run: () => move(-1) },
    {
      keys: 'Enter',
      what: 'Open the run',
      run: () =>
        pick((id) => {
          if (id !== undefined) navigate(`/runs/${encodeURIComponent(id)}`);
          return id;
        }),
    },
    { keys: '/', what: 'Search', run: () => search.current?.focus() },
    {
      keys: 'x',
      what: 'Clear the filters',
      run: () => setQuery({ status: undefined, agent: undefined, q: undefined }),
    },
  ];
}
