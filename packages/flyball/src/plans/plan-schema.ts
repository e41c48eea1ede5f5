import type { JsonSchema, StandardSchema } from '../core/schema.js';
import { PLAN_LIMITS } from './limits.js';
import type { Plan } from './plan.js';
import { MAX_STEPS, readPlan, SHAPES } from './read-plan.js';
import { EFFECT_KINDS, STEP_TYPES, VALIDATION_MODES } from './read-step.js';

const TEXT = { type: 'string', minLength: 1 };
const TEXTS = { type: 'array', items: TEXT };
const CONDITIONS = { ...TEXTS, maxItems: PLAN_LIMITS.conditions };
const AMOUNT = { type: 'number', minimum: 0 };

function object(properties: JsonSchema, required: readonly string[] = []): JsonSchema {
  return { type: 'object', properties, required };
}

const STEP = object(
  {
    id: { ...TEXT, description: 'Unique and short: letters, digits and . _ : -' },
    description: { ...TEXT, description: 'What is to be done.' },
    stepType: {
      enum: STEP_TYPES,
      description: 'tool: something has to be called. reasoning: the model thinks or writes. Left out: reasoning.',
    },
    requiredTools: {
      ...TEXTS,
      maxItems: PLAN_LIMITS.tools,
      description: 'Tool steps: every tool that must be called, by its name. Else empty.',
    },
    expectedOutcome: { type: 'string', description: 'What is there when the step is done.' },
    toolValidationMode: { enum: VALIDATION_MODES, description: 'strict: without the calls the step fails.' },
    dependsOn: { ...TEXTS, description: 'Ids of the steps that must be over. None anywhere: one after the other.' },
    preconditions: { ...CONDITIONS, description: 'Conditions that must hold before; !x must not hold.' },
    effects: { ...CONDITIONS, description: 'Conditions that hold afterwards; !x no longer does.' },
    bindings: {
      type: 'object',
      description: 'What the step reads, by name: {"from": "step id"} or {"value": …}.',
      additionalProperties: { anyOf: [object({ from: TEXT }, ['from']), object({ value: {} }, ['value'])] },
    },
    priority: { type: 'number', description: 'Larger is sooner.' },
    reversibility: { enum: EFFECT_KINDS, description: 'idempotent and undoable steps need a compensation.' },
    compensation: object({ tool: TEXT, args: {} }, ['tool']),
    estimatedTokens: AMOUNT,
    estimatedMs: AMOUNT,
  },
  ['id', 'description'],
);

/** What a planner session is asked to write. The parser takes more: older lists, and a plan with prose around it. */
export const PLAN_JSON_SCHEMA: JsonSchema = object(
  {
    goal: { type: 'string' },
    shape: { enum: SHAPES },
    steps: { type: 'array', minItems: 1, maxItems: MAX_STEPS, items: STEP },
    links: {
      type: 'array',
      maxItems: PLAN_LIMITS.links,
      description: '"by" makes "condition" true, and "for" relies on it.',
      items: object({ by: TEXT, condition: TEXT, for: TEXT }, ['by', 'condition', 'for']),
    },
    orderings: {
      type: 'array',
      maxItems: PLAN_LIMITS.orderings,
      items: object({ before: TEXT, after: TEXT }, ['before', 'after']),
    },
    branches: {
      type: 'array',
      description: 'After "at", the observation decides: ifSo or ifNot runs, the other side is skipped.',
      items: object({ at: TEXT, observation: TEXT, decidedBy: { enum: ['answer'] }, ifSo: TEXTS, ifNot: TEXTS }, [
        'at',
        'observation',
      ]),
    },
  },
  ['steps'],
);

/** The same parser as a schema, for a session's output. */
export const planSchema: StandardSchema<unknown, Plan> = {
  '~standard': {
    version: 1,
    vendor: 'flyball',
    validate(value) {
      const read = readPlan(value);
      return read.ok ? { value: read.plan } : { issues: [{ message: read.problem }] };
    },
    jsonSchema: { input: () => PLAN_JSON_SCHEMA, output: () => PLAN_JSON_SCHEMA },
  },
};
