import { useSignalEffect } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
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
  const picked = place.value.query.get('picked');
  const sorting = sortingFrom(place.value.query);
  const cards = sorted(store.cards.value, sorting);
  const pickedRow = cards.findIndex(({ id }) => id === picked);
  useKeys(useMemo(() => listKeys(store, search), [store]));
  const isShown = pickedRow >= 0;
  useEffect(() => {
    if (isShown && picked !== null) focusRow(picked);
  }, [picked, isShown]);
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
    <Empty title="No runs match the filters">
      <button type="button" class="button" onClick={() => navigate('/runs')}>
        Clear filters
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

/** Whoever types is left alone: the row may come into the list by what is typed. */
function focusRow(id: string): void {
  if (document.activeElement?.matches('input, select, textarea') === true) return;
  document.getElementById(`run-${id}`)?.focus({ preventScroll: true });
}

function listKeys(store: RunsStore, search: { readonly current: HTMLInputElement | null }): readonly KeyAction[] {
  const picked = () => place.peek().query.get('picked');
  const move = (by: number) => {
    const cards = sorted(store.cards.peek(), sortingFrom(place.peek().query));
    const at = cards.findIndex(({ id }) => id === picked());
    const to = at < 0 ? 0 : Math.min(cards.length - 1, Math.max(0, at + by));
    setQuery({ picked: cards[to]?.id });
  };
  return [
    { keys: 'j', what: 'Next run', run: () => move(1) },
    { keys: 'k', what: 'Previous run', run: () => move(-1) },
    {
      keys: 'Enter',
      what: 'Open the run',
      run: () => {
        const id = picked();
        if (id !== null) navigate(`/runs/${encodeURIComponent(id)}`);
      },
    },
    { keys: '/', what: 'Search', run: () => search.current?.focus() },
    {
      keys: 'x',
      what: 'Clear filters',
      run: () => setQuery({ status: undefined, agent: undefined, q: undefined }),
    },
  ];
}
