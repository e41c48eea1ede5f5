import { canonicalJson, sha256 } from '../../core/canonical.js';
import { type Conversion, convertTool, type Execute, hashOf, type McpTool } from './convert-tool.js';
import type { McpEvent } from './event.js';
import type { Standing } from './hints.js';
import type { ListedTool } from './sdk.js';
import type { Blanking } from './secrets.js';
import type { McpServerSpec } from './server-spec.js';
import { mcpToolName, safeNames } from './tool-name.js';

/** The tools of one server as it last listed them. */
export interface ServerCatalogue {
  readonly hash: string;
  readonly tools: ReadonlyMap<string, McpTool>;
  /** How many it lists, wanted or not. */
  readonly seen: number;
}

export interface CatalogueParts {
  readonly spec: McpServerSpec;
  readonly blank: Blanking;
  readonly execute: Execute;
  readonly nameOf?: (server: string, tool: string) => string;
  readonly tell: (event: McpEvent) => void;
  /** Hashes by name, as the server first listed its tools: what the operator's settings are about. */
  readonly approved: ReadonlyMap<string, string>;
}

export const NOTHING: ServerCatalogue = { hash: '', tools: new Map(), seen: 0 };

/** More than any model could choose from; a longer list is cut, so that it costs nobody else their turn. */
const MOST_SEEN = 1_000;

/** Reads a list anew. Tools that are as before stay the same objects, and with them what is known of their failures. */
export async function catalogueOf(
  listed: readonly ListedTool[],
  before: ServerCatalogue,
  parts: CatalogueParts,
): Promise<ServerCatalogue> {
  const { spec, blank, tell } = parts;
  const wanted = listed.slice(0, MOST_SEEN).filter(({ name }) => isWanted(spec, name));
  tellMissing(listed, parts);
  const originals = wanted.map(({ name }) => name);
  const wish = parts.nameOf ?? mcpToolName;
  const names = safeNames(
    originals.map((name) => wish(spec.name, blank.text(name))),
    originals,
  );
  const tools = new Map<string, McpTool>();
  for (const [index, tool] of wanted.entries()) {
    const name = names[index] ?? tool.name;
    const known = before.tools.get(tool.name);
    const hash = hashOf(tool);
    const made =
      unpinned(spec, tool.name, hash) ??
      (known?.hash === hash && known.tool.name === name
        ? { tool: known }
        : await converted(tool, { spec, blank, name, execute: parts.execute, standing: standingOf(tool, parts) }));
    if ('tool' in made) tools.set(tool.name, made.tool);
    if ('why' in made) tell({ type: 'left-out', server: spec.name, tool: name, why: made.why });
    if ('tool' in made && made.tool !== known && made.tool.warning !== undefined)
      tell({ type: 'warned', server: spec.name, why: `${name}: ${made.tool.warning}` });
  }
  return { hash: hashOfAll(listed), tools, seen: listed.length };
}

/** Where the operator pins tools, one that is not pinned as it is now is not offered. */
function unpinned({ pins }: McpServerSpec, name: string, hash: string): { readonly why: string } | undefined {
  if (pins === undefined || pins[name] === hash) return undefined;
  const was = pins[name] === undefined ? 'it is not pinned' : `it has changed since it was pinned as ${pins[name]}`;
  return { why: `${was}. Look at what it says about itself, then pin it as ${hash}.` };
}

function standingOf(tool: ListedTool, { spec, approved }: CatalogueParts): Standing {
  return (spec.pins?.[tool.name] ?? approved.get(tool.name)) === hashOf(tool) ? 'as-approved' : 'changed';
}

async function converted(tool: ListedTool, how: Conversion): ReturnType<typeof convertTool> {
  try {
    return await convertTool(tool, how);
  } catch {
    return { why: 'what it says about itself could not be looked through' }; // a schema without end, say
  }
}

function isWanted({ include, exclude }: McpServerSpec, name: string): boolean {
  return (include === undefined || include.includes(name)) && exclude?.includes(name) !== true;
}

/** A name that the server does not list is most likely misspelt, and then something is used or left out unnoticed. */
function tellMissing(listed: readonly ListedTool[], { spec, tell }: CatalogueParts): void {
  const known = new Set(listed.map(({ name }) => name));
  const named = [
    ...(spec.include ?? []),
    ...(spec.exclude ?? []),
    ...Object.keys(spec.effects ?? {}),
    ...Object.keys(spec.pins ?? {}),
  ];
  const missing = [...new Set(named.filter((name) => name !== '*' && !known.has(name)))];
  if (missing.length > 0) tell({ type: 'warned', server: spec.name, why: `it has no tool ${missing.join(', ')}.` });
}

function hashOfAll(listed: readonly ListedTool[]): string {
  return sha256(canonicalJson(listed.map(hashOf).sort())).slice(0, 16);
}

/** What became of a server's tools between two lists, by the names that models use. */
export function differences(
  from: ServerCatalogue,
  to: ServerCatalogue,
): Pick<Extract<McpEvent, { readonly type: 'changed' }>, 'added' | 'removed' | 'altered'> {
  const names = (tools: readonly McpTool[]): readonly string[] => tools.map(({ tool }) => tool.name);
  const [old, fresh] = [[...from.tools.values()], [...to.tools.values()]];
  return {
    added: names(fresh.filter(({ name }) => !from.tools.has(name))),
    removed: names(old.filter(({ name }) => !to.tools.has(name))),
    altered: names(fresh.filter(({ name, hash }) => from.tools.has(name) && from.tools.get(name)?.hash !== hash)),
  };
}
