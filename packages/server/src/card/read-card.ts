import type { JsonSchema } from 'flyball';
import { check, failureOf } from 'flyball/internal';
import { jsonSchemaStandard } from 'flyball/tools';
import { type AgentCardDocument, CARD_SCHEMA, SCHEMA_EXTENSION, type SkillSchemas } from './card.js';

export type ReadCard =
  | { readonly ok: true; readonly card: AgentCardDocument }
  | { readonly ok: false; readonly code: 'invalid-card' | 'unsupported-version'; readonly because: string };

/** The card in a text. A card of an older version is told apart from one that is broken. */
export async function readCard(text: string): Promise<ReadCard> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { ok: false, code: 'invalid-card', because: `The card is not JSON: ${failureOf(error).message}.` };
  }
  const older = olderVersion(value);
  if (older !== undefined)
    return { ok: false, code: 'unsupported-version', because: `The card has version ${older}; 1.x is supported.` };
  const checked = await check(jsonSchemaStandard(CARD_SCHEMA), value);
  if (!checked.ok) return { ok: false, code: 'invalid-card', because: `The card is not valid: ${checked.problem}.` };
  return { ok: true, card: value as AgentCardDocument };
}

/** Before 1.0 the version stood at the top, and there was no list of interfaces. */
function olderVersion(value: unknown): string | undefined {
  const { protocolVersion, supportedInterfaces } = Object(value) as Readonly<Record<string, unknown>>;
  return typeof protocolVersion === 'string' && supportedInterfaces === undefined ? protocolVersion : undefined;
}

/** Minor versions only add: any 1.x is spoken. */
export function isSpoken(protocolVersion: string): boolean {
  return /^1(\.\d{1,3}){0,2}$/.test(protocolVersion);
}

/** What a skill takes and answers, where the card tells. */
export function schemasOf({ capabilities }: AgentCardDocument, skill: string): SkillSchemas | undefined {
  const extension = capabilities.extensions?.find(({ uri }) => uri === SCHEMA_EXTENSION);
  const skills = Object(extension?.params?.['skills']) as Readonly<Record<string, unknown>>;
  if (!Object.hasOwn(skills, skill)) return undefined;
  const { input, output } = Object(skills[skill]) as Readonly<Record<string, unknown>>;
  return isSchema(input) ? { input, output: isSchema(output) ? output : {} } : undefined;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
