import { useTitle } from '../app/page-title.js';
import { useLoaded } from '../forms/use-loaded.js';
import { href } from '../router/router.js';
import { Badge } from '../ui/badge.js';
import { ErrorNote } from '../ui/error-note.js';
import { type Column, Table } from '../ui/table.js';
import { Calculator } from './calculator.js';
import {
  type Catalogue,
  type ParamInfo,
  type PatternInfo,
  type RelationInfo,
  readLaboratory,
  type SeatInfo,
  statusWord,
} from './catalogue.js';
import { arrowsOf, neighborsOf } from './graph-layout.js';
import { LaboratoryOf } from './laboratory-view.js';
import { KIND_WORDS, RelationGraph } from './relation-graph.js';

export const STATUS_TONES = { complete: 'good', 'in part': 'warn', 'not built': 'idle' } as const;

/** One pattern: what it is for, what it costs, what it needs and what was measured about it. */
export function PatternView({ pattern, catalogue }: { readonly pattern: PatternInfo; readonly catalogue: Catalogue }) {
  const { id, name, exports: names, kind, band, category, purpose, whenNot, clauses } = pattern;
  useTitle(`${id} ${name}`);
  const laboratory = useLoaded(readLaboratory, []);
  const word = statusWord(pattern);
  return (
    <div class="patterns">
      <p>
        <a href={href('/patterns')}>All patterns</a>
      </p>
      <header class="pattern-head">
        <h1>
          {id} {name}
        </h1>
        <Badge tone={STATUS_TONES[word]}>{word}</Badge>
        <span class="quiet">
          {names.map((one) => (
            <code key={one}>{one} </code>
          ))}
          {kind}, {category}: {band}
        </span>
      </header>
      <p>{purpose}</p>
      <p>{whenNot}</p>
      <div class="pattern-columns">
        <Calculator pattern={pattern} />
        <Relations id={id} catalogue={catalogue} />
      </div>
      {laboratory.problem === undefined ? null : <ErrorNote error={laboratory.problem} onRetry={laboratory.again} />}
      {laboratory.value === undefined ? null : <LaboratoryOf id={id} laboratory={laboratory.value} />}
      <Facts pattern={pattern} />
      <section class="card card-body">
        <h2>What must hold</h2>
        <ul class="plain-list">
          {clauses.map(({ id: clause, text, shows }) => (
            <li key={clause} title={shows.join('\n')}>
              <span aria-hidden="true">{shows.length > 0 ? '✓ ' : '· '}</span>
              <code>{clause}</code> {text} {shows.length > 0 ? null : <span class="quiet">(no test yet)</span>}
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

const OPTIONS: readonly Column<ParamInfo & { readonly name: string }>[] = [
  { title: 'Option', cell: ({ name }) => <code>{name}</code> },
  { title: 'Default', cell: ({ default: given }) => given ?? 'required' },
  { title: 'Usual', cell: ({ range }) => (range === undefined ? '' : `${range[0]} to ${range[1]}`) },
];
const SEATS: readonly Column<SeatInfo & { readonly name: string }>[] = [
  { title: 'Seat', cell: ({ name }) => name },
  { title: 'Tools', cell: ({ tools }) => tools },
  { title: 'Not the session of', cell: ({ apartFrom = [] }) => apartFrom.join(', ') },
  { title: 'Other model', cell: ({ otherModel = '' }) => otherModel },
];
const FAILURES: readonly Column<PatternInfo['failures'][number]>[] = [
  { title: 'Failure', cell: ({ sign }) => sign },
  { title: 'How it ends', cell: ({ end }) => end },
];

function Facts({ pattern: { params, seats, failures } }: { readonly pattern: PatternInfo }) {
  const named = <T extends object>(of: Readonly<Record<string, T>>) =>
    Object.entries(of).map(([name, value]) => ({ name, ...value }));
  return (
    <div class="pattern-columns">
      {Object.keys(params).length === 0 ? null : (
        <section class="card">
          <h2 class="card-title">Options</h2>
          <Table label="Options" columns={OPTIONS} rows={named(params)} keyOf={({ name }) => name} />
        </section>
      )}
      {Object.keys(seats).length === 0 ? null : (
        <section class="card">
          <h2 class="card-title">Seats</h2>
          <Table label="Seats" columns={SEATS} rows={named(seats)} keyOf={({ name }) => name} />
        </section>
      )}
      <section class="card">
        <h2 class="card-title">Failures</h2>
        <Table label="Failures" columns={FAILURES} rows={failures} keyOf={({ sign }) => sign} />
      </section>
    </div>
  );
}

/** What it needs and what needs it, as a graph and in words. */
function Relations({ id, catalogue: { relations, patterns } }: { readonly id: string; readonly catalogue: Catalogue }) {
  const own = relations.filter(({ from, to }) => from === id || to.includes(id));
  if (own.length === 0) return null;
  const arrows = arrowsOf(own);
  const names = new Map(patterns.map((pattern) => [pattern.id, pattern.name]));
  return (
    <section class="card card-body" aria-label="Relations">
      <h2>Relations</h2>
      <RelationGraph ids={neighborsOf(id, arrows, [...names.keys()])} names={names} arrows={arrows} middle={id} />
      <ul class="plain-list">
        {own.map((relation, index) => (
          <li key={index}>
            <RelationText relation={relation} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function RelationText({ relation: { from, kind, to, why } }: { readonly relation: RelationInfo }) {
  return (
    <>
      <End id={from} /> {KIND_WORDS[kind]}{' '}
      {to.map((end, index) => (
        <span key={end}>
          {index === 0 ? '' : ' or '}
          <End id={end} />
        </span>
      ))}
      : <span class="quiet">{why}</span>
    </>
  );
}

const WORDS: Readonly<Record<string, string>> = {
  '*agent': 'every agent',
  '*loop': 'every loop',
  '*cache': "the provider's prefix cache",
  '*native': "the provider's structured output",
};

function End({ id }: { readonly id: string }) {
  return /^[A-Z]\d+$/.test(id) ? (
    <a href={href(`/patterns/${id}`)}>{id}</a>
  ) : (
    <span>{WORDS[id] ?? id.replace(':', ' ')}</span>
  );
}
