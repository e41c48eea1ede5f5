import { typeName } from '../../python/equality.js';
import { parseJson } from '../../python/json.js';
import { type PyDict, PyError, type PyValue } from '../../python/value.js';
import { refusal } from '../replies.js';
import type { RegisteredTool } from './registry.js';

export type ParsedArguments = { readonly value: PyValue } | { readonly refused: string };

/**
 * The arguments of a discoverable tool, which come as JSON in a text. Only bad JSON is refused: a value that is no text
 * raises. Whole numbers are read as floats where a call is made, so that 33 and 33.0 are one and the same argument.
 */
export function parsedArguments(json: PyValue, integers: 'int' | 'float'): ParsedArguments {
  try {
    return { value: parseJson(json, { integers }) };
  } catch (error) {
    if (!(error instanceof PyError) || error.kind !== 'JSONDecodeError') throw error;
    return { refused: refusal(`the arguments are not valid JSON. ${error.message}`) };
  }
}

/** `**value` of a call. */
export function keywordArguments(value: PyValue, { spec, owner }: RegisteredTool): PyDict {
  if (value instanceof Map) return value;
  const method = `tau2.domains.banking_knowledge.tools.${owner}.${spec.name}`;
  throw new PyError('TypeError', `${method}() argument after ** must be a mapping, not ${typeName(value)}`);
}

/** What `for item in value` goes through: the keys of a dict, the items of a list, the characters of a text. */
export function itemsOf(value: PyValue): readonly PyValue[] {
  if (value instanceof Map) return [...value.keys()];
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return [...value];
  throw new PyError('TypeError', `'${typeName(value)}' object is not iterable`);
}

/** `name in value`: a key of a dict, an item of a list, a part of a text. */
export function isNamedIn(value: PyValue, name: string): boolean {
  if (value instanceof Map) return value.has(name);
  if (Array.isArray(value) || typeof value === 'string') return value.includes(name);
  throw new PyError('TypeError', `argument of type '${typeName(value)}' is not iterable`);
}
