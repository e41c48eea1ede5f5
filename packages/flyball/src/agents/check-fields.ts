import { FIELD_TYPES, type Field, type Fields, type FieldType } from './agent-spec.js';
import type { Read, SpecPath, SpecReader } from './spec-reader.js';

/** Inputs or outputs: a mapping by name, or a list of mappings that hold their name. */
export function readFields(reader: SpecReader, value: unknown, path: SpecPath): Fields | undefined {
  if (Array.isArray(value)) return readList(reader, value, path);
  const given = reader.mapping(value, path);
  if (given === undefined) return undefined;
  const fields = Object.entries(given).flatMap(([name, said]) => {
    if (!isSound(reader, name, [...path, name])) return [];
    const field = readField(reader, said, [...path, name]);
    return field === undefined ? [] : [[name, field] as const];
  });
  return Object.fromEntries(fields);
}

function readList(reader: SpecReader, list: readonly unknown[], path: SpecPath): Fields {
  const fields = new Map<string, Field>();
  for (const [n, said] of list.entries()) {
    const at = [...path, n];
    const given = typeof said === 'string' ? { name: said } : reader.mapping(said, at);
    if (given === undefined) continue;
    const { name, ...rest } = given as { readonly name?: unknown };
    const field = readField(reader, rest, at);
    const named = name === undefined ? reader.wrong([...at, 'name'], 'is missing') : reader.text(name, [...at, 'name']);
    if (named === undefined || field === undefined || !isSound(reader, named, [...at, 'name'])) continue;
    if (fields.has(named)) reader.wrong([...at, 'name'], `names "${named}" a second time`);
    fields.set(named, field);
  }
  return Object.fromEntries(fields);
}

/** A key that no object can hold as its own would be lost without a word. */
function isSound(reader: SpecReader, name: string, path: SpecPath): boolean {
  if (name !== '__proto__') return true;
  reader.wrong(path, 'cannot be used as a name');
  return false;
}

const READS: Readonly<Record<string, Read>> = {
  type: (reader, value, path) => reader.oneOf(value, path, FIELD_TYPES),
  description: (reader, value, path) => reader.text(value, path),
  required: (reader, value, path) => reader.yesOrNo(value, path),
  default: (_reader, value) => value,
  enum: (reader, value, path) => reader.list(value, path, (entry) => entry),
  items: (reader, value, path) => reader.mapping(value, path),
  properties: readProperties,
};

/** A name alone is a field about which nothing more is said; a word after it is its type. */
function readField(reader: SpecReader, said: unknown, path: SpecPath): Field | undefined {
  if (said === null) return {};
  const given = reader.mapping(typeof said === 'string' ? { type: said } : said, path, Object.keys(READS));
  if (given === undefined) return undefined;
  const field: Field = reader.members(given, path, READS);
  checkValues(reader, field, path);
  return field;
}

function readProperties(reader: SpecReader, value: unknown, path: SpecPath): unknown {
  const given = reader.mapping(value, path);
  for (const [name, schema] of Object.entries(given ?? {})) reader.mapping(schema, [...path, name]);
  return given;
}

function checkValues(reader: SpecReader, field: Field, path: SpecPath): void {
  const { type, enum: values } = field;
  if (values?.length === 0) reader.wrong([...path, 'enum'], 'allows nothing: name at least one value');
  for (const [n, value] of (values ?? []).entries())
    if (type !== undefined && !fits(type, value)) reader.wrong([...path, 'enum', n], `is not a valid ${type}`);
  if (!('default' in field)) return;
  if (type !== undefined && !fits(type, field.default)) reader.wrong([...path, 'default'], `is not a valid ${type}`);
  else if (values !== undefined && !values.some((value) => JSON.stringify(value) === JSON.stringify(field.default)))
    reader.wrong([...path, 'default'], 'is not one of the values in enum');
}

function fits(type: FieldType, value: unknown): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
  }
}
