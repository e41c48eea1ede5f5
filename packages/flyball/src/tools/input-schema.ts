import { strictJson } from '../core/codec.js';
import { failureOf } from '../core/errors.js';
import { type JsonSchema, jsonSchemaOf, type StandardSchema } from '../core/schema.js';
import { type Fail, failure } from './definition-checks.js';
import { schemaProblem } from './json-schema-shape.js';
import { jsonSchemaStandard } from './json-schema-standard.js';
import type { LooseDefinition } from './tool-definition.js';

export interface ReadyInput {
  readonly input: StandardSchema;
  /** What models are shown: worked out here, once, because every request carries it. */
  readonly inputJsonSchema: JsonSchema;
}

export function inputOf(name: string, definition: LooseDefinition, inputWhereNone: JsonSchema): ReadyInput {
  const fail = failure(name);
  const { input = inputWhereNone, inputJsonSchema } = definition;
  if (typeof input !== 'object' && typeof input !== 'function') {
    fail(`input is ${JSON.stringify(input)}. Give a Standard Schema (zod, valibot, arktype) or a JSON Schema object.`);
  }
  if (isStandard(input)) return { input, inputJsonSchema: shown(inputJsonSchema ?? described(input, fail), fail) };
  const checked = plainCopy(input, fail); // a copy: the author may go on changing the object
  const problem = schemaProblem(checked);
  if (problem !== undefined) fail(problem);
  return { input: jsonSchemaStandard(checked), inputJsonSchema: shown(inputJsonSchema ?? checked, fail) };
}

export function isStandard(input: unknown): input is StandardSchema {
  // arktype's schemas are functions
  if ((typeof input !== 'object' && typeof input !== 'function') || input === null) return false;
  const standard = (input as { readonly '~standard'?: { readonly validate?: unknown } })['~standard'];
  return typeof standard?.validate === 'function';
}

function described(input: StandardSchema, fail: Fail): JsonSchema {
  const { vendor } = input['~standard'];
  try {
    const schema = jsonSchemaOf(input);
    if (schema !== undefined) return schema;
  } catch (error) {
    return fail(
      `${vendor} cannot write its input as JSON Schema: ${failureOf(error).message}. Use types that JSON has, or give inputJsonSchema as well.`,
    );
  }
  return fail(
    `${vendor} does not say what its input looks like as JSON Schema, which models are shown. Give inputJsonSchema as well.`,
  );
}

/** Frozen, and without `$schema`, which costs tokens in every request and tells a model nothing. */
function shown(schema: JsonSchema, fail: Fail): JsonSchema {
  const { $schema: _, ...rest } = plainCopy(schema, fail);
  const problem = schemaProblem(rest);
  if (problem !== undefined) fail(problem);
  return deepFrozen(rest);
}

function plainCopy(schema: JsonSchema, fail: Fail): JsonSchema {
  try {
    return JSON.parse(strictJson(schema)) as JsonSchema;
  } catch (error) {
    return fail(`its JSON Schema is not plain data: ${failureOf(error).message}`);
  }
}

function deepFrozen<V>(value: V): V {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) deepFrozen(part);
  return Object.freeze(value);
}
