import { useEffect } from 'preact/hooks';
import type { AgentCard } from '../api/types.js';
import { useLoaded } from '../forms/use-loaded.js';
import { navigate, type Params } from '../router/router.js';
import { Empty } from '../ui/empty.js';
import { ErrorNote } from '../ui/error-note.js';
import { served } from './agents.js';
import { Demonstration } from './demonstration.js';
import { StartForm } from './start-form.js';
import './playground.css';

/** Choose an agent, say what it gets, start it. */
export function PlaygroundPage({ params }: { readonly params: Params }) {
  const agents = useLoaded(served.agents, []);
  if (agents.problem !== undefined) return <ErrorNote error={agents.problem} onRetry={agents.again} />;
  if (agents.value === undefined) return <p class="quiet">Reading…</p>;
  if (agents.value.length === 0)
    return (
      <Empty title="No agent is served">
        Start the server with a file of agents: <code>flyball serve my-agents.ts</code>
      </Empty>
    );
  return <Playground agents={agents.value} name={params['agent']} />;
}

function Playground({ agents, name }: { readonly agents: readonly AgentCard[]; readonly name: string | undefined }) {
  const current = agents.find((agent) => agent.name === name) ?? agents[0];
  useEffect(() => {
    if (current !== undefined && name !== current.name) navigate(playgroundPath(current.name), { replace: true });
  }, [current, name]);
  const detail = useLoaded(() => served.agent(current?.name ?? ''), [current?.name]);
  if (current === undefined) return null;
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
      <Demonstration said={current.demonstration} />
      {detail.problem === undefined ? null : <ErrorNote error={detail.problem} onRetry={detail.again} />}
      {detail.value?.name === current.name ? <StartForm key={current.name} agent={detail.value} /> : null}
    </div>
  );
}

export function playgroundPath(agent: string): string {
  return `/playground/${encodeURIComponent(agent)}`;
}
