import { useTitle } from '../app/page-title.js';
import { useLoaded } from '../forms/use-loaded.js';
import { navigate, type Params, place } from '../router/router.js';
import { Ago } from '../ui/amounts-view.js';
import { Code } from '../ui/code.js';
import { Empty } from '../ui/empty.js';
import { ErrorNote } from '../ui/error-note.js';
import { ConditionTable } from './condition-table.js';
import { CostPlot } from './cost-plot.js';
import { type EvaluationCard, evaluations } from './evaluations.js';
import { Conversation, Simulations } from './simulations-view.js';
import './evals.css';

/** Results of evaluations that the server finds in its folder. */
export function EvalsPage({ params }: { readonly params: Params }) {
  const list = useLoaded(evaluations.list, []);
  const shown = list.value?.find(({ id: one }) => one === params['id']);
  useTitle(shown === undefined ? undefined : `Evaluations: ${shown.name}`);
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
    <Empty title="No evaluation results yet">
      <p>Run an evaluation, then start the server with its folder:</p>
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
  const { query } = place.value;
  const row = summaries.find(({ file }) => file === query.get('file'));
  const simulation = query.get('simulation');
  if (row !== undefined && simulation !== null)
    return <Conversation chosen={{ id, file: row.file }} simulation={simulation} />;
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
      {summaries.length === 0 ? null : <ConditionTable evaluation={found.value} />}
      {row === undefined ? null : <Simulations chosen={{ id, file: row.file }} label={row.label} />}
      {unread.map(({ file, why }) => (
        <p key={file} class="note warn">
          <code>{file}</code>: {why}
        </p>
      ))}
    </>
  );
}
