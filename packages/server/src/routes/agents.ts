import type { ServedAgent } from '../agents/served-agent.js';
import { agentDetailSchema } from '../contract/invocations.js';
import { type AgentCard, agentCardSchema } from '../contract/resources.js';
import { type Route, route } from '../contract/route.js';
import { s } from '../contract/schema.js';
import type { Parts } from '../parts.js';
import { notFound } from '../problem.js';

export const agentParams = s.object({ name: s.string({ maxLength: 200 }) });

export function agentRoutes({ directory }: Parts): readonly Route[] {
  const example = directory.list()[0]?.name;
  return [
    route({
      id: 'listAgents',
      method: 'get',
      path: '/v1/agents',
      tag: 'agents',
      summary: 'List the agents of this server',
      scope: 'agents:read',
      answers: { 200: { about: 'The agents', schema: s.object({ agents: s.list(agentCardSchema) }) } },
      examples: [{ title: 'All agents', status: 200 }],
      handle: () => ({ status: 200, body: { agents: directory.list().map(cardOf) } }),
    }),
    route({
      id: 'describeAgent',
      method: 'get',
      path: '/v1/agents/{name}',
      tag: 'agents',
      summary: 'Describe an agent: its schemas, tools and limits',
      scope: 'agents:read',
      params: agentParams,
      answers: { 200: { about: 'The agent', schema: agentDetailSchema } },
      examples: [
        ...(example === undefined ? [] : [{ title: 'One agent', params: { name: example }, status: 200 }]),
        { title: 'An unknown agent', params: { name: 'nobody' }, status: 404 },
      ],
      handle: ({ params }) => ({ status: 200, body: detailOf(agentNamed(directory, params.name)) }),
    }),
  ];
}

export function agentNamed(directory: Parts['directory'], name: string): ServedAgent {
  const agent = directory.get(name);
  if (agent === undefined) throw notFound('agent', name);
  return agent;
}

export function cardOf({
  name,
  version,
  description,
  kind,
  modes,
  tools,
  model,
  demonstration,
}: ServedAgent): AgentCard {
  return {
    name,
    version,
    description,
    kind,
    modes,
    ...(tools === undefined ? {} : { tools }),
    ...(model === undefined ? {} : { model }),
    ...(demonstration === undefined ? {} : { demonstration }),
  };
}

function detailOf(agent: ServedAgent): unknown {
  const { skills, budget, inputs, outputs, group, model } = agent;
  const models = new Set([...(model === undefined ? [] : [model]), ...Object.keys(group.models ?? {})]);
  return {
    ...cardOf(agent),
    skills,
    budget,
    models: [...models],
    ...(inputs === undefined ? {} : { inputs }),
    ...(outputs === undefined ? {} : { outputs }),
  };
}
