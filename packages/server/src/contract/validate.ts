import type { JsonSchema } from 'flyball';
import { Problem } from '../problem.js';
import type { Schema } from './schema.js';

export type CheckJson = (schema: JsonSchema, value: unknown) => Promise<string | undefined>;

/** What arrived, once it fits; a 400 that names the place and not the value where it does not. */
export async function fitting<T>(check: CheckJson, schema: Schema<T>, value: unknown, where: string): Promise<T> {
  const problem = await check(schema.json, value);
  if (problem === undefined) return value as T;
  throw new Problem(400, 'REQUEST_INVALID', `The ${where} is not valid: ${schema.inWords?.(value) ?? problem}.`, {
    next: 'See /docs for the schema of this route.',
  });
}

/** Text from an address as the type that the schema names; what is no such type is left for the check to refuse. */
export function typedQuery(
  { json }: Schema<unknown>,
  given: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const properties = (json['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  return Object.fromEntries(Object.entries(given).map(([name, text]) => [name, typed(properties[name], text)]));
}

/** As JSON writes numbers; longer ones have more digits than a number holds. */
const NUMBER = /^-?(?:0|[1-9]\d{0,39})(?:\.\d{1,40})?(?:[eE][+-]?\d{1,2})?$/;

function typed(schema: JsonSchema | undefined, text: string): unknown {
  switch (schema?.['type']) {
    case 'integer':
    case 'number':
      return NUMBER.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    default:
      return text;
  }
}
