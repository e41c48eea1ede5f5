import type { JsonSchema } from '../../core/schema.js';

/** Deeper than any output that somebody declares; a schema that refers to itself ends here. */
const MAX_DEPTH = 8;

/** A value of the declared shape, so that a dry run can go on with something. It is made up and says so where it can. */
export function sampleOf(schema: JsonSchema | undefined, name = 'output', depth = 0): unknown {
  if (schema === undefined || depth > MAX_DEPTH) return null;
  if (schema['const'] !== undefined) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0] as unknown;
  const type: unknown = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
  switch (type) {
    case 'object':
      return sampleObject(schema, depth);
    case 'array':
      return schema['items'] === undefined ? [] : [sampleOf(schema['items'] as JsonSchema, name, depth + 1)];
    case 'number':
    case 'integer':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 0;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return `<${name}>`;
  }
}

function sampleObject(schema: JsonSchema, depth: number): unknown {
  const properties = Object.entries(Object(schema['properties']) as Readonly<Record<string, JsonSchema>>);
  return Object.fromEntries(properties.map(([name, inner]) => [name, sampleOf(inner, name, depth + 1)]));
}
