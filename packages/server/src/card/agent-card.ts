import type { JsonSchema } from 'flyball';
import { described, useFrom } from 'flyball/internal';
import { exampleFor } from '../contract/example-for.js';
import {
  type AgentCardDocument,
  BINDING,
  type CardSkill,
  PROTOCOL_VERSION,
  SCHEMA_EXTENSION,
  type SkillSchemas,
} from './card.js';

/** What may be told of an agent to strangers. Models, tools and prompts are not part of it. */
export interface PublishedAgent {
  readonly name: string;
  readonly description: string;
  readonly kind: 'agent' | 'workflow';
  readonly inputs: JsonSchema | undefined;
  readonly outputs: JsonSchema | undefined;
}

/** What an agent card says about its server. */
export interface CardMeta {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** `https://agents.example.com`: where the server is reached. */
  readonly origin: string;
  readonly provider?: { readonly organization: string; readonly url: string };
  /** Nobody needs a credential. */
  readonly open: boolean;
}

/** What an agent takes about which nothing is declared: text, or any object. */
const ANYTHING: JsonSchema = {};
const JSON_MODE = 'application/json';
const TEXT_MODE = 'text/plain';

/**
 * Says at a known address what an agent can do: the card of what is served now.
 *
 * Model calls: none. Each agent is a skill; a card tells how to ask, and grants nothing. Not for agents of one process:
 * they call each other as functions.
 *
 * @pattern I5
 */
export function agentCard(directory: { list(): readonly PublishedAgent[] }, meta: CardMeta): AgentCardDocument {
  const agents = [...directory.list()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const { name, description, version, origin, provider, open } = meta;
  const card: AgentCardDocument = {
    name,
    description,
    version,
    supportedInterfaces: [{ url: `${origin}/v1`, protocolBinding: BINDING, protocolVersion: PROTOCOL_VERSION }],
    ...(provider === undefined ? {} : { provider }),
    documentationUrl: `${origin}/docs`,
    capabilities: { streaming: true, pushNotifications: false, extensions: [schemaExtension(agents, origin)] },
    ...(open ? {} : BEARER),
    defaultInputModes: [JSON_MODE, TEXT_MODE],
    defaultOutputModes: [JSON_MODE],
    skills: agents.map(skillOf),
  };
  return described(card, useFrom({ id: 'I5', name: 'agentCard', params: { origin }, parts: {}, calls: 0 }));
}

const BEARER = {
  securitySchemes: {
    bearer: {
      httpAuthSecurityScheme: { scheme: 'Bearer', description: 'An API key or a JWT with the scope agents:invoke.' },
    },
  },
  securityRequirements: [{ schemes: { bearer: { list: ['agents:invoke'] } } }],
} as const;

function skillOf({ name, description, kind, inputs }: PublishedAgent): CardSkill {
  const example = exampleFor(inputs);
  return {
    id: name,
    name,
    description: description.trim() === '' ? `The ${kind} ${name}.` : description,
    tags: [kind],
    examples: [typeof example === 'string' ? example : JSON.stringify(example)],
    inputModes: inputs === undefined ? [JSON_MODE, TEXT_MODE] : [JSON_MODE],
    outputModes: [JSON_MODE],
  };
}

function schemaExtension(agents: readonly PublishedAgent[], origin: string) {
  const schemas = agents.map(({ name, inputs, outputs }): [string, SkillSchemas] => [
    name,
    { input: inputs ?? ANYTHING, output: outputs ?? ANYTHING },
  ]);
  return {
    uri: SCHEMA_EXTENSION,
    description: `The input and output of each skill as JSON Schema. Invoke it at ${origin}/v1/agents/{id}/invoke.`,
    required: false,
    params: { skills: Object.fromEntries(schemas) },
  };
}
