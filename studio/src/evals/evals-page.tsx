import { useLoaded } from '../forms/use-loaded.js';
import { navigate, type Params } from '../router/router.js';
import { dollars } from '../ui/amounts.js';
import { Ago } from '../ui/amounts-view.js';
import { Code } from '../ui/code.js';
import { Empty } from '../ui/empty.js';
import { ErrorNote } from '../ui/error-note.js';
import { Table } from '../ui/table.js';
import { CostPlot } from './cost-plot.js';
import { type EvaluationCard, type EvaluationDetail, evaluations, type Figures, type Share } from './evaluations.js';
import './evals.css';

/** Results of evaluations that the server finds in its folder. */
export function EvalsPage({ params }: { readonly params: Params }) {
  const list = useLoaded(evaluations.list, []);
  if (list.problem !== undefined) return <ErrorNote error={list.problem} onRetry={list.again} />;
  if (list.value === undefined) return <p class="quiet">Reading…</p>;
  if (list.value.length === 0) return <Nothing />;
  const id = params['id'] ?? list.value[0]?.id ?? '';
  return (
    <div class="evals">
      <header class="evals-head">
        <h1>Evaluations</h1>
        <Choose list={list.value} id={id} />
      </header>
      <Evaluation key={id} id={id} />
    </div>
  );
}

const COMMANDS = `flyball evals run --agent baseline governed --limit 5\nflyball serve --evals .flyball/evals`;

function Nothing() {
  return (
    <Empty title="No evaluation has results yet">
      <p>Run one, and have the server read its folder:</p>
      <div class="evals-commands">
        <Code value={COMMANDS} label="Commands" />
      </div>
    </Empty>
  );
}

function Choose({ list, id }: { readonly list: readonly EvaluationCard[]; readonly id: string }) {
  return (
    <label>
      <span class="visually-hidden">Evaluation</span>
      <select
        class="field"
        value={id}
        onChange={(event) => navigate(`/evals/${encodeURIComponent(event.currentTarget.value)}`)}
      >
        {list.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name}
          </option>
        ))}
      </select>
    </label>
  );
}

function Evaluation({ id }: { readonly id: string }) {
  const found = useLoaded(() => evaluations.get(id), [id]);
  if (found.problem !== undefined) return <ErrorNote error={found.problem} onRetry={found.again} />;
  if (found.value === undefined) return <p class="quiet">Reading…</p>;
  const { points, summaries, unread, updatedAt, name } = found.value;
  return (
    <>
      <p class="quiet">
        {name}, <Ago at={updatedAt} />
      </p>
      <div class="card card-body">
        {points.length === 0 ? (
          <p class="quiet">No condition has both a pass rate and a cost, so there is nothing to plot.</p>
        ) : (
          <CostPlot points={points} />
        )}
      </div>
      {summaries.length === 0 ? null : <Rows evaluation={found.value} />}
      {unread.map(({ file, why }) => (
        <p key={file} class="note warn">
          <code>{file}</code>: {why}
        </p>
      ))}
    </>
  );
}

function Rows({ evaluation: { summaries, points } }: { readonly evaluation: EvaluationDetail }) {
  const numberOf = (label: string): string => {
    const at = points.findIndex((point) => point.label === label);
    return at < 0 ? '' : String(at + 1);
  };
  return (
    <div class="card">
      <Table
        label="Conditions"
        rows={summaries}
        keyOf={({ file }) => file}
        columns={[
          { title: '#', align: 'right', cell: ({ label }) => numberOf(label) },
          { title: 'Condition', cell: ({ label }) => label },
          { title: 'Passed', align: 'right', cell: ({ pass1 }) => passed(pass1) },
          { title: 'pass^k', align: 'right', cell: ({ passHat }) => passHat.map((one) => one.toFixed(2)).join(' ') },
          { title: 'DB match', align: 'right', cell: ({ dbMatch }) => share(dbMatch) },
          { title: 'Cost a task', align: 'right', cell: (row) => mean(row, 'costPerTask', dollars) },
          {
            title: 'Duration',
            align: 'right',
            cell: (row) => mean(row, 'seconds', (value) => `${value.toFixed(1)} s`),
          },
          { title: 'Model calls', align: 'right', cell: (row) => mean(row, 'modelCalls') },
          { title: 'Tool calls', align: 'right', cell: (row) => mean(row, 'toolCalls') },
          { title: 'Turns', align: 'right', cell: (row) => mean(row, 'turns') },
          {
            title: 'Cached',
            align: 'right',
            cell: ({ cacheShare: { hits, of } }) => (of === 0 ? '–' : percent(hits / of)),
          },
          { title: 'N', align: 'right', cell: ({ simulations }) => simulations },
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
    <span title="95 of 100 such intervals hold the true share">
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
