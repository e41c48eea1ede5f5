import type { JsonSchema } from '../../../src/core/schema.js';
import type { AgentCard } from '../api/types.js';
import { useLoaded } from '../forms/use-loaded.js';
import { type AgentDetail, served, type TriggerInfo } from '../playground/agents.js';
import { Demonstration, DemonstrationMark } from '../playground/demonstration.js';
import { playgroundPath } from '../playground/playground-page.js';
import { href } from '../router/router.js';
import { Ago } from '../ui/amounts-view.js';
import { Badge } from '../ui/badge.js';
import { Code } from '../ui/code.js';
import { Empty } from '../ui/empty.js';
import { ErrorNote } from '../ui/error-note.js';
import { Table } from '../ui/table.js';
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
        <Empty title="No agent is served">
          Start the server with a file of agents: <code>flyball serve my-agents.ts</code>
        </Empty>
      ) : null}
      {saidIn(agents.value ?? []).map((said) => (
        <Demonstration key={said} said={said} />
      ))}
      <div class="agent-cards">
        {(agents.value ?? []).map((agent) => (
          <AgentView key={agent.name} agent={agent} />
        ))}
      </div>
      <Section title="Triggers" isEmpty={triggers.value?.length === 0} empty="Nothing starts runs by itself.">
        {triggers.value === undefined ? null : <Triggers triggers={triggers.value} />}
      </Section>
      <Section title="Tools" isEmpty={tools.value?.length === 0} empty="No tools are listed.">
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
      <Section title="Skills" isEmpty={skills.value?.length === 0} empty="No skills are listed.">
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

function saidIn(agents: readonly AgentCard[]): readonly string[] {
  return [...new Set(agents.flatMap(({ demonstration }) => demonstration ?? []))];
}

function AgentView({ agent }: { readonly agent: AgentCard }) {
  const { name, version, description, kind, modes, tools, model, demonstration } = agent;
  const detail = useLoaded(() => served.agent(name), [name]);
  return (
    <article class="card card-body agent-card" data-agent={name}>
      <header>
        <h2>{name}</h2>
        <span class="quiet">
          {kind} · version {version}
        </span>{' '}
        <DemonstrationMark said={demonstration} />
      </header>
      {description === '' ? null : <p>{description}</p>}
      <dl class="agent-facts">
        {model === undefined ? null : <Fact title="Model" text={model} />}
        <Fact title="Modes" text={modes.join(', ')} />
        <Fact title="Tools" text={tools.length === 0 ? 'none' : tools.join(', ')} />
        {detail.value === undefined ? null : <Detailed agent={detail.value} />}
      </dl>
      {detail.value === undefined ? null : <Schemas agent={detail.value} />}
      <a class="button primary" href={href(playgroundPath(name))}>
        Try it
      </a>
    </article>
  );
}

function Fact({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{text}</dd>
    </div>
  );
}

function Detailed({ agent: { skills = [], budget } }: { readonly agent: AgentDetail }) {
  const { costUsd, modelCalls, toolCalls, wallMs } = budget;
  const bounds = [
    ...(costUsd === undefined ? [] : [`$${costUsd}`]),
    ...(modelCalls === undefined ? [] : [`${modelCalls} model calls`]),
    ...(toolCalls === undefined ? [] : [`${toolCalls} tool calls`]),
    ...(wallMs === undefined ? [] : [`${wallMs / 1000} s of work`]),
  ];
  return (
    <>
      {skills.length === 0 ? null : <Fact title="Skills" text={skills.join(', ')} />}
      <Fact title="Bounds" text={bounds.join(', ')} />
    </>
  );
}

function Schemas({ agent: { name, inputs, outputs } }: { readonly agent: AgentDetail }) {
  return (
    <div class="schemas">
      <SchemaView title="Inputs" of={name} schema={inputs} />
      <SchemaView title="Outputs" of={name} schema={outputs} />
    </div>
  );
}

function SchemaView({
  title,
  of,
  schema,
}: {
  readonly title: string;
  readonly of: string;
  readonly schema: JsonSchema | undefined;
}) {
  if (schema === undefined) return null;
  return (
    <details>
      <summary>{title}</summary>
      <Code value={schema} label={`${title} of ${of}`} />
    </details>
  );
}

function Section({
  title,
  isEmpty,
  empty,
  children,
}: {
  readonly title: string;
  readonly isEmpty: boolean;
  readonly empty: string;
  readonly children: preact.ComponentChildren;
}) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {isEmpty ? <p class="quiet">{empty}</p> : <div class="card card-body">{children}</div>}
    </section>
  );
}

function Triggers({ triggers }: { readonly triggers: readonly TriggerInfo[] }) {
  return (
    <Table
      label="Triggers"
      rows={triggers}
      keyOf={({ name }) => name}
      columns={[
        { title: 'Name', cell: ({ name }) => <code>{name}</code> },
        { title: 'Kind', cell: ({ kind, schedule, timezone }) => [kind, schedule, timezone].filter(Boolean).join(' ') },
        { title: 'Agent', cell: ({ agent }) => agent },
        { title: 'Next', cell: ({ next }) => (next === undefined ? '' : new Date(next).toLocaleString()) },
        { title: 'Last', cell: (trigger) => <Last trigger={trigger} /> },
      ]}
    />
  );
}

function Last({ trigger: { last, lastRun, missed = 0, failure } }: { readonly trigger: TriggerInfo }) {
  return (
    <>
      {last === undefined ? 'never' : <Ago at={last} />}{' '}
      {lastRun === undefined ? null : <a href={href(`/runs/${encodeURIComponent(lastRun)}`)}>run</a>}
      {missed === 0 ? null : <Badge tone="warn">{missed} missed</Badge>}
      {failure === undefined ? null : <p class="field-problem">{failure}</p>}
    </>
  );
}
