import { ConfigError } from '../core/errors.js';
import type { ToolRef } from '../core/tool.js';
import { toolFrom } from './define-tool.js';
import { describedTool, type ToolMetadata } from './described-tool.js';
import { nearestNames } from './nearest-names.js';
import type { DefinedTool } from './tool-definition.js';
import { selected, type TaggedTool, type ToolSelection, type Toolset, tagged, viewOf } from './toolset.js';

/** Where a tool came from, so that a message can name the place. */
export type ToolOrigin =
  | { readonly kind: 'code' }
  | { readonly kind: 'folder' | 'yaml'; readonly file: string }
  | { readonly kind: 'package'; readonly file: string; readonly package: string };

/** A tool without a schema, which `tool` does not make, is taken at its word: it takes anything. */
const ANY_OBJECT = { type: 'object' };
const CODE: ToolOrigin = { kind: 'code' };

/** A tool in a registry, with its origin and tags. */
export interface ToolEntry extends TaggedTool {
  readonly tool: DefinedTool;
  readonly origin: ToolOrigin;
}

/** All registered tools. A session gets a toolset, a selection of them. */
export interface ToolRegistry {
  /** Refuses a name that is taken. */
  register(tool: ToolRef, how?: { readonly origin?: ToolOrigin; readonly tags?: readonly string[] }): void;
  /** What discovery found. */
  registerAll(entries: readonly ToolEntry[]): void;
  /** Says something else about a tool that is registered: what metadata says comes before what the tool says. */
  describe(metadata: ToolMetadata): void;
  get(name: string): ToolRef | undefined;
  has(name: string): boolean;
  names(): readonly string[];
  entries(): readonly ToolEntry[];
  /** A view for one session. A name that is not registered is a mistake here, not an empty view. */
  toolset(selection?: ToolSelection): Toolset;
}

/** A registry of tools, from which sessions get toolsets. */
export function toolRegistry(
  tools: readonly (ToolRef | ToolEntry)[] = [],
  { metadata = [] }: { readonly metadata?: readonly ToolMetadata[] } = {},
): ToolRegistry {
  const entries = new Map<string, ToolEntry>();

  const add = (entry: ToolEntry): void => {
    const { name } = entry.tool;
    const taken = entries.get(name);
    if (taken !== undefined) throw new ConfigError(takenText(taken, entry));
    entries.set(name, entry);
  };
  const registry: ToolRegistry = {
    register: (tool, { origin = CODE, tags = [] } = {}) =>
      add({ tool: toolFrom(tool, ANY_OBJECT), origin, tags: [...new Set([...tagged(tool).tags, ...tags])] }),
    registerAll: (found) => found.forEach(add),
    describe: (said) => {
      const entry = entries.get(said.name) ?? unregistered(said.name, entries.keys(), said.source);
      entries.set(said.name, describedEntry(entry, said));
    },
    get: (name) => entries.get(name)?.tool,
    has: (name) => entries.has(name),
    names: () => [...entries.keys()],
    entries: () => [...entries.values()],
    toolset: (selection = {}) => {
      const stray = [...(selection.include ?? []), ...(selection.exclude ?? [])].find((name) => !entries.has(name));
      if (stray !== undefined) unregistered(stray, entries.keys());
      return viewOf(selected([...entries.values()], selection), new Set(entries.keys()));
    },
  };
  for (const given of tools) 'tool' in given ? add(given) : registry.register(given);
  metadata.forEach(registry.describe);
  return registry;
}

function describedEntry(entry: ToolEntry, said: ToolMetadata): ToolEntry {
  const tool = describedTool(entry.tool, said);
  return { ...entry, tool, tags: [...new Set([...entry.tags, ...(said.tags ?? [])])] };
}

function unregistered(name: string, known: Iterable<string>, source?: string): never {
  const names = [...known];
  const near = nearestNames(name, names);
  const hint =
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `Registered tools: ${names.join(', ') || 'none'}.`;
  throw new ConfigError(`${source === undefined ? '' : `${source}: `}there is no tool "${name}". ${hint}`);
}

function takenText(taken: ToolEntry, entry: ToolEntry): string {
  return (
    `Two tools are called "${entry.tool.name}": ${placeOf(taken.origin)} and ${placeOf(entry.origin)}. ` +
    'A model could not tell them apart: rename one, or leave one out.'
  );
}

export function placeOf(origin: ToolOrigin): string {
  switch (origin.kind) {
    case 'code':
      return 'one registered in code';
    case 'folder':
    case 'yaml':
      return `one in ${origin.file}`;
    case 'package':
      return `one in the package ${origin.package} (${origin.file})`;
  }
}
