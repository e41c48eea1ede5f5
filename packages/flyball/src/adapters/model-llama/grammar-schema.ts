import { fieldsOf, isObject } from './fields.js';

/**
 * JSON schemas in the part of the language that node-llama-cpp turns into a grammar. It does not refuse what it does not
 * know: a schema of `anyOf` would allow nothing but null, and one with a `format` it has never heard of nothing but "".
 * So everything is translated here, and whatever has no translation becomes any JSON: a grammar may allow more than the
 * schema, because replies are checked against that afterwards, but never less.
 */
export type GrammarSchema = Readonly<Record<string, unknown>>;

const ANY: GrammarSchema = {
  oneOf: [
    { type: ['string', 'number', 'boolean', 'null'] },
    { type: 'array' },
    { type: 'object', additionalProperties: true },
  ],
};
const ANY_OBJECT: GrammarSchema = { type: 'object', additionalProperties: true };
const PLAIN = ['number', 'integer', 'boolean', 'null'];
const FORMATS = ['date', 'time', 'date-time'];
/** Schemas may refer to themselves, and grammars grow with every level. */
const DEEPEST = 6;

export function grammarSchema(schema: unknown): GrammarSchema {
  return translated(schema, fieldsOf(schema), 0);
}

/** For the arguments of a call, which are always an object. */
export function argumentSchema(schema: unknown): GrammarSchema {
  const { type, oneOf } = grammarSchema(schema) as { readonly type?: unknown; readonly oneOf?: unknown };
  const objects = Array.isArray(oneOf) && oneOf.every((each) => fieldsOf(each)['type'] === 'object');
  return type === 'object' || objects ? grammarSchema(schema) : ANY_OBJECT;
}

function translated(given: unknown, root: GrammarSchema, depth: number): GrammarSchema {
  const schema = fieldsOf(given);
  if (depth > DEEPEST) return ANY;
  const inner = (each: unknown): GrammarSchema => translated(each, root, depth + 1);
  if (typeof schema['$ref'] === 'string') return inner(referred(schema['$ref'], root));
  if (isPlain(schema['const'])) return { const: schema['const'] };
  const choices = schema['enum'];
  if (Array.isArray(choices)) return choices.length > 0 && choices.every(isPlain) ? { enum: choices } : ANY;
  const either = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(either) && either.length > 0) return { oneOf: either.map(inner) };
  const all = schema['allOf'];
  if (Array.isArray(all)) return all.length === 1 ? inner(all[0]) : ANY;
  const { type } = schema;
  if (Array.isArray(type)) return { oneOf: type.map((each: unknown) => inner({ ...schema, type: each })) };
  return ofType(type, schema, inner);
}

function ofType(type: unknown, schema: GrammarSchema, inner: (given: unknown) => GrammarSchema): GrammarSchema {
  if (type === 'object' || (type === undefined && isObject(schema['properties']))) return objectOf(schema, inner);
  if (type === 'array') {
    const { items } = schema;
    return {
      type,
      ...(isObject(items) ? { items: inner(items) } : {}),
      ...numbers(schema, ['minItems', 'maxItems']),
    };
  }
  if (type === 'string') {
    const { format } = schema;
    if (typeof format === 'string' && FORMATS.includes(format)) return { type, format };
    return { type, ...numbers(schema, ['minLength', 'maxLength']) };
  }
  return typeof type === 'string' && PLAIN.includes(type) ? { type } : ANY;
}

/** A grammar writes every property that it knows: those that may be left out are left out together, or written together. */
function objectOf(schema: GrammarSchema, inner: (given: unknown) => GrammarSchema): GrammarSchema {
  const properties = Object.entries(fieldsOf(schema['properties'])).map(([name, each]) => [name, inner(each)] as const);
  const extra = schema['additionalProperties'];
  if (properties.length === 0)
    return extra === false
      ? { type: 'object' }
      : { ...ANY_OBJECT, ...(isObject(extra) ? { additionalProperties: inner(extra) } : {}) };
  const required = Array.isArray(schema['required']) ? (schema['required'] as readonly unknown[]) : [];
  const needed = properties.filter(([name]) => required.includes(name));
  const whole = { type: 'object', properties: Object.fromEntries(properties) };
  if (needed.length === properties.length) return whole;
  return {
    oneOf: [whole, { type: 'object', ...(needed.length === 0 ? {} : { properties: Object.fromEntries(needed) }) }],
  };
}

function numbers(schema: GrammarSchema, names: readonly string[]): GrammarSchema {
  return Object.fromEntries(names.flatMap((name) => (typeof schema[name] === 'number' ? [[name, schema[name]]] : [])));
}

function referred(reference: string, root: GrammarSchema): unknown {
  if (!reference.startsWith('#')) return {};
  const path = reference
    .slice(1)
    .split('/')
    .filter((part) => part !== '');
  return path.reduce<unknown>((at, part) => fieldsOf(at)[part.replaceAll('~1', '/').replaceAll('~0', '~')], root);
}

function isPlain(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
