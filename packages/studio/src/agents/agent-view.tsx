import type { JsonSchema } from '../../../flyball/src/core/schema.js';
import type { AgentCard } from '../api/types.js';
import { useLoaded } from '../forms/use-loaded.js';
import { type AgentDetail, served } from '../playground/agents.js';
import { playgroundPath } from '../playground/paths.js';
import { href } from '../router/router.js';
import { Code } from '../ui/code.js';
import { DemonstrationMark } from '../ui/demonstration-mark.js';
import { toolsText } from './tools-text.js';

/** One agent: with what it works, within which bounds, what goes in and comes out. */
export function AgentView({ agent }: { readonly agent: AgentCard }) {
  const { name, version, description, kind, modes, tools, model } = agent;
  const detail = useLoaded(() => served.agent(name), [name]);
  return (
    <article class="card card-body agent-card" data-agent={name}>
      <header>
        <h2>{name}</h2>
        <span class="quiet">
          {kind} · version {version}
        </span>{' '}
        <DemonstrationMark agent={name} />
      </header>
      {description === '' ? null : <p>{description}</p>}
      <dl class="agent-facts">
        {model === undefined ? null : <Fact title="Model" text={model} />}
        <Fact title="Modes" text={modes.join(', ')} />
        <Fact title="Tools" text={toolsText(tools)} />
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
