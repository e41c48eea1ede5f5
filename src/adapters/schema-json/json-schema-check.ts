import type { Schema, Validator } from '@cfworker/json-schema';
import type { JsonSchema } from '../../core/schema.js';

/**
 * Checks values against plain JSON Schema. The validator is loaded with the first check, because most processes never
 * need one, and interprets the schema: nothing that comes from a journal or a server is compiled into code.
 */
export function jsonSchemaCheck(): (schema: JsonSchema, value: unknown) => Promise<string | undefined> {
  return async (schema, value) => {
    const { Validator: Checker } = (await import('@cfworker/json-schema')) as {
      Validator: new (schema: Schema, draft: '2020-12', shortCircuit: boolean) => Validator;
    };
    const { valid, errors } = new Checker(schema as Schema, '2020-12', false).validate(value);
    if (valid) return undefined;
    // the outer errors only say that an inner one occurred: the deepest ones name the place
    const told = errors.filter(({ keyword }) => keyword !== 'properties' && keyword !== 'items');
    return (told.length > 0 ? told : errors)
      .map(({ instanceLocation, error }) => `payload${instanceLocation.slice(1)}: ${error.replace(/\.$/, '')}`)
      .join('; ');
  };
}
