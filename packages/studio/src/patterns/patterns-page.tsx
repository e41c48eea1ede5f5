import { useMemo, useRef } from 'preact/hooks';
import { useKeys } from '../app/keys.js';
import { useLoaded } from '../forms/use-loaded.js';
import { href, type Params, place, setQuery } from '../router/router.js';
import { Badge } from '../ui/badge.js';
import { Empty } from '../ui/empty.js';
import { ErrorNote } from '../ui/error-note.js';
import { type Catalogue, filtered, type PatternInfo, readCatalogue, statusWord } from './catalogue.js';
import { arrowsOf } from './graph-layout.js';
import { PatternView, STATUS_TONES } from './pattern-view.js';
import { RelationGraph } from './relation-graph.js';
import './patterns.css';

/** The catalogue: what there is, how it hangs together, and what it costs. */
export function PatternsPage({ params }: { readonly params: Params }) {
  const { value, problem, again } = useLoaded(readCatalogue, []);
  if (problem !== undefined) return <ErrorNote error={problem} onRetry={again} />;
  if (value === undefined) return <p class="quiet">Reading…</p>;
  const wanted = params['id'];
  if (wanted === undefined) return <Overview catalogue={value} />;
  const found = value.patterns.find(({ id, exports: names }) => id === wanted || names.includes(wanted));
  if (found === undefined)
    return (
      <Empty title="No such pattern">
        <a href={href('/patterns')}>All patterns</a>
      </Empty>
    );
  return <PatternView pattern={found} catalogue={value} />;
}

function Overview({ catalogue }: { readonly catalogue: Catalogue }) {
  const { query } = place.value;
  const shown = filtered(catalogue.patterns, {
    text: query.get('q') ?? '',
    category: query.get('category') ?? '',
    status: query.get('status') ?? '',
  });
  return (
    <div class="patterns">
      <header class="pattern-head">
        <h1>Patterns</h1>
        <span class="quiet number" data-count={shown.length}>
          {shown.length} of {catalogue.patterns.length}
        </span>
      </header>
      <Filters catalogue={catalogue} />
      {query.get('view') === 'graph' ? (
        <Graph catalogue={catalogue} shown={shown} />
      ) : (
        <Grid catalogue={catalogue} shown={shown} />
      )}
    </div>
  );
}

function Filters({ catalogue: { categories } }: { readonly catalogue: Catalogue }) {
  const search = useRef<HTMLInputElement>(null);
  useKeys(useMemo(() => [{ keys: '/', what: 'Search the patterns', run: () => search.current?.focus() }], []));
  const { query } = place.value;
  const view = query.get('view') === 'graph' ? 'graph' : 'grid';
  return (
    <search class="pattern-filters" aria-label="Filter patterns">
      <input
        ref={search}
        class="field"
        type="search"
        placeholder="Search ( / )"
        aria-label="Search the patterns"
        value={query.get('q') ?? ''}
        onInput={(event) => setQuery({ q: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Escape' || event.key === 'Enter') event.currentTarget.blur();
        }}
      />
      <Choice name="category" label="Category" all="All categories" of={categories.map(({ id }) => id)} />
      <Choice name="status" label="Status" all="All statuses" of={Object.keys(STATUS_TONES)} />
      <button
        type="button"
        class="button"
        aria-pressed={view === 'graph'}
        onClick={() => setQuery({ view: view === 'graph' ? undefined : 'graph' })}
      >
        {view === 'graph' ? 'Show the grid' : 'Show the graph'}
      </button>
    </search>
  );
}

function Choice({
  name,
  label,
  all,
  of,
}: {
  readonly name: string;
  readonly label: string;
  readonly all: string;
  readonly of: readonly string[];
}) {
  return (
    <select
      class="field"
      aria-label={label}
      value={place.value.query.get(name) ?? ''}
      onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
    >
      <option value="">{all}</option>
      {of.map((value) => (
        <option key={value} value={value}>
          {value}
        </option>
      ))}
    </select>
  );
}

interface Shown {
  readonly catalogue: Catalogue;
  readonly shown: readonly PatternInfo[];
}

function Grid({ catalogue: { categories }, shown }: Shown) {
  if (shown.length === 0) return <Empty title="No pattern fits">Change the filter.</Empty>;
  return (
    <>
      {categories.map(({ id, about }) => {
        const own = shown.filter(({ category }) => category === id);
        return own.length === 0 ? null : (
          <section key={id} aria-label={id} data-category={id}>
            <h2>{id}</h2>
            <p class="quiet">{about}</p>
            <div class="pattern-grid">
              {own.map((pattern) => (
                <Card key={pattern.id} pattern={pattern} />
              ))}
            </div>
          </section>
        );
      })}
    </>
  );
}

function Card({ pattern }: { readonly pattern: PatternInfo }) {
  const { id, name, exports: names, purpose, formula } = pattern;
  const word = statusWord(pattern);
  return (
    <a class="card card-body pattern-card" href={href(`/patterns/${id}`)} data-pattern={id}>
      <span class="pattern-card-head">
        <strong>
          {id} {name}
        </strong>
        <Badge tone={STATUS_TONES[word]}>{word}</Badge>
      </span>
      <code>{names[0]}</code>
      <span>{purpose}</span>
      <span class="quiet">
        Model calls: <code>{formula}</code>
      </span>
    </a>
  );
}

function Graph({ catalogue: { relations }, shown }: Shown) {
  const names = new Map(shown.map(({ id, name }) => [id, name]));
  return (
    <section class="card card-body" aria-label="Relations">
      <RelationGraph ids={[...names.keys()]} names={names} arrows={arrowsOf(relations)} />
    </section>
  );
}
