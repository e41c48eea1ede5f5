import { readFileSync } from 'node:fs';
import { type FieldShape, SYSTEM_FIELDS, type System } from '../catalogue/subject.js';
import { ConfigError } from '../core/errors.js';
import { nearestNames } from '../tools/nearest-names.js';
import type { AgentModule } from './agent-module.js';

/** Packages that have types of a provider, or a loop of their own. What only connects a model is none of them. */
const FOREIGN =
  /^(openai|@openai\/agents|@anthropic-ai\/sdk|@google\/(genai|generative-ai|adk)|@mistralai\/mistralai|cohere-ai|groq-sdk|ollama|langchain|@langchain\/.+|llamaindex|@llamaindex\/.+|@mastra\/.+)$/;

/** What the file of some agents says about them beside their definitions: its `system`, and what it imports. */
export function statedSystem({ path, system }: Pick<AgentModule, 'path' | 'system'>): System {
  const foreign = foreignImports(path);
  return { ...(foreign.length === 0 ? {} : { foreignTypes: foreign }), ...checkedSystem(path, system) };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const FITS: Readonly<Record<FieldShape, (value: unknown) => boolean>> = {
  'a record': isRecord,
  'a record of records': (value) => isRecord(value) && Object.values(value).every(isRecord),
  'a list of records': (value) => Array.isArray(value) && value.every(isRecord),
  'a list of texts': (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
  'a number': (value) => typeof value === 'number',
  'true or false': (value) => typeof value === 'boolean',
  'a text': (value) => typeof value === 'string',
};

/** What the fields of its fields mean is in the types, which a file in TypeScript is held to. */
function checkedSystem(path: string, system: unknown): System {
  if (system === undefined) return {};
  if (!isRecord(system)) throw new ConfigError(`${path} exports \`system\`, but it is not a record.`);
  for (const [key, value] of Object.entries(system)) {
    if (!isField(key)) throw new ConfigError(unknownField(path, key));
    const shape = SYSTEM_FIELDS[key];
    if (value !== undefined && !FITS[shape](value))
      throw new ConfigError(`${path} exports \`system\`, but its field "${key}" is not ${shape}.`);
  }
  return system;
}

const isField = (key: string): key is keyof System => Object.hasOwn(SYSTEM_FIELDS, key);

function unknownField(path: string, key: string): string {
  const known = Object.keys(SYSTEM_FIELDS);
  const near = nearestNames(key, known, 1).map((name) => ` Did you mean "${name}"?`);
  return `${path} exports \`system\` with the unknown field "${key}".${near.join('')} Known fields: ${known.join(', ')}.`;
}

function foreignImports(path: string): readonly string[] {
  if (/\.ya?ml$/i.test(path)) return [];
  const text = readFileSync(path, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const imports = text.matchAll(/^\s*(?:import|export)\b[^;'"]*['"]([^'"]+)['"]/gm);
  const found = [...imports].flatMap(([, name = '']) => (FOREIGN.test(name) ? [`${path} (${name})`] : []));
  return [...new Set(found)];
}
