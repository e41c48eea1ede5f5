import type { EffectKind } from '../core/effect-kind.js';
import { type Fields, fieldsOf, isObject, noteMisspelt } from './fields.js';
import { PLAN_LIMITS } from './limits.js';
import type { Binding, PlanStep, StepType, ToolValidationMode } from './plan.js';

/** What a step is taken to need where its writer did not say. */
export const DEFAULT_TOKENS = 1_000;
export const DEFAULT_MS = 5_000;

export const STEP_TYPES: readonly StepType[] = ['tool', 'reasoning'];
export const VALIDATION_MODES: readonly ToolValidationMode[] = ['advisory', 'strict'];
export const EFFECT_KINDS: readonly EffectKind[] = ['pure', 'idempotent', 'undoable', 'irreversible'];

/** Also the names of steps in the journal and on screens: short, and nothing that a path could misread. */
const ID = /^[\p{L}\p{N}][\p{L}\p{N}._:-]{0,63}$/u;
const MAX_ID = 64;

const KNOWN = [
  'id',
  'description',
  'stepType',
  'requiredTools',
  'expectedOutcome',
  'toolValidationMode',
  'dependsOn',
  'preconditions',
  'effects',
  'bindings',
  'priority',
  'reversibility',
  'compensation',
  'estimatedTokens',
  'estimatedMs',
] as const satisfies readonly (keyof PlanStep)[];

/**
 * One step. A step without a type is a tool step where it requires tools, checked as advisory, since its writer knew of
 * no check; else a reasoning step. Tools and a type that was written have to agree: a tool step without required tools
 * could never be checked, and tools on a reasoning step would be promised and not checked, so both are refused rather
 * than guessed about.
 */
export function readStep(value: unknown, index: number, problems: string[]): PlanStep {
  const given = typeof value === 'string' ? { id: `step-${index + 1}`, description: value } : value;
  if (!isObject(given)) problems.push(`Step ${index + 1}: must be an object with id and description`);
  const source = isObject(given) ? given : { id: `step-${index + 1}`, description: '-' };
  const id = source['id'];
  const isNamed = (typeof id === 'string' && id.length <= MAX_ID) || typeof id === 'number';
  const place = isNamed ? `Step ${id}` : `Step ${index + 1}`;
  const fields = fieldsOf(source, place, problems);
  noteMisspelt(fields, source, KNOWN);
  const requiredTools = fields.list('requiredTools', PLAN_LIMITS.tools);
  const stepType = fields.oneOf('stepType', STEP_TYPES, requiredTools.length > 0 ? 'tool' : 'reasoning');
  checkTools(fields, stepType, requiredTools);
  return {
    id: readId(fields),
    description: fields.text('description', undefined, PLAN_LIMITS.textChars),
    stepType,
    requiredTools,
    expectedOutcome: fields.text('expectedOutcome', '', PLAN_LIMITS.textChars),
    toolValidationMode: fields.oneOf(
      'toolValidationMode',
      VALIDATION_MODES,
      stepType === 'tool' && fields.has('stepType') ? 'strict' : 'advisory',
    ),
    // `dependencies` is what older lists call it
    dependsOn: fields.list(fields.has('dependsOn') ? 'dependsOn' : 'dependencies', PLAN_LIMITS.steps),
    preconditions: fields.conditions('preconditions'),
    effects: fields.conditions('effects'),
    bindings: readBindings(fields),
    priority: fields.amount('priority', 0),
    ...readReversibility(fields, problems, place),
    estimatedTokens: fields.amount('estimatedTokens', DEFAULT_TOKENS, 0),
    estimatedMs: fields.amount('estimatedMs', DEFAULT_MS, 0),
  };
}

function readId(fields: Fields): string {
  const id = fields.text('id');
  if (id !== '' && !ID.test(id))
    fields.refuse('id', 'must begin with a letter or digit and hold only letters, digits and . _ : - (64 at most)');
  return id;
}

function checkTools(fields: Fields, stepType: StepType, requiredTools: readonly string[]): void {
  if (stepType === 'tool' && requiredTools.length === 0)
    fields.refuse('requiredTools', 'must name at least one tool, since stepType is tool');
  if (stepType === 'reasoning' && requiredTools.length > 0)
    fields.refuse('requiredTools', 'must be empty in a reasoning step: set "stepType": "tool", or omit it');
}

function readBindings(fields: Fields): Readonly<Record<string, Binding>> {
  const given = Object.entries(fields.object('bindings') ?? {});
  if (given.length > PLAN_LIMITS.bindings) {
    fields.refuse('bindings', `hold ${given.length} names, and ${PLAN_LIMITS.bindings} is the most`);
    return {};
  }
  checkSize(fields, 'bindings', given);
  return Object.fromEntries(given.flatMap(([name, value]) => readBinding(fields, name, value)));
}

function readBinding(fields: Fields, name: string, value: unknown): readonly (readonly [string, Binding])[] {
  if (isObject(value) && Object.keys(value).length === 1) {
    if (typeof value['from'] === 'string') return [[name, { from: value['from'].trim() }]];
    if (typeof value['from'] === 'number') return [[name, { from: String(value['from']) }]];
    if ('value' in value) return [[name, { value: value['value'] }]];
  }
  fields.refuse(`bindings.${name}`, 'must be {"from": "a step"} or {"value": …}');
  return [];
}

function checkSize(fields: Fields, name: string, value: unknown): void {
  const { length } = JSON.stringify(value) ?? '';
  if (length > PLAN_LIMITS.valueChars)
    fields.refuse(name, `take ${length} characters of JSON, and ${PLAN_LIMITS.valueChars} is the most`);
}

/** What can be taken back says how; what cannot is gated instead. */
function readReversibility(
  fields: Fields,
  problems: string[],
  place: string,
): Pick<PlanStep, 'reversibility' | 'compensation'> {
  const reversibility = fields.oneOf('reversibility', EFFECT_KINDS, 'pure');
  const given = fields.object('compensation');
  if (given !== undefined) {
    const tool = fieldsOf(given, `${place}: compensation`, problems).text('tool');
    const args = given['args'] ?? {};
    checkSize(fields, 'args of the compensation', args);
    return { reversibility, compensation: { tool, args } };
  }
  if (reversibility === 'idempotent' || reversibility === 'undoable')
    fields.refuse('compensation', `must name the tool and args that take it back, since it is ${reversibility}`);
  return { reversibility };
}
