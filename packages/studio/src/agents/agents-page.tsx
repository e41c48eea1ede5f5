import { useLoaded } from '../forms/use-loaded.js';
import { served } from '../playground/agents.js';
import { Badge } from '../ui/badge.js';
import { Code } from '../ui/code.js';
import { Empty } from '../ui/empty.js';
import { ErrorNote } from '../ui/error-note.js';
import { AgentView } from './agent-view.js';
import { Triggers } from './triggers-view.js';
import './agents.css';

/** What this server runs, with what, and what starts it. */
export function AgentsPage() {
  const agents = useLoaded(served.agents, []);
  const tools = useLoaded(served.tools, []);
  const skills = useLoaded(served.skills, []);
  const triggers = useLoaded(served.triggers, []);
  return (
    <div class="agents">
      <h1>Agents</h1>
      {[agents, tools, skills, triggers]
        .filter(({ problem }) => problem !== undefined)
        .slice(0, 1)
        .map(({ problem, again }) => (
          <ErrorNote key="problem" error={problem} onRetry={again} />
        ))}
      {agents.value?.length === 0 ? (
        <Empty title="No agents">
          Start the server with an agent file: <code>flyball serve my-agents.ts</code>
        </Empty>
      ) : null}
      <div class="agent-cards">
        {(agents.value ?? []).map((agent) => (
          <AgentView key={agent.name} agent={agent} />
        ))}
      </div>
      <Section title="Triggers" of={triggers.value} empty="No triggers are configured.">
        {triggers.value === undefined ? null : <Triggers triggers={triggers.value} />}
      </Section>
      <Section title="Tools" of={tools.value} empty="No tools are listed.">
        {(tools.value ?? []).map(({ name, description, class: kind, inputSchema, agents: users = [] }) => (
          <details key={name} class="described">
            <summary>
              <code>{name}</code> {kind === undefined ? null : <Badge tone="idle">{kind}</Badge>}{' '}
              <span class="quiet">{description}</span>
            </summary>
            {users.length === 0 ? null : <p class="quiet">Used by {users.join(', ')}</p>}
            {inputSchema === undefined ? null : <Code value={inputSchema} label={`Schema of ${name}`} />}
          </details>
        ))}
      </Section>
      <Section title="Skills" of={skills.value} empty="No skills are listed.">
        {(skills.value ?? []).map(({ name, description, version, agents: users }) => (
          <div key={name} class="described">
            <p>
              <code>{name}</code> <span class="quiet">{version}</span>
            </p>
            <p class="quiet">
              {description}
              {users.length === 0 ? '' : ` Used by ${users.join(', ')}.`}
            </p>
          </div>
        ))}
      </Section>
    </div>
  );
}

function Section({
  title,
  of,
  empty,
  children,
}: {
  readonly title: string;
  /** Undefined while it is read, or when it cannot be. */
  readonly of: readonly unknown[] | undefined;
  readonly empty: string;
  readonly children: preact.ComponentChildren;
}) {
  if (of === undefined) return null;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {of.length === 0 ? <p class="quiet">{empty}</p> : <div class="card card-body">{children}</div>}
    </section>
  );
}
