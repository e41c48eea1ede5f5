import { FlyballError } from '../core/errors.js';
import { check, type JsonSchema } from '../core/schema.js';
import { jsonSchemaStandard } from '../tools/json-schema-standard.js';
import type { Field, Fields } from './agent-spec.js';

/** The JSON Schema of an object with these fields. */
export function schemaOfFields(fields: Fields, extra: 'refuse' | 'allow'): JsonSchema {
  const required = Object.keys(fields).filter((name) => fields[name]?.required !== false && !hasDefault(fields[name]));
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOfField(field, extra)])),
    ...(required.length > 0 ? { required } : {}),
    ...(extra === 'refuse' ? { additionalProperties: false } : {}),
  };
}

/** A default is said of what comes in, where a form begins with it; of an answer it would be a hint to the model. */
function schemaOfField(field: Field, extra: 'refuse' | 'allow'): JsonSchema {
  const { type, description, enum: values, items, properties } = field;
  return {
    ...(type === undefined ? {} : { type }),
    ...(description === undefined ? {} : { description }),
    ...(values === undefined ? {} : { enum: values }),
    ...(items === undefined ? {} : { items }),
    ...(properties === undefined ? {} : { properties }),
    ...(extra === 'refuse' && hasDefault(field) ? { default: field.default } : {}),
  };
}

function hasDefault(field: Field | undefined): boolean {
  return field !== undefined && 'default' in field;
}

/** What fields are where nothing is said about them. */
export function defaultsOf(fields: Fields): Readonly<Record<string, unknown>> {
  const given = Object.entries(fields).filter(([, field]) => hasDefault(field));
  return Object.fromEntries(given.map(([name, field]) => [name, field.default]));
}

/** Inputs with defaults filled in; what is missing or wrong is refused before anything is spent. */
export async function checkedInputs(agent: string, fields: Fields, given: unknown): Promise<unknown> {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw badInput(agent, `an object with ${list(Object.keys(fields))} is required, got ${shown(given)}`);
  const inputs = { ...defaultsOf(fields), ...given };
  const checked = await check(jsonSchemaStandard(schemaOfFields(fields, 'refuse')), inputs);
  if (!checked.ok) throw badInput(agent, checked.problem);
  return inputs;
}

function badInput(agent: string, problem: string): FlyballError {
  return new FlyballError('INPUT_INVALID', `${agent} cannot start: ${problem}.`, { detail: { agent } });
}

function shown(given: unknown): string {
  return given === null || given === undefined ? 'nothing' : JSON.stringify(given).slice(0, 200);
}

function list(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
