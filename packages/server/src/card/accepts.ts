import type { JsonSchema } from 'flyball';
import { canonicalJson } from 'flyball/internal';

type Keywords = Readonly<Record<string, unknown>>;

/** Words that restrict nothing. */
const SILENT = new Set([
  '$schema',
  '$id',
  '$comment',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
]);
/** Words whose meaning is compared below; anything else in an offer may restrict in a way we cannot see through. */
const UNDERSTOOD = new Set([
  ...SILENT,
  'type',
  'enum',
  'const',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
]);
const MAX_DEPTH = 20;

/**
 * Why a value that fits `needed` may be refused by `offered`; undefined where none can be. Answers conservatively: what
 * it cannot prove it does not promise, because a task that is refused half-way costs more than one never sent.
 */
export function narrowerAt(offered: JsonSchema, needed: JsonSchema, at = 'input', depth = 0): string | undefined {
  if (depth > MAX_DEPTH) return `${at} is nested too deeply to compare`;
  const strange = Object.keys(offered).find((word) => !UNDERSTOOD.has(word));
  if (strange !== undefined)
    return isSame(offered, needed) ? undefined : `${at} is restricted by "${strange}", which cannot be compared`;
  return (
    valuesAt(offered, needed, at) ??
    typesAt(offered, needed, at) ??
    limitsAt(offered, needed, at) ??
    membersAt(offered, needed, at, depth) ??
    itemsAt(offered, needed, at, depth)
  );
}

function valuesAt(offered: Keywords, needed: Keywords, at: string): string | undefined {
  const allowed = valuesOf(offered);
  if (allowed === undefined) return undefined;
  const sent = valuesOf(needed);
  if (sent === undefined) return `${at} accepts only certain values`;
  const known = new Set(allowed.map((value) => canonicalJson(value)));
  return sent.every((value) => known.has(canonicalJson(value)))
    ? undefined
    : `${at} does not accept every value that is sent`;
}

function valuesOf(schema: Keywords): readonly unknown[] | undefined {
  if ('const' in schema) return [schema['const']];
  return Array.isArray(schema['enum']) ? (schema['enum'] as readonly unknown[]) : undefined;
}

function typesAt(offered: Keywords, needed: Keywords, at: string): string | undefined {
  const allowed = namedTypes(offered);
  if (allowed === undefined) return undefined;
  const sent = typesOf(needed);
  if (sent === undefined) return `${at} accepts ${allowed.join(' or ')} only`;
  const isTaken = (type: string): boolean =>
    allowed.includes(type) || (type === 'integer' && allowed.includes('number'));
  const stray = sent.find((type) => !isTaken(type));
  return stray === undefined ? undefined : `${at} accepts ${allowed.join(' or ')}, but ${stray} is sent`;
}

function namedTypes({ type }: Keywords): readonly string[] | undefined {
  if (type === undefined) return undefined;
  return (Array.isArray(type) ? type : [type]).map(String);
}

/** The types that values of a schema can have; undefined where that is not told. */
function typesOf(schema: Keywords): readonly string[] | undefined {
  return valuesOf(schema)?.map(typeOf) ?? namedTypes(schema);
}

function mayBe(type: string, schema: Keywords): boolean {
  return typesOf(schema)?.includes(type) ?? true;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** A bound that is not told is none: then anything might be sent. */
function limitsAt(offered: Keywords, needed: Keywords, at: string): string | undefined {
  for (const word of ['minimum', 'minLength', 'minItems'])
    if (typeof offered[word] === 'number' && !((needed[word] as number) >= offered[word]))
      return `${at} has a ${word} of ${offered[word]}`;
  for (const word of ['maximum', 'maxLength', 'maxItems'])
    if (typeof offered[word] === 'number' && !((needed[word] as number) <= offered[word]))
      return `${at} has a ${word} of ${offered[word]}`;
  return undefined;
}

function membersAt(offered: Keywords, needed: Keywords, at: string, depth: number): string | undefined {
  if (!mayBe('object', needed)) return undefined;
  const [theirs, ours] = [propertiesOf(offered), propertiesOf(needed)];
  const certain = new Set((needed['required'] ?? []) as readonly string[]);
  const missing = ((offered['required'] ?? []) as readonly string[]).find((name) => !certain.has(name));
  if (missing !== undefined) return `${at}.${missing} is required, but not always sent`;
  const rest = offered['additionalProperties'];
  for (const [name, schema] of Object.entries(ours)) {
    const wanted = theirs[name] ?? (typeof rest === 'object' && rest !== null ? (rest as JsonSchema) : undefined);
    if (wanted === undefined && rest === false) return `${at}.${name} is not accepted`;
    const why = wanted === undefined ? undefined : narrowerAt(wanted, schema, `${at}.${name}`, depth + 1);
    if (why !== undefined) return why;
  }
  const isOpen = needed['additionalProperties'] !== false;
  const restricts = rest === false || typeof rest === 'object' || Object.keys(theirs).some((name) => !(name in ours));
  return isOpen && restricts
    ? `${at} may be sent with members that are not accepted: set additionalProperties to false`
    : undefined;
}

function itemsAt(offered: Keywords, needed: Keywords, at: string, depth: number): string | undefined {
  const theirs = offered['items'];
  if (typeof theirs !== 'object' || theirs === null || !mayBe('array', needed)) return undefined;
  const ours = needed['items'];
  return narrowerAt(
    theirs as JsonSchema,
    (typeof ours === 'object' && ours !== null ? ours : {}) as JsonSchema,
    `${at}[]`,
    depth + 1,
  );
}

function propertiesOf(schema: Keywords): Readonly<Record<string, JsonSchema>> {
  return (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
}

function isSame(a: JsonSchema, b: JsonSchema): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
