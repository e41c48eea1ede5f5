import { ConfigError } from '../core/errors.js';
import { isJsonType } from '../core/is-json-type.js';
import type { JsonSchema, StandardIssue, StandardSchema } from '../core/schema.js';
import { isCalendarDate } from './calendar-date.js';

/**
 * The part of JSON Schema that forms and small tools are made of, checked at once: nothing is loaded, nothing is
 * awaited. What it does not know it refuses when the schema is given, so that no rule is silently passed over.
 */
const KEYWORDS: ReadonlySet<string> = new Set([
  '$schema',
  'title',
  'description',
  'default',
  'examples',
  'type',
  'enum',
  'const',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'formatMinimum',
  'formatMaximum',
  'minimum',
  'maximum',
]);
const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const;
const MOST_ISSUES = 8;
const MOST_DEPTH = 8;

interface Node {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly items?: Node;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  /** As ajv knows them: the first and the last day. */
  readonly formatMinimum?: string;
  readonly formatMaximum?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A JSON Schema as a Standard Schema that answers at once. `further` adds what JSON Schema cannot say. */
export function plainSchema<T = unknown>(
  schema: JsonSchema,
  further: (value: T) => string | undefined = () => undefined,
): StandardSchema<unknown, T> {
  const copy = JSON.parse(JSON.stringify(schema)) as Node;
  requireKnown(copy, 'schema', 0);
  return {
    '~standard': {
      version: 1,
      vendor: 'flyball',
      validate: (value) => {
        const issues = issuesIn(copy, value, []);
        if (issues.length > 0) return { issues: issues.slice(0, MOST_ISSUES) };
        const problem = further(value as T);
        return problem === undefined ? { value: value as T } : { issues: [{ message: problem }] };
      },
      jsonSchema: { input: () => ({ ...schema }), output: () => ({ ...schema }) },
    },
  };
}

function requireKnown(node: Node, at: string, depth: number): void {
  if (typeof node !== 'object' || node === null) throw new ConfigError(`${at} is not a JSON Schema object.`);
  if (depth > MOST_DEPTH) throw new ConfigError(`${at} is nested more than ${MOST_DEPTH} deep.`);
  for (const keyword of Object.keys(node)) {
    if (!KEYWORDS.has(keyword))
      throw new ConfigError(
        `${at} uses "${keyword}", which is not supported. Supported keywords: ${[...KEYWORDS].join(', ')}.`,
      );
  }
  if (node.type !== undefined && !TYPES.some((type) => type === node.type))
    throw new ConfigError(`${at}.type is ${JSON.stringify(node.type)}. It must be one of ${TYPES.join(', ')}.`);
  if (node.format !== undefined && node.format !== 'date')
    throw new ConfigError(`${at}.format is "${node.format}". Only "date" is supported.`);
  if (node.pattern !== undefined) patternOf(node.pattern, at);
  for (const [name, child] of Object.entries(node.properties ?? {}))
    requireKnown(child, `${at}.properties.${name}`, depth + 1);
  if (node.items !== undefined) requireKnown(node.items, `${at}.items`, depth + 1);
}

function patternOf(pattern: string, at: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch (error) {
    throw new ConfigError(`${at}.pattern: ${(error as Error).message}`);
  }
}

type Path = readonly (string | number)[];

function issuesIn(node: Node, value: unknown, path: Path): readonly StandardIssue[] {
  const say = (message: string): readonly StandardIssue[] => [{ message, path }];
  if (node.const !== undefined && !isSame(node.const, value)) return say(`must be ${JSON.stringify(node.const)}`);
  if (node.enum !== undefined && !node.enum.some((one) => isSame(one, value)))
    return say(`must be one of ${node.enum.map((one) => JSON.stringify(one)).join(', ')}`);
  if (node.type !== undefined && !isJsonType(String(node.type), value))
    return say(`must be ${article(String(node.type))}`);
  if (typeof value === 'string') return textIssues(node, value).map((message) => ({ message, path }));
  if (typeof value === 'number') return numberIssues(node, value).map((message) => ({ message, path }));
  if (Array.isArray(value)) return listIssues(node, value, path);
  if (typeof value === 'object' && value !== null) return objectIssues(node, value, path);
  return [];
}

function textIssues(node: Node, text: string): readonly string[] {
  const { minLength = 0, maxLength = Infinity, pattern, format } = node;
  if (text.length < minLength)
    return [minLength === 1 ? 'must not be empty' : `must have at least ${minLength} characters`];
  if (text.length > maxLength) return [`has ${text.length} characters; at most ${maxLength} are allowed`];
  if (format === 'date' && !isCalendarDate(text)) return ['must be a calendar date such as 2026-01-31'];
  const outside = outsideOf(node, text);
  if (outside !== undefined) return [outside];
  return pattern !== undefined && !new RegExp(pattern, 'u').test(text) ? [`must match ${pattern}`] : [];
}

/** Days of this form sort as text. */
function outsideOf({ formatMinimum, formatMaximum }: Node, day: string): string | undefined {
  if (formatMinimum !== undefined && day < formatMinimum) return `must be ${formatMinimum} or later`;
  return formatMaximum !== undefined && day > formatMaximum ? `must be ${formatMaximum} or earlier` : undefined;
}

function numberIssues({ minimum = -Infinity, maximum = Infinity }: Node, value: number): readonly string[] {
  if (value < minimum) return [`must be at least ${minimum}`];
  return value > maximum ? [`must be at most ${maximum}`] : [];
}

function listIssues(node: Node, list: readonly unknown[], path: Path): readonly StandardIssue[] {
  const { items, minItems = 0, maxItems = Infinity, uniqueItems = false } = node;
  if (list.length < minItems) return [{ message: `must contain at least ${minItems}`, path }];
  if (list.length > maxItems) return [{ message: `contains ${list.length}; at most ${maxItems} are allowed`, path }];
  if (uniqueItems && new Set(list.map((one) => JSON.stringify(one))).size < list.length)
    return [{ message: 'must not contain duplicates', path }];
  return items === undefined ? [] : list.flatMap((one, index) => issuesIn(items, one, [...path, index]));
}

function objectIssues(node: Node, value: object, path: Path): readonly StandardIssue[] {
  const { properties = {}, required = [], additionalProperties } = node;
  const given = new Map<string, unknown>(Object.entries(value).filter(([, part]) => part !== undefined));
  const missing = required.filter((name) => !given.has(name));
  const strange =
    additionalProperties === false ? [...given.keys()].filter((name) => !Object.hasOwn(properties, name)) : [];
  return [
    ...missing.map((name) => ({ message: 'is missing', path: [...path, name] })),
    ...strange.map((name) => ({ message: 'is not a known field', path: [...path, name] })),
    ...[...given].flatMap(([name, part]) => {
      const child = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return child === undefined ? [] : issuesIn(child, part, [...path, name]);
    }),
  ];
}

function article(type: string): string {
  switch (type) {
    case 'string':
      return 'text';
    case 'integer':
      return 'a whole number';
    case 'boolean':
      return 'true or false';
    case 'array':
      return 'a list';
    case 'object':
      return 'an object';
    case 'null':
      return 'null';
    default:
      return `a ${type}`;
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b));
}
