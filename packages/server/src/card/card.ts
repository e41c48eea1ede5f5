import type { JsonSchema } from 'flyball';

/** The version of the A2A protocol whose agent card this is. */
export const PROTOCOL_VERSION = '1.0';
/** How our interface is spoken: not one of the protocol's own bindings, so it has a name of its own. */
export const BINDING = 'urn:flyball:http:v1';
/** The extension under which each skill tells the JSON Schemas of what it takes and answers. */
export const SCHEMA_EXTENSION = 'urn:flyball:skill-schemas:v1';

export const CARD_PATH = '/.well-known/agent-card.json';
/** Where cards of older versions of the protocol were looked for. */
export const LEGACY_CARD_PATH = '/.well-known/agent.json';

/** An agent card as A2A 1.0 defines it, as far as we write or read it. */
export interface AgentCardDocument {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly supportedInterfaces: readonly CardInterface[];
  readonly provider?: { readonly organization: string; readonly url: string };
  readonly documentationUrl?: string;
  readonly capabilities: {
    readonly streaming?: boolean;
    readonly pushNotifications?: boolean;
    readonly extensions?: readonly CardExtension[];
  };
  readonly securitySchemes?: Readonly<Record<string, unknown>>;
  readonly securityRequirements?: readonly unknown[];
  readonly defaultInputModes: readonly string[];
  readonly defaultOutputModes: readonly string[];
  readonly skills: readonly CardSkill[];
}

/** An interface in an agent card. */
export interface CardInterface {
  readonly url: string;
  readonly protocolBinding: string;
  readonly protocolVersion: string;
}

export interface CardExtension {
  readonly uri: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** A skill in an agent card. */
export interface CardSkill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly examples?: readonly string[];
  readonly inputModes?: readonly string[];
  readonly outputModes?: readonly string[];
}

/** The JSON Schemas of a skill's input and output. */
export interface SkillSchemas {
  readonly input: JsonSchema;
  readonly output: JsonSchema;
}

const text = { type: 'string', minLength: 1, maxLength: 10_000 } as const;
const texts = { type: 'array', items: { type: 'string', maxLength: 10_000 }, maxItems: 100 } as const;

/** What a card of somebody else must look like. Fields we do not know are theirs to have. */
export const CARD_SCHEMA: JsonSchema = {
  type: 'object',
  required: [
    'name',
    'description',
    'version',
    'supportedInterfaces',
    'capabilities',
    'defaultInputModes',
    'defaultOutputModes',
    'skills',
  ],
  properties: {
    name: text,
    description: text,
    version: text,
    supportedInterfaces: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: {
        type: 'object',
        required: ['url', 'protocolBinding', 'protocolVersion'],
        properties: { url: text, protocolBinding: text, protocolVersion: text },
      },
    },
    capabilities: {
      type: 'object',
      properties: {
        extensions: {
          type: 'array',
          maxItems: 100,
          items: { type: 'object', required: ['uri'], properties: { uri: text, params: { type: 'object' } } },
        },
      },
    },
    defaultInputModes: texts,
    defaultOutputModes: texts,
    skills: {
      type: 'array',
      maxItems: 1_000,
      items: {
        type: 'object',
        required: ['id', 'name', 'description', 'tags'],
        properties: {
          id: text,
          name: text,
          description: text,
          tags: texts,
          examples: texts,
          inputModes: texts,
          outputModes: texts,
        },
      },
    },
  },
};
