import type { JsonSchema } from '../core/schema.js';

/** What a schema says of a field: its own schemas, that there is none, or nothing. */
export type SchemaAt = readonly JsonSchema[] | 'none' | 'unknown';

/** Deeper nesting, and references that go round in circles, tell nothing. */
const MOST_STEPS = 64;
const CHOICES = ['anyOf', 'oneOf', 'allOf'] as const;

/** The schemas of a field by its path, `refund.status`, through lists, choices and references inside the schema. */
export function schemaAt(schema: JsonSchema, field: string): SchemaAt {
  return at(schema, field.split('.'), { root: schema, left: MOST_STEPS });
}

interface Place {
  readonly root: JsonSchema;
  readonly left: number;
}

function at(schema: unknown, path: readonly string[], { root, left }: Place): SchemaAt {
  if (!isSchema(schema) || left === 0) return schema === false ? 'none' : 'unknown';
  const place = { root, left: left - 1 };
  if (typeof schema['$ref'] === 'string') return at(referred(root, schema['$ref']), path, place);
  const inside = CHOICES.flatMap((name) => (Array.isArray(schema[name]) ? (schema[name] as readonly unknown[]) : []));
  const found = [...inside.map((one) => at(one, path, place)), ...own(schema, path, place, inside.length > 0)];
  const schemas = found.flatMap((one) => (typeof one === 'string' ? [] : one));
  if (found.includes('unknown')) return 'unknown'; // one choice that allows anything is enough
  return schemas.length > 0 ? schemas : 'none';
}

function own(schema: JsonSchema, path: readonly string[], place: Place, hasChoices: boolean): readonly SchemaAt[] {
  const { type, items, properties, additionalProperties, patternProperties } = schema;
  if (items !== undefined) return [at(items, path, place)];
  const [first, ...rest] = path;
  if (first === undefined) return hasChoices || type === 'null' ? [] : [[schema]];
  const fields = isSchema(properties) ? properties : {};
  const whole = path.join('.');
  if (Object.hasOwn(fields, whole)) return [at(fields[whole], [], place)];
  if (Object.hasOwn(fields, first)) return [at(fields[first], rest, place)];
  if (isSchema(additionalProperties) || additionalProperties === true || patternProperties !== undefined)
    return ['unknown'];
  if (properties !== undefined || additionalProperties === false) return ['none'];
  if (hasChoices) return [];
  return [type === undefined || [type].flat().some((one) => one === 'object' || one === 'array') ? 'unknown' : 'none'];
}

/** `#`, or a pointer such as `#/$defs/name`. */
function referred(root: JsonSchema, ref: string): unknown {
  if (!ref.startsWith('#')) return undefined;
  const parts = ref.split('/').slice(1);
  return parts.reduce<unknown>(
    (value, part) => (isSchema(value) ? value[part.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
    root,
  );
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
