import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonSchema } from '../../core/schema.js';

/** Checks values against plain JSON Schema. `ajv` is loaded with the first check: most processes never need it. */
export function ajvCheck(): (schema: JsonSchema, value: unknown) => Promise<string | undefined> {
  let loading: Promise<Ajv2020> | undefined;
  return async (schema, value) => {
    loading ??= import('ajv/dist/2020.js').then((module) => new module.Ajv2020({ allErrors: true, strict: false }));
    const ajv = await loading;
    const validate = ajv.compile(schema);
    return validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'payload' });
  };
}
