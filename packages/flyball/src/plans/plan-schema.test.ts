import { describe, expect, it } from 'vitest';
import { check, jsonSchemaOf } from '../core/schema.js';
import { jsonSchemaStandard } from '../tools/json-schema-standard.js';
import { PLAN_JSON_SCHEMA, planSchema } from './plan-schema.js';
import { readPlan } from './read-plan.js';
import { partial, step } from './sample.test-data.js';

describe('the schema of a plan', () => {
  it('gives what the parser gives, and its problem word for word [R4-PLAN-PARSE]', async () => {
    const steps = [{ id: 'a', description: 'Do it' }];
    const read = readPlan({ steps });
    expect(read.ok && (await check(planSchema, { steps }))).toEqual({ ok: true, value: read.ok && read.plan });
    const bad = readPlan({ steps: [{ id: 'a' }] });
    expect(await check(planSchema, { steps: [{ id: 'a' }] })).toEqual(bad);
  });

  it('shows a model every field that the parser reads [R4-PLAN-FIELDS]', async () => {
    expect(jsonSchemaOf(planSchema)).toBe(PLAN_JSON_SCHEMA);
    const shown = PLAN_JSON_SCHEMA as { properties: { steps: { items: { properties: object } } } };
    const full = step('a', { compensation: { tool: 'undo', args: {} } });
    expect(Object.keys(shown.properties.steps.items.properties).sort()).toEqual(Object.keys(full).sort());
    const plan = partial([step('a'), step('b', { bindings: { x: { from: 'a' }, y: { value: 1 } } })], {
      links: [{ by: 'a', condition: 'x', for: 'b' }],
      orderings: [{ before: 'a', after: 'b' }],
      branches: [{ at: 'a', observation: 'so', ifSo: ['b'], ifNot: [] }],
    });
    const standard = jsonSchemaStandard(PLAN_JSON_SCHEMA);
    expect(await check(standard, plan)).toMatchObject({ ok: true });
    expect(await check(standard, { steps: [{ id: 'a' }] })).toMatchObject({ ok: false });
  });
});
