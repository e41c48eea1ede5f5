import type { ComponentChildren } from 'preact';
import { dollars } from '../ui/amounts.js';
import { type Column, Table } from '../ui/table.js';
import type { EvaluationDetail, Figures, Share } from './evaluations.js';
import { placeOf } from './simulations-view.js';

/** The conditions of an evaluation. Every figure leads to the simulations behind it. */
export function ConditionTable({ evaluation: { id, summaries, points } }: { readonly evaluation: EvaluationDetail }) {
  const numberOf = (label: string): string => {
    const at = points.findIndex((point) => point.label === label);
    return at < 0 ? '' : String(at + 1);
  };
  const figure = (title: string, cell: (row: Figures) => ComponentChildren): Column<Figures> => ({
    title,
    align: 'right',
    cell: (row) => (
      <a
        class="eval-cell"
        href={placeOf({ id, file: row.file })}
        title={`The ${row.simulations} simulations behind it`}
      >
        {cell(row)}
      </a>
    ),
  });
  return (
    <div class="card">
      <Table
        label="Conditions"
        rows={summaries}
        keyOf={({ file }) => file}
        columns={[
          { title: '#', align: 'right', cell: ({ label }) => numberOf(label) },
          { title: 'Condition', cell: ({ label }) => label },
          figure('Passed', ({ pass1 }) => passed(pass1)),
          figure('pass^k', ({ passHat }) => passHat.map((one) => one.toFixed(2)).join(' ')),
          figure('DB match', ({ dbMatch }) => share(dbMatch)),
          figure('Cost per task', (row) => mean(row, 'costPerTask', dollars)),
          figure('Duration', (row) => mean(row, 'seconds', (value) => `${value.toFixed(1)} s`)),
          figure('Model calls', (row) => mean(row, 'modelCalls')),
          figure('Tool calls', (row) => mean(row, 'toolCalls')),
          figure('Turns', (row) => mean(row, 'turns')),
          figure('Cached', ({ cacheShare: { hits, of } }) => (of === 0 ? '–' : percent(hits / of))),
          figure('N', ({ simulations }) => simulations),
          { title: 'Tasks', align: 'right', cell: ({ tasks }) => tasks },
          { title: 'Not counted', align: 'right', cell: (row) => row.infrastructureErrors + row.unscored },
        ]}
      />
    </div>
  );
}

function passed(pass1: Figures['pass1']) {
  if (pass1 === null) return '–';
  return (
    <span title="95% confidence interval">
      {percent(pass1.value)}{' '}
      <span class="quiet">
        ({percent(pass1.low)} to {percent(pass1.high)})
      </span>
    </span>
  );
}

type MeanName = 'turns' | 'modelCalls' | 'toolCalls' | 'seconds' | 'costPerTask';

/** Says what it is over where that is not N. */
function mean(row: Figures, name: MeanName, form: (value: number) => string = (value) => value.toFixed(1)): string {
  const { value, of } = row[name];
  if (value === null) return '–';
  return of === row.simulations ? form(value) : `${form(value)} (n = ${of})`;
}

function share({ hits, of }: Share): string {
  return of === 0 ? '–' : `${hits} / ${of} = ${percent(hits / of)}`;
}

function percent(of: number): string {
  return `${Math.round(of * 100)} %`;
}
