import { ConfigError } from 'flyball';
import { bind } from '../../tau2/python/signature.js';
import type { PyDict } from '../../tau2/python/value.js';
import type { ToolSpec } from '../discovery/tool-specs.js';
import { type Desk, Refused } from './desk.js';
import { Arguments, type DeskTool } from './desk-tool.js';

/** A tool with what the data say about it. */
export interface Registered {
  readonly tool: DeskTool;
  readonly spec: ToolSpec;
}

export type Registry = ReadonlyMap<string, Registered>;

/** Joins code and data, in the order of the data. They must know the same tools. */
export function registryOf(tools: readonly DeskTool[], specs: readonly ToolSpec[]): Registry {
  const known = new Map(tools.map((tool) => [tool.name, tool]));
  const names = new Set(specs.map(({ name }) => name));
  const stray = [...known.keys()].find((name) => !names.has(name)) ?? [...names].find((name) => !known.has(name));
  if (stray !== undefined)
    throw new ConfigError(`The tool ${stray} of energy_desk is not both in tools.json and in the code. Install again.`);
  return new Map(specs.flatMap((spec) => withTool(spec, known.get(spec.name))));
}

function withTool(spec: ToolSpec, tool: DeskTool | undefined): [string, Registered][] {
  return tool === undefined ? [] : [[spec.name, { tool, spec }]];
}

/** What came of a call, and whether it was done. */
export interface Answer {
  readonly text: string;
  readonly done: boolean;
}

/** Throws `PyError` where the arguments do not bind; a refusal is an answer. */
export function runTool({ tool, spec }: Registered, desk: Desk, args: PyDict): Answer {
  const bound = new Arguments(bind(spec.name, spec.parameters, args));
  const result = desk.attempt(() => tool.run(desk, bound));
  if (result instanceof Refused) return { text: `Error: ${result.message}`, done: false };
  return { text: result, done: true };
}
