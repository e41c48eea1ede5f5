import { sha256 } from '../core/canonical.js';
import { FlyballError } from '../core/errors.js';
import type { JsonSchema, StandardResult, StandardSchema } from '../core/schema.js';
import { SKILL_FILE } from './skill.js';

export const PARAMETER_TYPES = ['string', 'number', 'integer', 'boolean'] as const;

/** A part of a procedure that is different each time. It stands in the body as `{{name}}`. */
export interface SkillParameter {
  readonly name: string;
  readonly description: string;
  readonly type: (typeof PARAMETER_TYPES)[number];
}

/** One use of a learned skill. */
export interface Invocation {
  /** Of the effect that logged it: the same use is never counted twice. */
  readonly id: string;
  readonly run: string;
  readonly at: number;
  readonly ok: boolean;
  readonly because?: string;
}

/** active: used. quarantined: it failed, and nobody uses it until somebody looks. retired: of no use any more. */
export type LearnedStatus = 'active' | 'quarantined' | 'retired';

/** A procedure distilled from a verified success. A stored format: version 1 is the first one. */
export interface LearnedSkill {
  readonly v: 1;
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly SkillParameter[];
  readonly body: string;
  /** SHA-256 of the body: whoever uses the skill changes parameters and nothing else. */
  readonly bodyHash: string;
  readonly invariants: readonly string[];
  /** By what a use of it counts as a success. */
  readonly acceptance: string;
  readonly provenance: {
    readonly run: string;
    /** SHA-256 of what it was distilled from. */
    readonly trace: string;
    readonly verdict: string;
    readonly at: number;
  };
  readonly status: LearnedStatus;
  /** Why it is not active. */
  readonly why?: string;
  /** The newest last. */
  readonly invocations: readonly Invocation[];
  /** Of the last use that succeeded, or of its making: how fresh it is. */
  readonly freshAt: number;
  /** Counts the writes of the record. */
  readonly revision: number;
}

/** Values for the parameters of a learned skill. */
export type ParameterValues = Readonly<Record<string, string | number | boolean>>;

const PLACEHOLDER = /\{\{\s*([a-z][a-z0-9_]*)\s*\}\}/g;

export function placeholdersIn(body: string): ReadonlySet<string> {
  return new Set([...body.matchAll(PLACEHOLDER)].map((match) => match[1] ?? ''));
}

export function bodyHash(body: string): string {
  return sha256(body);
}

/** The body with values in the places of parameters. By code: what a model adapts is the values alone. */
export function instantiate(skill: LearnedSkill, values: ParameterValues): string {
  if (bodyHash(skill.body) !== skill.bodyHash)
    throw new FlyballError(
      'INVARIANT_BROKEN',
      `The body of ${skill.name} is not the one that was validated. Remove the skill, or restore it.`,
    );
  return skill.body.replaceAll(PLACEHOLDER, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : String(value);
  });
}

/** The JSON Schema of a learned skill's parameters. */
export function parametersSchema({ parameters }: Pick<LearnedSkill, 'parameters'>): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map(({ name, type, description }) => [name, { type, description }] as const),
    ),
    required: parameters.map(({ name }) => name),
    additionalProperties: false,
  };
}

/** Every parameter and nothing else, each of its type and within bounds. */
export function parametersStandard({
  parameters,
}: Pick<LearnedSkill, 'parameters'>): StandardSchema<unknown, ParameterValues> {
  const validate = (value: unknown): StandardResult<ParameterValues> => {
    const given = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
    const wrong = [
      ...Object.keys(given)
        .filter((key) => !parameters.some(({ name }) => name === key))
        .map((key) => `"${key.slice(0, 60)}" is not a parameter`),
      ...parameters
        .filter(({ name, type }) => !fits(given[name], type))
        .map(({ name, type }) => `"${name}" is a ${type}`),
    ];
    return wrong.length === 0 ? { value: given as ParameterValues } : { issues: wrong.map((message) => ({ message })) };
  };
  return { '~standard': { version: 1, vendor: 'flyball', validate } };
}

const LONGEST_VALUE = 4000;

function fits(value: unknown, type: SkillParameter['type']): boolean {
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value);
  if (type === 'string') return typeof value === 'string' && value !== '' && value.length <= LONGEST_VALUE;
  return typeof value === type;
}

export const LEARNED_FILE = 'assets/learned.json';

/** The skill as the files of a skill folder: instructions that every tool reads, and the record itself. */
export function learnedFiles(skill: LearnedSkill): ReadonlyMap<string, string> {
  const { name, description, parameters, body, invariants, acceptance, provenance, revision } = skill;
  const text = [
    '---',
    `name: ${JSON.stringify(name)}`,
    `description: ${JSON.stringify(description)}`,
    'metadata:',
    `  version: ${JSON.stringify(String(revision))}`,
    `  learned-from: ${JSON.stringify(provenance.run)}`,
    '---',
    `# ${name}`,
    '',
    'Put a value in the place of each parameter; change nothing else.',
    '',
    ...parameters.map((one) => `- \`{{${one.name}}}\` (${one.type}): ${oneLine(one.description)}`),
    '',
    '## What to do',
    '',
    body.trim(),
    '',
    ...(invariants.length === 0 ? [] : ['## What must hold', '', ...invariants.map((one) => `- ${oneLine(one)}`), '']),
    '## When it counts as done',
    '',
    oneLine(acceptance),
    '',
  ].join('\n');
  return new Map([
    [SKILL_FILE, text],
    [LEARNED_FILE, `${JSON.stringify(skill, null, 2)}\n`],
  ]);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** The record in a learned skill's file; undefined where it is none of this version. */
export function learnedFrom(value: unknown): LearnedSkill | undefined {
  const given = (value ?? {}) as Partial<LearnedSkill>;
  const isSound =
    given.v === 1 &&
    typeof given.name === 'string' &&
    typeof given.body === 'string' &&
    typeof given.bodyHash === 'string' &&
    Array.isArray(given.parameters) &&
    Array.isArray(given.invocations) &&
    typeof given.revision === 'number' &&
    typeof given.freshAt === 'number' &&
    ['active', 'quarantined', 'retired'].includes(String(given.status));
  return isSound ? (given as LearnedSkill) : undefined;
}
