import { ConfigError } from 'flyball';
import type { PyDict, PyValue } from '../python/value.js';
import type { Expression } from './expression.js';

/** Looks up a name that was given to a type. */
export type Aliases = (name: string) => Expression | undefined;

const SIMPLE: Readonly<Record<string, string>> = {
  str: 'string',
  int: 'integer',
  float: 'number',
  bool: 'boolean',
};

/** The JSON schema of an annotation, in the form that the benchmark's tools have. */
export function typeSchema(type: Expression, aliases: Aliases): PyDict {
  switch (type.kind) {
    case 'constant':
      if (type.value === null) return new Map([['type', 'null']]);
      break;
    case 'name': {
      const name = type.path.at(-1) ?? '';
      return named(name) ?? aliased(name, aliases);
    }
    case 'subscript':
      return subscripted(type.of, type.items, aliases);
    case 'either':
      return new Map([['anyOf', type.of.map((one) => typeSchema(one, aliases))]]);
    case 'call':
    case 'list':
      break;
  }
  throw unknown(JSON.stringify(type, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)));
}

function named(name: string): PyDict | undefined {
  const simple = SIMPLE[name];
  if (simple !== undefined) return new Map([['type', simple]]);
  if (name === 'Any') return new Map();
  if (name === 'list' || name === 'List') return listOf(new Map());
  if (name === 'dict' || name === 'Dict') return dictOf(true);
  return undefined;
}

function aliased(name: string, aliases: Aliases): PyDict {
  const meant = aliases(name);
  if (meant === undefined || (meant.kind === 'name' && meant.path.at(-1) === name)) throw unknown(name);
  return typeSchema(meant, aliases);
}

function subscripted(of: Expression, items: readonly Expression[], aliases: Aliases): PyDict {
  const name = of.kind === 'name' ? (of.path.at(-1) ?? '') : '';
  const inner = items.map((item) => (name === 'Literal' ? new Map() : typeSchema(item, aliases)));
  const [first = new Map(), second] = inner;
  switch (name) {
    case 'Literal':
      return literal(items);
    case 'Optional':
      return new Map([['anyOf', [first, new Map([['type', 'null']])]]]);
    case 'Union':
      return new Map([['anyOf', inner]]);
    case 'list':
    case 'List':
      return listOf(first);
    case 'dict':
    case 'Dict':
      return dictOf(second === undefined || second.size === 0 ? true : second);
    default:
      throw unknown(name);
  }
}

function literal(items: readonly Expression[]): PyDict {
  const values = items.map((item) => (item.kind === 'constant' ? item.value : undefined));
  const texts = values.filter((value) => typeof value === 'string');
  if (texts.length === 0 || texts.length !== values.length) throw unknown('Literal of something else than texts');
  const choice: [string, PyValue] = texts.length === 1 ? ['const', texts[0] ?? ''] : ['enum', texts];
  return new Map<string, PyValue>([choice, ['type', 'string']]);
}

function listOf(items: PyDict): PyDict {
  return new Map<string, PyValue>([
    ['items', items],
    ['type', 'array'],
  ]);
}

function dictOf(values: PyValue): PyDict {
  return new Map<string, PyValue>([
    ['additionalProperties', values],
    ['type', 'object'],
  ]);
}

function unknown(type: string): ConfigError {
  return new ConfigError(`The type ${type} of a tool's parameter is unknown here: the source is of another revision.`);
}
