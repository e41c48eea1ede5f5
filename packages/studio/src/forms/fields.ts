import type { JsonSchema } from '../../../flyball/src/core/schema.js';
import { problemsIn } from './schema-problems.js';

/** How one value is asked for. What has no control of its own is written as JSON. */
export type Control = 'line' | 'text' | 'number' | 'yes-no' | 'choice' | 'date' | 'json';

export interface Field {
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  readonly required: boolean;
  readonly control: Control;
  readonly choices: readonly unknown[];
  readonly schema: JsonSchema;
  readonly initial: string;
}

/** What stands in the controls: text, before anybody knows whether it is a value. */
export type Draft = Readonly<Record<string, string>>;

export interface Written {
  readonly value: Readonly<Record<string, unknown>>;
  /** By field; under an empty name what is wrong with the whole. */
  readonly problems: Readonly<Record<string, string>>;
}

/** The fields of an object; undefined for a schema that is no object with known properties. */
export function fieldsOf(schema: JsonSchema | undefined): readonly Field[] | undefined {
  const {
    type,
    properties,
    required = [],
  } = (schema ?? {}) as {
    readonly type?: unknown;
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
  if (properties === undefined || (type !== undefined && type !== 'object')) return undefined;
  return Object.entries(properties).map(([name, one]) => fieldOf(name, one, required.includes(name)));
}

function fieldOf(name: string, schema: JsonSchema, required: boolean): Field {
  const { title, description, enum: choices, default: given } = schema as Readonly<Record<string, unknown>>;
  const field = {
    name,
    title: typeof title === 'string' && title !== '' ? title : name,
    ...(typeof description === 'string' && description !== '' ? { description } : {}),
    required,
    choices: Array.isArray(choices) ? choices : [],
    schema,
  };
  const control = controlOf(schema);
  return { ...field, control, initial: given === undefined ? '' : textFor(control, given) };
}

/** Longer texts get more than a line. */
const LINE = 120;

function controlOf(schema: JsonSchema): Control {
  const { type, enum: choices, format, maxLength } = schema as Readonly<Record<string, unknown>>;
  if (Array.isArray(choices)) return 'choice';
  switch (type) {
    case 'boolean':
      return 'yes-no';
    case 'number':
    case 'integer':
      return 'number';
    case 'string':
      if (format === 'date') return 'date';
      return typeof maxLength === 'number' && maxLength <= LINE ? 'line' : 'text';
    default:
      return 'json';
  }
}

function textFor(control: Control, value: unknown): string {
  if (control === 'json') return JSON.stringify(value, null, 2) ?? '';
  if (control === 'choice') return JSON.stringify(value) ?? '';
  return typeof value === 'string' ? value : String(value);
}

/** The controls as they stand for a value, or for the defaults of the schema. */
export function draftOf(fields: readonly Field[], value?: unknown): Draft {
  const given = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    fields.map(({ name, control, initial }) => [
      name,
      given[name] === undefined ? (value === undefined ? initial : '') : textFor(control, given[name]),
    ]),
  );
}

/** What was written, as a value. An empty control leaves its field out. */
export function written(fields: readonly Field[], draft: Draft, schema?: JsonSchema): Written {
  const value: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const field of fields) {
    const text = draft[field.name] ?? '';
    if (text === '') continue;
    const read = typed(field, text);
    if ('problem' in read) problems[field.name] = read.problem;
    else value[field.name] = read.value;
  }
  for (const { at, message } of problemsIn(schema ?? objectOf(fields), value)) {
    const [name = ''] = at.split('.');
    const own = fields.some((field) => field.name === name) ? name : '';
    problems[own] ??= own === at || own === '' ? `${own === '' ? `${at} ` : ''}${message}`.trim() : `${at} ${message}`;
  }
  return { value, problems };
}

function objectOf(fields: readonly Field[]): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
  };
}

function typed({ control }: Field, text: string): { readonly value: unknown } | { readonly problem: string } {
  switch (control) {
    case 'line':
    case 'text':
    case 'date':
      return { value: text };
    case 'number': {
      const value = Number(text);
      return Number.isFinite(value) && text.trim() !== '' ? { value } : { problem: 'is not a number' };
    }
    case 'yes-no':
      return { value: text === 'true' };
    case 'choice':
    case 'json':
      return fromJson(text);
  }
}

export function fromJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: `is not JSON: ${(error as Error).message}` };
  }
}
