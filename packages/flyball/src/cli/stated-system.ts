import { readFileSync } from 'node:fs';
import { SYSTEM_FIELDS, type System } from '../catalogue/subject.js';
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

/** Only its fields are checked: what they mean is in the types, which a file in TypeScript is held to. */
function checkedSystem(path: string, system: unknown): System {
  if (system === undefined) return {};
  if (typeof system !== 'object' || system === null || Array.isArray(system))
    throw new ConfigError(`${path} exports \`system\`, but it is not a record.`);
  const unknown = Object.keys(system).find((key) => !(SYSTEM_FIELDS as readonly string[]).includes(key));
  if (unknown === undefined) return system;
  const near = nearestNames(unknown, SYSTEM_FIELDS, 1).map((name) => ` Did you mean "${name}"?`);
  throw new ConfigError(
    `${path} exports \`system\` with the unknown field "${unknown}".${near.join('')} Known fields: ${SYSTEM_FIELDS.join(', ')}.`,
  );
}

function foreignImports(path: string): readonly string[] {
  if (/\.ya?ml$/i.test(path)) return [];
  const text = readFileSync(path, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const imports = text.matchAll(/^\s*(?:import|export)\b[^;'"]*['"]([^'"]+)['"]/gm);
  const found = [...imports].flatMap(([, name = '']) => (FOREIGN.test(name) ? [`${path} (${name})`] : []));
  return [...new Set(found)];
}
