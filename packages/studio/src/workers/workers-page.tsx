import { useEffect, useState } from 'preact/hooks';
import { useLoaded } from '../forms/use-loaded.js';
import { href } from '../router/router.js';
import { Ago, useNow } from '../ui/amounts-view.js';
import { Badge } from '../ui/badge.js';
import { Empty } from '../ui/empty.js';
import { ErrorNote } from '../ui/error-note.js';
import { Table } from '../ui/table.js';
import {
  adviceFor,
  type LineInfo,
  queueText,
  readWork,
  stateShown,
  versionsText,
  type WorkerInfo,
  type WorkInfo,
} from './workers.js';
import './workers.css';

const EVERY_MS = 2000;

/** Who works on runs on this database, and what waits for them. */
export function WorkersPage() {
  // asked again some time after the last answer: a server that takes longer than that is not asked for nothing
  const [turn, setTurn] = useState(0);
  const { value, problem, again } = useLoaded(readWork, [turn]);
  const [shown, setShown] = useState<WorkInfo>(); // what is read anew takes the place of the old, without a gap
  useEffect(() => {
    if (value !== undefined) setShown(value);
    if (value === undefined && problem === undefined) return;
    const timer = setTimeout(() => setTurn((before) => before + 1), EVERY_MS);
    return () => clearTimeout(timer);
  }, [value, problem]);
  return (
    <div class="workers">
      <h1>Workers</h1>
      {problem === undefined ? null : <ErrorNote error={problem} onRetry={again} />}
      {shown === undefined ? null : <Work work={shown} />}
    </div>
  );
}

function Work({ work: { workers, queue, dispatcher } }: { readonly work: WorkInfo }) {
  return (
    <>
      <p class="queue" data-waiting={queue.runs}>
        {queueText(queue)}
        {queue.since === undefined ? null : (
          <>
            , the oldest since <Ago at={queue.since} />
          </>
        )}
        {queue.unserved === 0 ? null : <Badge tone="bad">{queue.unserved} without a worker</Badge>}
      </p>
      {dispatcher === undefined ? null : (
        <p class="dispatcher">
          A dispatcher decides which process works on a run.{' '}
          <a href={dispatcher.page} target="_blank" rel="noreferrer">
            Open its UI
          </a>
        </p>
      )}
      {workers.length === 0 ? (
        <Empty title="No workers">
          Runs continue when a worker starts: <code>flyball serve my-agents.ts --role worker</code>
        </Empty>
      ) : (
        <Table label="Workers" rows={workers} keyOf={({ owner }) => owner.id} columns={COLUMNS} />
      )}
      {queue.lines.length === 0 ? null : (
        <section aria-label="Queue">
          <h2>Waiting in the queue of your tenant</h2>
          <Table
            label="Queue"
            rows={queue.lines}
            keyOf={({ agent, version }) => `${agent} ${version}`}
            columns={LINES}
          />
        </section>
      )}
    </>
  );
}

const COLUMNS = [
  {
    title: 'Process',
    cell: ({ owner: { id, host, pid } }: WorkerInfo) => <code>{host === undefined ? id : `${host} ${pid}`}</code>,
  },
  { title: 'State', cell: (worker: WorkerInfo) => <State worker={worker} /> },
  { title: 'Agents and versions', cell: ({ agents }: WorkerInfo) => versionsText(agents) },
  {
    title: 'Runs',
    align: 'right' as const,
    cell: ({ runs, concurrency }: WorkerInfo) => (concurrency === undefined ? runs : `${runs} of ${concurrency}`),
  },
  { title: 'Weight', align: 'right' as const, cell: ({ weight }: WorkerInfo) => weight ?? '' },
  { title: 'Since', cell: ({ since }: WorkerInfo) => (since === undefined ? '' : <Ago at={since} />) },
  { title: 'Holds', cell: (worker: WorkerInfo) => <Held worker={worker} /> },
];

function State({ worker }: { readonly worker: WorkerInfo }) {
  const { text, tone, about } = stateShown(worker);
  const { words, command } = adviceFor(worker);
  return (
    <>
      <Badge tone={tone} {...(about === undefined ? {} : { title: about })}>
        {text}
      </Badge>
      {worker.silentSince === undefined ? null : (
        <p class="lost">
          Its leases ended <Ago at={worker.silentSince} />. {words} <code>{command}</code>
        </p>
      )}
    </>
  );
}

function Held({ worker: { held } }: { readonly worker: WorkerInfo }) {
  const now = useNow(1000);
  return (
    <ul class="held">
      {held.slice(0, 10).map(({ id, agent, leaseUntil }) => (
        <li key={id}>
          <a href={href(`/runs/${encodeURIComponent(id)}`)}>{agent}</a>{' '}
          <span class="quiet">{leaseUntil === undefined ? '' : leaseText(leaseUntil - now)}</span>
        </li>
      ))}
    </ul>
  );
}

function leaseText(ms: number): string {
  return ms > 0 ? `lease for ${Math.ceil(ms / 1000)} s` : 'lease is over';
}

const LINES = [
  { title: 'Agent', cell: ({ agent, version }: LineInfo) => `${agent} ${version}` },
  { title: 'Runs', align: 'right' as const, cell: ({ runs }: LineInfo) => runs },
  { title: 'Oldest', cell: ({ since }: LineInfo) => <Ago at={since} /> },
  { title: 'Worker', cell: ({ served }: LineInfo) => (served ? 'yes' : <Badge tone="bad">none</Badge>) },
];
