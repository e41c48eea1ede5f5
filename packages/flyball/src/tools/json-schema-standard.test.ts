import { expect, it } from 'vitest';
import { jsonSchemaStandard } from './json-schema-standard.js';

it('a schema may use one part in several places', async () => {
  const score = { type: 'number', minimum: 0 };
  const schema = jsonSchemaStandard({ type: 'object', properties: { clear: score, correct: score } });
  expect(await schema['~standard'].validate({ clear: 1, correct: 2 })).toEqual({ value: { clear: 1, correct: 2 } });
  expect(await schema['~standard'].validate({ clear: 1, correct: -1 })).toMatchObject({
    issues: [{ path: ['correct'] }],
  });
});
