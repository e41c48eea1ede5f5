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
  let validator: Promise<Validator> | undefined;
  return {
    '~standard': {
      version: 1,
      vendor: 'json-schema',
      validate: async (value) => {
        if (value === undefined) return { issues: [{ message: 'there is no value' }] };
        validator ??= validatorOf(schema);
        // as it will cross the journal: a member that is undefined is no member
        const plain = JSON.parse(JSON.stringify(value)) as unknown;
        const { valid, errors } = (await validator).validate(plain);
        if (valid) return { value: plain };
        const told = errors.filter(({ keyword }) => !CONTAINERS.includes(keyword));
        return { issues: (told.length > 0 ? told : errors).slice(0, MAX_ISSUES).map(issueOf) };
      },
      jsonSchema: { input: () => ({ ...schema }), output: () => ({ ...schema }) },
    },
  };
}

async function validatorOf(schema: JsonSchema): Promise<Validator> {
  const { Validator: Checker } = (await import('@cfworker/json-schema')) as {
    readonly Validator: new (schema: Schema, draft: SchemaDraft, shortCircuit: boolean) => Validator;
  };
  // a copy of its own: the validator marks the schema it works on
  return new Checker(structuredClone(schema) as Schema, draftOf(schema['$schema']), false);
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
