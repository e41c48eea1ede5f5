import { ConfigError } from 'flyball';
import { compareText } from '../python/equality.js';
import { titleCase } from '../python/title-case.js';
import type { PyDict, PyValue } from '../python/value.js';
import { discoverableInfo, formattedInfo } from './discoverable.js';
import { readDocstring } from './docstring.js';
import type { Argument, Expression } from './expression.js';
import type { PythonFunction, PythonParameter } from './module.js';
import { type Aliases, typeSchema } from './type-schema.js';

/** A method that is offered to a model: at once, or after it was found and unlocked. */
export interface PythonTool {
  readonly function: PythonFunction;
  readonly type: string;
  readonly mutates: boolean;
  readonly isDiscoverable: boolean;
}

const MARKS: ReadonlyMap<string, boolean> = new Map([
  ['is_tool', false],
  ['is_discoverable_tool', true],
]);

/** Undefined where a method is no tool. */
export function toolOf(made: PythonFunction): PythonTool | undefined {
  for (const decorator of made.decorators) {
    if (decorator.kind !== 'call' || decorator.of.kind !== 'name') continue;
    const isDiscoverable = MARKS.get(decorator.of.path.at(-1) ?? '');
    if (isDiscoverable === undefined) continue;
    const type = typeOf(given(decorator.arguments, 'tool_type', 0));
    const mutates = given(decorator.arguments, 'mutates_state', 1);
    const isSaid = mutates?.kind === 'constant' && typeof mutates.value === 'boolean';
    return { function: made, type, mutates: isSaid ? mutates.value === true : type === 'write', isDiscoverable };
  }
  return undefined;
}

function given(all: readonly Argument[], name: string, at: number): Expression | undefined {
  return (all.find((one) => one.name === name) ?? (all[at]?.name === undefined ? all[at] : undefined))?.value;
}

/** `ToolType.WRITE`; a tool that does not say reads. */
function typeOf(type: Expression | undefined): string {
  return type?.kind === 'name' ? (type.path.at(-1) ?? 'READ').toLowerCase() : 'read';
}

/** The tools that a model is offered, in the form of `tools.json`. */
export function toolListing(tools: readonly PythonTool[], aliases: Aliases): PyDict {
  const offered = tools.filter(({ isDiscoverable }) => !isDiscoverable);
  const by = (value: (tool: PythonTool) => PyValue): PyDict =>
    new Map(offered.map((tool) => [tool.function.name, value(tool)]));
  return new Map<string, PyValue>([
    ['tool_order', offered.map((tool) => tool.function.name)],
    ['schemas', offered.map((tool) => toolSchema(tool.function, aliases))],
    ['tool_types', by(({ type }) => type)],
    ['mutates_state', by(({ mutates }) => mutates)],
  ]);
}

export function toolSchema(made: PythonFunction, aliases: Aliases): PyDict {
  const doc = readDocstring(made.docstring ?? '');
  const properties: PyDict = new Map();
  for (const parameter of made.parameters)
    properties.set(parameter.name, property(parameter, doc.parameters.get(parameter.name), aliases));
  const required = made.parameters.filter(({ standard }) => standard === undefined).map(({ name }) => name);
  const parameters = new Map<string, PyValue>([['properties', properties]]);
  if (required.length > 0) parameters.set('required', required);
  parameters.set('title', 'parameters').set('type', 'object');
  const described = new Map<string, PyValue>([
    ['name', made.name],
    ['description', doc.description === '' ? made.name : doc.description],
    ['parameters', parameters],
  ]);
  return new Map<string, PyValue>([
    ['type', 'function'],
    ['function', described],
  ]);
}

function property(parameter: PythonParameter, description: string | undefined, aliases: Aliases): PyDict {
  const { name, annotation, standard } = parameter;
  const schema = annotation === undefined ? new Map<string, PyValue>() : typeSchema(annotation, aliases);
  if (standard !== undefined) schema.set('default', constant(standard, name));
  if (description !== undefined) schema.set('description', description);
  schema.set('title', titleCase(name.replaceAll('_', ' ')));
  return new Map([...schema].sort(([a], [b]) => compareText(a, b)));
}

function constant(standard: Expression, name: string): PyValue {
  if (standard.kind === 'constant') return standard.value;
  throw new ConfigError(`The default of ${name} is no constant: the source is of another revision.`);
}

/** The tools that have to be found, in the form of `tools.json`. */
export function discoverableListing(tools: readonly PythonTool[], how: { readonly isFormatted: boolean }): PyDict {
  const hidden = tools.filter(({ isDiscoverable }) => isDiscoverable);
  return new Map(hidden.map((tool) => [tool.function.name, discoverable(tool, how.isFormatted)]));
}

function discoverable(tool: PythonTool, isFormatted: boolean): PyDict {
  const info = discoverableInfo(tool.function);
  const record = new Map<string, PyValue>([
    ['tool_type', tool.type],
    ['mutates_state', tool.mutates],
    ['info', info],
    ['signature', tool.function.parameters.map(signature)],
  ]);
  return isFormatted ? record.set('formatted', formattedInfo(info)) : record;
}

function signature({ name, annotation, standard }: PythonParameter): PyDict {
  return new Map<string, PyValue>([
    ['name', name],
    ['annotation', annotationName(annotation)],
    ['default', standard === undefined ? '<required>' : constant(standard, name)],
  ]);
}

function annotationName(type: Expression | undefined): string {
  if (type?.kind === 'subscript') return annotationName(type.of);
  return type?.kind === 'name' ? (type.path.at(-1) ?? '') : '';
}

/** Names with the first lines of their docstrings, numbered, in the order of the alphabet. */
export function numberedTools(tools: readonly PythonTool[]): string {
  return tools
    .filter(({ isDiscoverable }) => !isDiscoverable)
    .map((tool) => tool.function)
    .sort((a, b) => compareText(a.name, b.name))
    .map(({ name, docstring }, nth) => `${nth + 1}. ${name}\n${readDocstring(docstring ?? '').summary}`)
    .join('\n\n');
}
