import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { moduleGraph } from '../adapters/definitions/module-graph.js';
import { readYaml } from '../adapters/definitions/yaml-source.js';
import type { AgentSpec } from '../agents/agent-spec.js';

export const TOOL_FOLDER = 'tools';
export const TOOL_FILE = 'tools.yaml';
export const PACKAGE_FILE = 'package.json';

export const CODE_FILES = ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts', 'json', 'node', 'wasm'].map(
  (ending) => `**/*.${ending}`,
);

/** What `flyball serve` takes up in a folder when it is told nothing else. One that is not there yet would be run next. */
export const USUAL_AGENT_FILES = ['agent.yaml', 'agents.ts', 'agents.mjs', 'agents.js'];
const USUAL_SETTINGS = ['flyball.yaml', 'flyball.yml', 'flyball.json', 'triggers.yaml', 'triggers.yml'];

/** Settings of programs that fetch and start others (`npx` in mcp.json, or the person who installs): they say from where. */
const LAUNCHER_SETTINGS = [
  ...['.npmrc', '.yarnrc', '.yarnrc.yml', '.pnpmfile.cjs', 'pnpm-workspace.yaml', 'bunfig.toml'],
  ...['deno.json', 'deno.jsonc', 'uv.toml', '.python-version'],
];

export interface OwnCode {
  /** Paths that the agent must not write. */
  readonly protect: readonly string[];
  /** Globs that it must not write either. */
  readonly denyWrite: readonly string[];
}

/**
 * The files that run, or decide what runs, when an agent in this folder is loaded again: tools, modules that they load,
 * modules that those load, programs that mcp.json starts with what lies beside them, other agents and the settings of a
 * server. Where a module loads what its text does not name, no code at all may be written, because nobody can tell which
 * file it will be.
 */
export async function ownCode(folder: string, { mcp }: Pick<AgentSpec, 'mcp'>): Promise<OwnCode> {
  const root = resolve(folder);
  const tools = join(root, TOOL_FOLDER);
  const started = mcp === undefined ? NOTHING_STARTED : startedBy(root, resolve(root, mcp));
  const entries = [
    ...(existsSync(tools) ? readdirSync(tools).map((name) => join(tools, name)) : []),
    ...(await referredModules(root)),
    ...started.files,
  ];
  const { files, open, started: scripts } = await moduleGraph(entries, root);
  const named = [TOOL_FOLDER, TOOL_FILE, 'node_modules', PACKAGE_FILE, ...(mcp === undefined ? [] : [mcp])];
  return {
    protect: [
      ...named,
      ...USUAL_AGENT_FILES,
      ...USUAL_SETTINGS,
      ...LAUNCHER_SETTINGS,
      ...definitionsIn(root),
      ...files,
      ...started.folders,
    ],
    denyWrite: [...(open.length > 0 ? CODE_FILES : []), ...started.languages, ...scripts],
  };
}

/**
 * Other agents and triggers in the folder: a server may run them with rights that this agent does not have. What cannot be
 * read, or is too long to be looked through, may be one.
 */
function definitionsIn(root: string): readonly string[] {
  return readdirSync(root, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory() || !/\.ya?ml$/i.test(entry.name)) return [];
    const text = definitionText(join(root, entry.name));
    if (text === undefined) return [entry.name];
    const isAgent = hasKey(text, 'name') && AGENT_KEYS.some((key) => hasKey(text, key));
    return isAgent || hasKey(text, 'triggers') ? [entry.name] : [];
  });
}

const AGENT_KEYS = ['description', 'autonomy', 'access', 'tools', 'agents', 'commit'];

/** At any depth, and in the style of JSON too: it errs towards more. */
function hasKey(text: string, key: string): boolean {
  return new RegExp(`(?:^|[\\s{,])["']?${key}["']?\\s*:`, 'm').test(text);
}

const LONGEST_DEFINITION = 1_000_000;

function definitionText(path: string): string | undefined {
  try {
    const found = statSync(path);
    if (found.isDirectory()) return ''; // behind a link: no definition
    if (!found.isFile() || found.size > LONGEST_DEFINITION) return undefined; // a pipe is not waited for
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
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

interface Started {
  readonly files: readonly string[];
  /** With all that a script loads from beside it, in languages whose imports are not read here. */
  readonly folders: readonly string[];
  /** Globs of such a language, where its modules may lie anywhere. */
  readonly languages: readonly string[];
}

const NOTHING_STARTED: Started = { files: [], folders: [], languages: [] };
const PYTHON = ['py', 'pyc', 'pyi', 'pth', 'so'].map((ending) => `**/*.${ending}`);

/** What command lines in mcp.json name in the folder. What is wrong in there is told by whoever reads it. */
function startedBy(root: string, file: string): Started {
  const lines = commandLinesIn(file);
  const files = lines.flat().flatMap((word) => {
    const path = resolve(root, word.replace(/^--?[\w-]+=/, ''));
    return existsSync(path) && path !== root ? [path] : [];
  });
  const scripts = files.filter((path) => !/\.[cm]?[jt]sx?$/.test(path) && extname(path) !== '');
  const isPython = lines.some(([program = '']) => /^(?:python|pypy|uvx?$|pipx?$)/.test(basename(program)));
  const atRoot = scripts.filter((path) => dirname(path) === root).map((path) => `**/*${extname(path)}`);
  return {
    files,
    folders: scripts.map((path) => dirname(path)).filter((folder) => folder !== root),
    languages: [...new Set([...atRoot, ...(isPython ? PYTHON : [])])],
  };
}

/** Program and words of each server. */
function commandLinesIn(file: string): readonly (readonly string[])[] {
  try {
    const { mcpServers } = Object(JSON.parse(readFileSync(file, 'utf8'))) as { readonly mcpServers?: unknown };
    return Object.values(Object(mcpServers) as Readonly<Record<string, unknown>>).map((server) => {
      const { command, args } = Object(server) as { readonly command?: unknown; readonly args?: unknown };
      return [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string');
    });
  } catch {
    return [];
  }
}
