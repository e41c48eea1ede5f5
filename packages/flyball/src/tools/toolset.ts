import { ConfigError } from '../core/errors.js';
import type { ToolRef } from '../core/tool.js';
import type { DefinedTool } from './tool-definition.js';
import { schemasHash } from './tool-spec.js';

/** Which tools a view keeps: those for which everything said here holds. */
export interface ToolSelection {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** At least one of them. */
  readonly tags?: readonly string[];
  /** At least one of them begins the name. */
  readonly prefix?: string | readonly string[];
}

/** The tools of one session, a fixed selection. A model cannot call other tools. */
export interface Toolset {
  readonly tools: readonly ToolRef[];
  readonly names: readonly string[];
  /** Of what a model is shown about the tools. */
  readonly hash: string;
  has(name: string): boolean;
  get(name: string): ToolRef | undefined;
  /** It exists where this view was cut from, but not in the view: a call to it is a miss of whoever cut the view. */
  hides(name: string): boolean;
  /** A smaller view. Names that this one does not hold are passed over: narrowing never widens. */
  narrow(selection: ToolSelection): Toolset;
}

/** A tool with the words it is picked by. */
export interface TaggedTool {
  readonly tool: ToolRef;
  readonly tags: readonly string[];
}

/** A fixed selection of tools. */
export function toolset(tools: readonly ToolRef[]): Toolset {
  return viewOf(tools.map(tagged));
}

export function tagged(tool: ToolRef): TaggedTool {
  return { tool, tags: (tool as Partial<DefinedTool>).tags ?? [] };
}

/** `of` names everything the view was cut from. */
export function viewOf(entries: readonly TaggedTool[], of: ReadonlySet<string> = new Set()): Toolset {
  const byName = new Map(entries.map((entry) => [entry.tool.name, entry]));
  if (byName.size < entries.length) {
    throw new ConfigError(
      `Two tools are called "${duplicateIn(entries)}". A model could not tell them apart: rename one.`,
    );
  }
  const whole = new Set([...of, ...byName.keys()]);
  const tools = Object.freeze(entries.map(({ tool }) => tool));
  let hash: string | undefined;
  return Object.freeze({
    tools,
    names: Object.freeze([...byName.keys()]),
    get hash() {
      hash ??= schemasHash(tools);
      return hash;
    },
    has: (name: string) => byName.has(name),
    get: (name: string) => byName.get(name)?.tool,
    hides: (name: string) => whole.has(name) && !byName.has(name),
    narrow: (selection: ToolSelection) => viewOf(selected(entries, selection), whole),
  });
}

export function selected<E extends TaggedTool>(entries: readonly E[], selection: ToolSelection): readonly E[] {
  const { include, exclude, tags } = selection;
  const prefixes = selection.prefix === undefined ? undefined : [selection.prefix].flat();
  return entries.filter(
    ({ tool: { name }, tags: own }) =>
      (include === undefined || include.includes(name)) &&
      exclude?.includes(name) !== true &&
      (tags === undefined || tags.some((tag) => own.includes(tag))) &&
      (prefixes === undefined || prefixes.some((prefix) => name.startsWith(prefix))),
  );
}

function duplicateIn(entries: readonly TaggedTool[]): string {
  const names = entries.map(({ tool }) => tool.name);
  return names.find((name, index) => names.indexOf(name) !== index) ?? '';
}
