import type { JsonSchema } from 'flyball';
import { plainOf } from '../tau2/python/plain-values.js';
import { RecordFields } from '../tau2/python/record-fields.js';
import type { Parameter } from '../tau2/python/signature.js';
import type { PyDict, PyValue } from '../tau2/python/value.js';
import type { ToolSchema } from './environment.js';

/** A tool as `tools.json` of a domain describes it: `{ type: "function", function: { name, description, parameters } }`. */
export function readToolSchema(value: PyValue, path = 'tool'): ToolSchema {
  const fn = new RecordFields(value, path).fields('function');
  return {
    name: fn.text('name'),
    description: fn.text('description'),
    parameters: plainOf(fn.fields('parameters').dict) as JsonSchema,
  };
}

/** The parameters of a schema in the order in which the function has them. */
export function readParameters(value: PyValue, path = 'tool'): readonly Parameter[] {
  const schema = new RecordFields(value, path).fields('function').fields('parameters');
  const required = schema.value('required') === null ? [] : schema.list('required');
  return [...(schema.fieldsOrNull('properties')?.dict ?? [])].map(([name, property]) => ({
    name,
    required: required.includes(name),
    default: (property as PyDict).get('default') ?? null,
  }));
}
