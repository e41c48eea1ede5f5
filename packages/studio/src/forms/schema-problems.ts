import { isJsonType } from '../../../flyball/src/core/is-json-type.js';
import type { JsonSchema } from '../../../flyball/src/core/schema.js';

export interface SchemaProblem {
  /** `lines.0.amount`; empty for the whole. */
  readonly at: string;
  readonly message: string;
}

interface Node {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly items?: Node;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
}

const MOST = 20;

/**
 * What a value gets wrong, said while somebody is still typing. Words of JSON Schema that are not known here pass: the
 * server checks the whole again and has the last word.
 */
export function problemsIn(schema: JsonSchema | undefined, value: unknown): readonly SchemaProblem[] {
  return schema === undefined ? [] : look(schema as Node, value, '').slice(0, MOST);
}

function look(node: Node, value: unknown, at: string): readonly SchemaProblem[] {
  const say = (message: string): readonly SchemaProblem[] => [{ at, message }];
  if (typeof node !== 'object' || node === null) return [];
  if (node.const !== undefined && !same(node.const, value)) return say(`must be ${JSON.stringify(node.const)}`);
  if (node.enum !== undefined && !node.enum.some((one) => same(one, value)))
    return say(`must be one of ${node.enum.map((one) => JSON.stringify(one)).join(', ')}`);
  const types = node.type === undefined ? [] : [node.type].flat();
  if (types.length > 0 && !types.some((type) => isJsonType(type, value)))
    return say(`must be ${types.map(named).join(' or ')}`);
  if (typeof value === 'string') return inText(node, value).map((message) => ({ at, message }));
  if (typeof value === 'number') return inNumber(node, value).map((message) => ({ at, message }));
  if (Array.isArray(value)) return inList(node, value, at);
  return typeof value === 'object' && value !== null ? inObject(node, value, at) : [];
}

function inText({ minLength = 0, maxLength = Infinity, pattern }: Node, text: string): readonly string[] {
  if (text.length < minLength)
    return [minLength === 1 ? 'must not be empty' : `needs at least ${minLength} characters`];
  if (text.length > maxLength) return [`has ${text.length} characters; at most ${maxLength} are allowed`];
  return pattern !== undefined && !fits(pattern, text) ? [`must match ${pattern}`] : [];
}

function fits(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true; // written for another kind of pattern: the server knows it
  }
}

function inNumber(node: Node, value: number): readonly string[] {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = node;
  if (value < minimum) return [`must be at least ${minimum}`];
  if (value > maximum) return [`must be at most ${maximum}`];
  if (value <= exclusiveMinimum) return [`must be above ${exclusiveMinimum}`];
  return value >= exclusiveMaximum ? [`must be below ${exclusiveMaximum}`] : [];
}

function inList({ items, minItems = 0, maxItems = Infinity }: Node, list: readonly unknown[], at: string) {
  if (list.length < minItems) return [{ at, message: `needs at least ${minItems}` }];
  if (list.length > maxItems) return [{ at, message: `has ${list.length} items; at most ${maxItems} are allowed` }];
  return items === undefined ? [] : list.flatMap((one, index) => look(items, one, below(at, String(index))));
}

function inObject(node: Node, value: object, at: string): readonly SchemaProblem[] {
  const { properties = {}, required = [], additionalProperties } = node;
  const given = Object.entries(value).filter(([, part]) => part !== undefined);
  const names = new Set(given.map(([name]) => name));
  const strange = additionalProperties === false ? [...names].filter((name) => !Object.hasOwn(properties, name)) : [];
  return [
    ...required.filter((name) => !names.has(name)).map((name) => ({ at: below(at, name), message: 'is required' })),
    ...strange.map((name) => ({ at: below(at, name), message: 'is not a known field' })),
    ...given.flatMap(([name, part]) => {
      const child = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return child === undefined ? [] : look(child, part, below(at, name));
    }),
  ];
}

function below(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`;
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'yes or no',
  array: 'a list',
  object: 'an object',
};

function named(type: string): string {
  return NAMES[type] ?? type;
}

function same(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b));
}
