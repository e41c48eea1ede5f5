import type { Schema, SchemaDraft, Validator } from '@cfworker/json-schema';
import type { JsonSchema, StandardIssue, StandardSchema } from '../core/schema.js';
import { plainSchemaError } from '../core/schema-error.js';

/** More tell a model nothing new, and a long list crowds its context. */
const MAX_ISSUES = 8;
/** They only say that something inside failed: the error about it follows. */
const CONTAINERS = ['properties', 'items', 'prefixItems', 'additionalProperties', 'allOf', '$ref'];

/**
 * A JSON Schema as a Standard Schema. The validator is loaded with the first check and interprets the schema: nothing
 * that came from a file or a server is compiled into code.
 */
export function jsonSchemaStandard(schema: JsonSchema): StandardSchema {
  let checker: Promise<(value: unknown, mostLooks: number) => ReturnType<Validator['validate']>> | undefined;
  return {
    '~standard': {
      version: 1,
      vendor: 'json-schema',
      validate: async (value) => {
        if (value === undefined) return { issues: [{ message: 'there is no value' }] };
        checker ??= checkerOf(schema);
        // as it will cross the journal: a member that is undefined is no member
        const text = JSON.stringify(value);
        const plain = JSON.parse(text) as unknown;
        const { valid, errors } = (await checker)(plain, LEAST_LOOKS + LOOKS_A_CHARACTER * text.length);
        if (valid) return { value: plain };
        const told = errors.filter(({ keyword }) => !CONTAINERS.includes(keyword));
        return { issues: (told.length > 0 ? told : errors).slice(0, MAX_ISSUES).map(issueOf) };
      },
      jsonSchema: { input: () => ({ ...schema }), output: () => ({ ...schema }) },
    },
  };
}

/**
 * Parts of a schema that refer to themselves can look at one part of a value twice for each level above it, so that a few
 * brackets take hours. More looks than this at a value of that size are not made: it counts as not valid.
 */
const LEAST_LOOKS = 50_000;
const LOOKS_A_CHARACTER = 20;
const TOO_OFTEN = {
  keyword: 'looks',
  keywordLocation: '#',
  instanceLocation: '#',
  error: 'cannot be checked: the schema looks at the same part again and again',
};

async function checkerOf(schema: JsonSchema) {
  const { Validator: Checker } = (await import('@cfworker/json-schema')) as {
    readonly Validator: new (schema: Schema, draft: SchemaDraft, shortCircuit: boolean) => Validator;
  };
  let left = Number.POSITIVE_INFINITY; // it reads the schema once when it is made
  // a copy of its own: the validator marks the schema it works on
  const copy = counting(structuredClone(schema), () => {
    if (left-- <= 0) throw new TooManyLooks();
  });
  const validator = new Checker(copy as Schema, draftOf(schema['$schema']), false);
  return (value: unknown, mostLooks: number): ReturnType<Validator['validate']> => {
    left = mostLooks;
    try {
      return validator.validate(value);
    } catch (error) {
      if (error instanceof TooManyLooks) return { valid: false, errors: [TOO_OFTEN] };
      throw error;
    }
  };
}

class TooManyLooks extends Error {}

/** The schema, telling of each look at a part of it: the validator reads this keyword whenever it holds a value against one. */
function counting(schema: JsonSchema, look: () => void): JsonSchema {
  const waiting: unknown[] = [schema];
  const seen = new Set<unknown>(); // a part can stand in several places
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (typeof part !== 'object' || part === null || seen.has(part)) continue;
    seen.add(part);
    for (const inner of Object.values(part)) if (inner !== undefined) waiting.push(inner);
    if (Array.isArray(part)) continue;
    const { $recursiveRef: own } = part as { readonly $recursiveRef?: unknown };
    Object.defineProperty(part, '$recursiveRef', {
      enumerable: own !== undefined,
      get: () => {
        look();
        return own;
      },
    });
  }
  return schema;
}

function draftOf(named: unknown): SchemaDraft {
  const text = typeof named === 'string' ? named : '';
  if (text.includes('draft-04')) return '4';
  if (text.includes('draft-06') || text.includes('draft-07')) return '7';
  return text.includes('2019-09') ? '2019-09' : '2020-12';
}

function issueOf(unit: {
  readonly keyword: string;
  readonly instanceLocation: string;
  readonly error: string;
}): StandardIssue {
  const path = unit.instanceLocation.split('/').slice(1).map(unescaped);
  const message = unit.keyword === 'false' ? 'is not a known field' : plainSchemaError(unit.error);
  return { message, path };
}

/** A part of a JSON pointer in a URI fragment. */
function unescaped(part: string): string {
  return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
}
