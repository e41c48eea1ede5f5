import { useComputed } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { unreachableServer } from '../api/problem.js';
import { type KeyAction, useKeys } from '../app/keys.js';
import { useTitle } from '../app/page-title.js';
import { type Params, place, setQuery } from '../router/router.js';
import { Boundary } from '../ui/boundary.js';
import { ErrorNote } from '../ui/error-note.js';
import { statusText } from '../ui/status-words.js';
import { TabBar } from '../ui/tab-bar.js';
import { keepInAddress } from './address.js';
import { RunHead } from './run-head.js';
import type { RunModel } from './run-model.js';
import { tabs } from './tabs.js';
import { TimeSlider } from './time-slider.js';
import { watchRun } from './watch-run.js';
import './run.css';

/** One run: how it stands, what it did, and what can be done about it. */
export function RunPage({ params }: { readonly params: Params }) {
  const runId = params['runId'] ?? '';
  const model = useMemo(() => watchRun(runId), [runId]);
  useEffect(() => () => model.close(), [model]);
  useEffect(() => {
    const { path, query } = place.peek();
    let own = query;
    return keepInAddress(model, {
      query: () => {
        if (place.value.path === path) own = place.value.query; // the address of the next page is none of ours
        return own;
      },
      set: (changes) => {
        if (place.peek().path === path) setQuery(changes);
      },
    });
  }, [model]);
  useTitle(titleOf(model));
  if (model.problem.value !== undefined && model.entries.value.length === 0)
    return <ErrorNote error={model.problem.value} onRetry={() => model.refresh()} />;
  if (model.card.value === undefined && model.entries.value.length === 0) return <NotThere model={model} />;
  return (
    <div class="run-page">
      <RunHead model={model} />
      {model.isCut.value ? (
        <div class="note warn" role="status">
          <strong>Only the beginning is shown</strong>
          <p>
            The journal is too long for this page. The complete journal is at <code>/v1/runs/{runId}/entries</code>and
            in <code>flyball export {runId}</code>.
          </p>
        </div>
      ) : null}
      {model.parentProblem.value === undefined ? null : (
        <div class="note warn" role="status">
          <strong>Inherited entries cannot be shown</strong>
          <p>The original run cannot be read. All entries of this run are shown.</p>
        </div>
      )}
      <TimeSlider model={model} />
      <RunTabs model={model} />
    </div>
  );
}

/** Status, agent and what was asked: what tells one tab from another. */
function titleOf(model: RunModel): string | undefined {
  const card = model.card.value;
  if (card === undefined) return undefined;
  const { status, agent, asked } = card;
  return `${statusText(status)}: ${agent}${asked === undefined ? '' : ` – ${asked}`}`;
}

/** Neither the run nor an error is there yet. */
function NotThere({ model }: { readonly model: RunModel }) {
  if (model.connection.value === 'waiting') return <ErrorNote error={unreachableServer(undefined)} />;
  return <p class="quiet">Reading…</p>;
}

function RunTabs({ model }: { readonly model: RunModel }) {
  const shown = useComputed(() => tabs.filter((tab) => tab.available(model))).value;
  const wanted = place.value.query.get('tab');
  const current = shown.find(({ id }) => id === wanted) ?? shown[0];
  const pick = (id: string) => setQuery({ tab: id === tabs[0]?.id ? undefined : id });
  const ids = shown.map(({ id }) => id).join(' ');
  useKeys(useMemo(() => shown.map((tab, index) => tabKey(tab.title, index, () => pick(tab.id))), [ids]));
  if (current === undefined) return null;
  return (
    <>
      <TabBar tabs={shown} current={current.id} onPick={pick} label="Views of the run" />
      <div class="run-panel" role="tabpanel" id={`panel-${current.id}`} aria-labelledby={`tab-${current.id}`}>
        <Boundary key={current.id}>
          <current.View model={model} />
        </Boundary>
      </div>
    </>
  );
}

function tabKey(title: string, index: number, run: () => void): KeyAction {
  return { keys: String(index + 1), what: `Show ${title.toLowerCase()}`, run };
}
