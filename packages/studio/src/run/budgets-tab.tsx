import type { CostLine } from '../../../flyball/src/views/cost.js';
import { AXIS_NAMES, amountOn, count, dollars } from '../ui/amounts.js';
import { Bars } from '../ui/bars.js';
import { type Column, Table } from '../ui/table.js';
import type { RunModel } from './run-model.js';

type Cut = CostLine & { readonly name: string };

const COLUMNS: readonly Column<Cut>[] = [
  { title: 'Spent on', cell: ({ name }) => name },
  { title: 'Calls', align: 'right', cell: ({ calls }) => count(calls) },
  { title: 'Tokens in', align: 'right', cell: ({ tokensIn }) => count(tokensIn) },
  { title: 'Cached', align: 'right', cell: ({ cacheRead }) => count(cacheRead) },
  { title: 'Tokens out', align: 'right', cell: ({ tokensOut }) => count(tokensOut) },
  { title: 'Cost', align: 'right', cell: ({ costUsd }) => dollars(costUsd) },
];

/** What the run may spend, has spent, and on what. */
export function BudgetsTab({ model }: { readonly model: RunModel }) {
  const { usage, warnings } = model.summary.value;
  const { byPhase, byModel } = model.cost.value;
  return (
    <div class="stack">
      <section class="card card-body">
        <h2>Budgets</h2>
        <Bars usage={usage} />
        {warnings.length === 0 ? null : (
          <ul class="plain-list warnings">
            {warnings.map(({ axis, spent, limit, node }, index) => (
              <li key={index}>
                {AXIS_NAMES[axis]}
                {node === '' ? '' : ` of ${node}`} reached {amountOn(axis, spent)} of {amountOn(axis, limit)}.
              </li>
            ))}
          </ul>
        )}
      </section>
      <Cuts title="By phase" of={byPhase} />
      <Cuts title="By model" of={byModel} />
    </div>
  );
}

function Cuts({ title, of }: { readonly title: string; readonly of: Readonly<Record<string, CostLine>> }) {
  const rows = Object.entries(of).map(([name, line]) => ({ name, ...line }));
  if (rows.length === 0) return null;
  return (
    <section class="card">
      <h2 class="card-title">{title}</h2>
      <Table columns={COLUMNS} rows={rows} keyOf={({ name }) => name} label={`Cost ${title.toLowerCase()}`} />
    </section>
  );
}
