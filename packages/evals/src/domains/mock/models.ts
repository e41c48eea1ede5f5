import { pyEquals } from '../../tau2/python/equality.js';
import { repr } from '../../tau2/python/text.js';
import type { PyDict, PyValue } from '../../tau2/python/value.js';
import { Model } from '../../world/model.js';
import { type Misfit, validationError } from './validation.js';

/** What a field holds: text, text or nothing, texts, or one of some words. */
export type FieldKind = 'text' | 'optional' | 'texts' | readonly string[];

export interface ModelType {
  readonly name: string;
  readonly fields: Readonly<Record<string, FieldKind>>;
  /** Fields that may be left out, and what they are then. */
  readonly defaults: Readonly<Record<string, PyValue>>;
}

export const TASK: ModelType = {
  name: 'Task',
  fields: { task_id: 'text', title: 'text', description: 'optional', status: ['pending', 'completed'] },
  defaults: { description: null },
};

export const USER: ModelType = {
  name: 'User',
  fields: { user_id: 'text', name: 'text', tasks: 'texts' },
  defaults: { tasks: [] },
};

export const NOTIFICATION: ModelType = {
  name: 'Notification',
  fields: { notification_id: 'text', message: 'text', status: ['unread', 'read'], task_id: 'optional' },
  defaults: { status: 'unread', task_id: null },
};

/** Makes a model of given values; what does not fit is raised. */
export function modelOf(type: ModelType, values: PyDict): Model {
  const misfits = misfitsOf(type, values, []);
  if (misfits.length > 0) throw validationError(type.name, misfits);
  return filled(type, values);
}

/** With all its fields, in its own order. */
export function filled(type: ModelType, values: PyDict): Model {
  return new Model(Object.keys(type.fields).map((name) => [name, values.get(name) ?? type.defaults[name] ?? null]));
}

export function misfitsOf(type: ModelType, value: PyValue, path: readonly string[]): Misfit[] {
  if (!(value instanceof Map)) {
    const problem = `Input should be a valid dictionary or instance of ${type.name}`;
    return [{ path, problem, type: 'model_type', value }];
  }
  const own = Object.entries(type.fields).flatMap(([name, kind]) => misfitsAt(type, name, kind, value, path));
  const extra = [...value].filter(([name]) => !Object.hasOwn(type.fields, name));
  return [...own, ...extra.map(([name, given]) => forbidden([...path, name], given))];
}

export function forbidden(path: readonly string[], value: PyValue): Misfit {
  return { path, problem: 'Extra inputs are not permitted', type: 'extra_forbidden', value };
}

function misfitsAt(type: ModelType, name: string, kind: FieldKind, values: PyDict, path: readonly string[]): Misfit[] {
  const value = values.get(name);
  const at = [...path, name];
  if (value !== undefined) return misfitsIn(kind, value, at);
  return Object.hasOwn(type.defaults, name)
    ? []
    : [{ path: at, problem: 'Field required', type: 'missing', value: values }];
}

function misfitsIn(kind: FieldKind, value: PyValue, path: readonly string[]): Misfit[] {
  if (typeof kind !== 'string') return kind.some((word) => pyEquals(word, value)) ? [] : [notOneOf(kind, value, path)];
  if (kind === 'optional' && value === null) return [];
  if (kind !== 'texts') return misfitsOfText(value, path);
  if (!Array.isArray(value)) return [{ path, problem: 'Input should be a valid list', type: 'list_type', value }];
  return value.flatMap((item, at) => misfitsOfText(item, [...path, String(at)]));
}

function misfitsOfText(value: PyValue, path: readonly string[]): Misfit[] {
  if (typeof value === 'string') return [];
  return [{ path, problem: 'Input should be a valid string', type: 'string_type', value }];
}

function notOneOf(words: readonly string[], value: PyValue, path: readonly string[]): Misfit {
  const quoted = words.map((word) => repr(word));
  const choices = `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
  return { path, problem: `Input should be ${choices}`, type: 'literal_error', value };
}
