import type { OutputUnit, Schema, Validator } from '@cfworker/json-schema';
import type { JsonSchema } from '../../core/schema.js';
import { plainSchemaError } from '../../core/schema-error.js';
import { outsideFormat } from './format-limits.js';

/**
 * Checks values against plain JSON Schema. The validator is loaded with the first check, because most processes never
 * need one, and interprets the schema: nothing that comes from a journal or a server is compiled into code.
 *
 * A problem names places and never quotes what was given, values and names that the schema does not have alike: either
 * may be a secret that somebody sent to the wrong place.
 */
export function jsonSchemaCheck(): (schema: JsonSchema, value: unknown) => Promise<string | undefined> {
  return async (schema, value) => {
    const { Validator: Checker } = (await import('@cfworker/json-schema')) as {
      Validator: new (schema: Schema, draft: '2020-12', shortCircuit: boolean) => Validator;
    };
    // every wrong part is told only of what is small: the validator keeps an error for each level of each part
    const isFirstOnly = isLarge(value);
    const { valid, errors } = new Checker(schema as Schema, '2020-12', isFirstOnly).validate(value);
    if (valid) return outsideFormat(schema, value, 'payload');
    return told(errors.slice(0, MOST_READ), schema);
  };
}

function told(errors: readonly OutputUnit[], schema: JsonSchema): string {
  const known = namesIn(schema);
  // the outer errors only say that an inner one occurred: the deepest ones name the place
  const inner = errors.filter(({ keyword }) => !['properties', 'items', 'false'].includes(keyword));
  const deepest = inner.filter((error) => !isOuter(error, schema));
  const sentences = new Set((deepest.length > 0 ? deepest : errors).map((error) => sentence(error, schema, known)));
  const first = [...sentences].slice(0, MOST_TOLD);
  return [...first, ...(sentences.size > MOST_TOLD ? ['and more'] : [])].join('; ');
}

/** The validator does not stop at the first field of an object that does not exist. */
const MOST_READ = 2_000;
/** Nobody reads on after so many. */
const MOST_TOLD = 20;
const LARGE = 500;

/** Whether a value has more parts than errors can be collected for. Looks at no more than that. */
function isLarge(value: unknown): boolean {
  const waiting: unknown[] = [value];
  for (let seen = 0; waiting.length > 0; seen++) {
    if (seen + waiting.length > LARGE) return true;
    const part = waiting.pop();
    if (typeof part !== 'object' || part === null) continue;
    for (const name in part) {
      waiting.push((part as Readonly<Record<string, unknown>>)[name]);
      if (seen + waiting.length > LARGE) return true;
    }
  }
  return false;
}

/** Says that something in a field of any name is wrong, which another error says better. */
function isOuter({ keyword, keywordLocation }: OutputUnit, schema: JsonSchema): boolean {
  return keyword === 'additionalProperties' && at(schema, keywordLocation) !== false;
}

function sentence({ keyword, keywordLocation, instanceLocation, error }: OutputUnit, schema: JsonSchema, known: Names) {
  const place = placeOf(instanceLocation, known);
  if (keyword !== 'additionalProperties') return `${place}: ${plainSchemaError(error)}`;
  const parent = at(schema, keywordLocation.slice(0, keywordLocation.lastIndexOf('/')));
  const names = Object.keys((parent as { readonly properties?: object } | undefined)?.properties ?? {});
  const allowed = names.length === 0 ? 'it has no fields' : `the fields are ${names.join(', ')}`;
  return `${place} has a field that does not exist: ${allowed}`;
}

type Names = ReadonlySet<string>;

function placeOf(location: string, known: Names): string {
  const parts = location.split('/').slice(1).map(unescaped);
  return ['payload', ...parts.map((part) => (known.has(part) || /^\d{1,9}$/.test(part) ? part : '*'))].join('/');
}

function namesIn(schema: unknown, found: Set<string> = new Set()): Names {
  if (typeof schema !== 'object' || schema === null) return found;
  for (const [keyword, child] of Object.entries(schema)) {
    if (keyword === 'properties') for (const name of Object.keys(child as object)) found.add(name);
    namesIn(child, found);
  }
  return found;
}

function at(schema: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map(unescaped)
    .reduce<unknown>(
      (node, part) => (typeof node === 'object' && node !== null ? (node as Record<string, unknown>)[part] : undefined),
      schema,
    );
}

function unescaped(part: string): string {
  try {
    return decodeURI(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}
