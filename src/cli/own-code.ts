import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { moduleGraph } from '../adapters/definitions/module-graph.js';
import { readYaml } from '../adapters/definitions/yaml-source.js';
import type { AgentSpec } from '../agents/agent-spec.js';

export const TOOL_FOLDER = 'tools';
export const TOOL_FILE = 'tools.yaml';
export const PACKAGE_FILE = 'package.json';

const CODE_FILES = ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts', 'json', 'node', 'wasm'].map((ending) => `**/*.${ending}`);

export interface OwnCode {
  /** Paths that the agent must not write. */
  readonly protect: readonly string[];
  /** Globs that it must not write either. */
  readonly denyWrite: readonly string[];
}

/**
 * The files that run, or decide what runs, when an agent in this folder is loaded again: tools, modules that they load,
 * modules that those load, and programs that mcp.json starts. Where a module loads what its text does not name, no code
 * at all may be written, because nobody can tell which file it will be.
 */
export async function ownCode(folder: string, { mcp }: Pick<AgentSpec, 'mcp'>): Promise<OwnCode> {
  const root = resolve(folder);
  const tools = join(root, TOOL_FOLDER);
  const entries = [
    ...(existsSync(tools) ? readdirSync(tools).map((name) => join(tools, name)) : []),
    ...(await referredModules(root)),
    ...(mcp === undefined ? [] : startedFiles(root, resolve(root, mcp))),
  ];
  const { files, open } = await moduleGraph(entries, root);
  const named = [TOOL_FOLDER, TOOL_FILE, 'node_modules', PACKAGE_FILE, ...(mcp === undefined ? [] : [mcp])];
  return { protect: [...named, ...files], denyWrite: open.length > 0 ? CODE_FILES : [] };
}

/** Modules that `run` in tools.yaml refers to. What is wrong in there is told later. */
async function referredModules(root: string): Promise<readonly string[]> {
  const file = join(root, TOOL_FILE);
  if (!existsSync(file)) return [];
  const { tools } = Object((await readYaml(file)).value) as { readonly tools?: unknown };
  const references = (Array.isArray(tools) ? tools : []).flatMap((entry: unknown) => {
    const { run } = Object(entry) as { readonly run?: unknown };
    return typeof run === 'string' ? [run] : Object.values(Object(run) as object);
  });
  return references.flatMap((each: unknown) =>
    typeof each === 'string' ? [resolve(root, each.split('#')[0] ?? '')] : [],
  );
}

/** Files in the folder that a command line in mcp.json names. What is wrong in there is told by whoever reads it. */
function startedFiles(root: string, file: string): readonly string[] {
  let words: unknown[] = [];
  try {
    const { mcpServers } = Object(JSON.parse(readFileSync(file, 'utf8'))) as { readonly mcpServers?: unknown };
    words = Object.values(Object(mcpServers) as Readonly<Record<string, unknown>>).flatMap((server) => {
      const { command, args } = Object(server) as { readonly command?: unknown; readonly args?: unknown };
      return [command, ...(Array.isArray(args) ? args : [])];
    });
  } catch {
    return [];
  }
  return words.flatMap((word) => {
    if (typeof word !== 'string') return [];
    const path = resolve(root, word.replace(/^--?[\w-]+=/, ''));
    return existsSync(path) && path !== root ? [path] : [];
  });
}
