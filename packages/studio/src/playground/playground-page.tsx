import { useEffect } from 'preact/hooks';
import { api } from '../api/client.js';
import type { AgentCard, RunDetail } from '../api/types.js';
import { useTitle } from '../app/page-title.js';
import { useLoaded } from '../forms/use-loaded.js';
import { href, navigate, type Params, place } from '../router/router.js';
import { DemonstrationMark } from '../ui/demonstration-mark.js';
import { Empty } from '../ui/empty.js';
import { ErrorNote } from '../ui/error-note.js';
import { served } from './agents.js';
import { playgroundPath } from './paths.js';
import { StartForm } from './start-form.js';
import './playground.css';

/** Choose an agent, say what it gets, start it. */
export function PlaygroundPage({ params }: { readonly params: Params }) {
  const agents = useLoaded(served.agents, []);
  if (agents.problem !== undefined) return <ErrorNote error={agents.problem} onRetry={agents.again} />;
  if (agents.value === undefined) return <p class="quiet">Reading…</p>;
  if (agents.value.length === 0)
    return (
      <Empty title="No agents">
        Start the server with an agent file: <code>flyball serve my-agents.ts</code>
      </Empty>
    );
  return <Playground agents={agents.value} name={params['agent']} />;
}

function Playground({ agents, name }: { readonly agents: readonly AgentCard[]; readonly name: string | undefined }) {
  useTitle(name === undefined ? undefined : `Playground: ${name}`);
  const current = name === undefined ? agents[0] : agents.find((agent) => agent.name === name);
  useEffect(() => {
    if (current !== undefined && name === undefined) navigate(playgroundPath(current.name), { replace: true });
  }, [current, name]);
  if (current === undefined) return <NotServed agents={agents} name={name ?? ''} />;
  return <OnePlayground agents={agents} current={current} />;
}

function NotServed({ agents, name }: { readonly agents: readonly AgentCard[]; readonly name: string }) {
  return (
    <Empty title={`There is no agent ${name} on this server`}>
      <ul class="plain-list">
        {agents.map(({ name: one }) => (
          <li key={one}>
            <a href={href(playgroundPath(one))}>{one}</a>
          </li>
        ))}
      </ul>
    </Empty>
  );
}

function OnePlayground({ agents, current }: { readonly agents: readonly AgentCard[]; readonly current: AgentCard }) {
  const detail = useLoaded(() => served.agent(current.name), [current.name]);
  const from = place.value.query.get('from') ?? '';
  const before = useLoaded(() => runBefore(from), [from]);
  const isReady = from === '' || before.value !== undefined || before.problem !== undefined;
  return (
    <div class="playground">
      <h1>Playground</h1>
      <div class="field-row">
        <label class="label" for="agent">
          Agent
        </label>
        <select
          id="agent"
          class="field"
          value={current.name}
          onChange={(event) => navigate(playgroundPath(event.currentTarget.value))}
        >
          {agents.map(({ name: one }) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </div>
      {current.description === '' ? null : <p>{current.description}</p>}
      <DemonstrationMark agent={current.name} />
      {detail.problem === undefined ? null : <ErrorNote error={detail.problem} onRetry={detail.again} />}
      {before.problem === undefined ? null : <ErrorNote error={before.problem} onRetry={before.again} />}
      {before.value === undefined ? null : (
        <p class="quiet">
          Using the input of <a href={href(`/runs/${encodeURIComponent(from)}`)}>{from}</a>. You can change it.
        </p>
      )}
      {detail.value?.name === current.name && isReady ? (
        <StartForm key={`${current.name} ${from}`} agent={detail.value} before={before.value} />
      ) : null}
    </div>
  );
}

/** The run that is to be repeated, if there is one. */
async function runBefore(id: string): Promise<RunDetail | undefined> {
  return id === '' ? undefined : api.get<RunDetail>(`/v1/runs/${encodeURIComponent(id)}`);
}
