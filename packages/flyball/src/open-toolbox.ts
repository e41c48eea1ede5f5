import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { bubblewrapSandbox } from './adapters/sandbox-bubblewrap/bubblewrap-sandbox.js';
import { detectBubblewrap } from './adapters/sandbox-bubblewrap/detect.js';
import { processSandbox } from './adapters/sandbox-process/process-sandbox.js';
import { quickJsSandbox } from './adapters/sandbox-quickjs/quickjs-sandbox.js';
import type { Access } from './agents/agent-spec.js';
import type { ToolRef } from './core/tool.js';
import type { Sandbox, SandboxDescription } from './ports/sandbox.js';
import { browserTools } from './toolbox/browser.js';
import { filesTools } from './toolbox/files.js';
import { runJavascriptTool } from './toolbox/run-javascript.js';
import { shellTool, type Unsandboxed, unsandboxed } from './toolbox/shell.js';
import { webFetchTool } from './toolbox/web-fetch.js';
import type { CommandRules } from './tools/rules/commands.js';
import { readOnlyCommands } from './tools/rules/commands-read-only.js';
import { type DomainRules, domainRules } from './tools/rules/domains.js';
import { type PathRoot, type PathRules, pathRules } from './tools/rules/paths.js';

/** Options of `createToolbox`. */
export interface CreateToolbox {
  /** The folder for relative paths. Without `access`, tools can only read this folder. */
  readonly root: string;
  readonly access?: Access;
  /**
   * Files and folders that tools cannot change, even if `access` lets them write there, such as the agent's own
   * definition.
   */
  readonly protect?: readonly string[];
  /** Globs relative to a folder, of files that no tool may write anywhere. Commands in a sandbox are not held to them. */
  readonly denyWrite?: readonly string[];
  /**
   * What to do where bubblewrap is not to be had: `refuse` leaves the shell out, `say` runs commands that the rules
   * allow without a sandbox and says so in every result. `refuse` where absent.
   */
  readonly withoutSandbox?: 'refuse' | 'say';
}

/** The tools that `createToolbox` created, with their rules and sandbox. */
export interface Toolbox {
  readonly tools: readonly ToolRef[];
  /**
   * The rules that the tools follow. Pass them to governance to apply them to other tools that declare what they
   * touch.
   */
  readonly rules: { readonly paths: PathRules; readonly commands: CommandRules; readonly domains: DomainRules };
  /** The sandbox of the shell; undefined if there is none. */
  readonly sandbox: SandboxDescription | undefined;
  /** Tools that are not available, and what they need. */
  readonly missing: readonly { readonly tool: string; readonly why: string }[];
  /** Closes resources that the tools keep open between calls, such as a browser. */
  close(): Promise<void>;
}

const ONLINE = ['web_fetch', 'browser_open', 'browser_click', 'browser_type', 'browser_read'];
const WRITING = ['write_file', 'edit_file', 'move_file', 'delete_file'];

/** Creates the built-in tools for one folder. They can only use what `access` grants. */
export async function openToolbox(given: CreateToolbox): Promise<Toolbox> {
  const root = resolve(given.root);
  const rules = rulesFor(root, given);
  const { sandbox, why } = await shellSandbox(given.withoutSandbox ?? 'refuse');
  const isOnline = rules.domains.allow.length > 0 || rules.domains.allowPrivate.length > 0;
  const browser = isOnline ? browserTools({ rules: rules.domains }) : undefined;
  const tools = [
    ...filesTools({ allow: rules.paths }),
    ...(sandbox === undefined ? [] : [shell(sandbox, rules)]),
    ...(browser === undefined ? [] : [webFetchTool({ rules: rules.domains }), ...browser]),
    runJavascriptTool({ sandbox: quickJsSandbox() }),
  ];
  return {
    tools,
    rules,
    sandbox: sandbox === undefined ? undefined : ('unsandboxed' in sandbox ? sandbox.unsandboxed : sandbox).describe(),
    missing: [
      ...(sandbox === undefined ? [{ tool: 'shell', why }] : []),
      ...ungranted(WRITING, tools, 'it writes files: name the folders in access.write'),
      ...ungranted(ONLINE, tools, 'it goes online: name the hosts in access.domains'),
    ],
    close: async () => browser?.close(),
  };
}

function ungranted(names: readonly string[], tools: readonly ToolRef[], why: string): Toolbox['missing'] {
  return names.filter((name) => !tools.some((tool) => tool.name === name)).map((tool) => ({ tool, why }));
}

function rulesFor(root: string, { access = {}, protect = [], denyWrite = [] }: CreateToolbox): Toolbox['rules'] {
  const paths = pathRules({ roots: rootsFor(root, access, protect), denyWrite });
  return {
    paths,
    commands: readOnlyCommands({
      paths,
      programs: grantedPrograms(access.commands ?? []),
    }),
    domains: domainRules({
      allow: access.domains ?? [],
      allowPrivate: access.privateAddresses ?? [],
      ...portsFor(access),
    }),
  };
}

/** `wc` grants a program, `gh pr` one subcommand of it. A name that stands alone as well grants them all. */
function grantedPrograms(commands: readonly string[]): CommandRules['programs'] {
  const granted = new Map<string, string[] | undefined>();
  for (const command of commands) {
    const [name = '', subcommand] = command.trim().split(/\s+/);
    const known = granted.get(name);
    if (subcommand === undefined) granted.set(name, undefined);
    else if (!granted.has(name)) granted.set(name, [subcommand]);
    else known?.push(subcommand);
  }
  return Object.fromEntries(
    [...granted].map(([name, subcommands]) => [name, subcommands === undefined ? {} : { subcommands }]),
  );
}

/** The agent's own folder first, where it may be read: relative paths start from the first one. */
function rootsFor(root: string, access: Access, protect: readonly string[]): readonly PathRoot[] {
  const write = (access.write ?? []).map((path) => resolve(root, path));
  const read = (access.read ?? ['.']).map((path) => resolve(root, path)).filter((path) => !write.includes(path));
  const kept = protect.map((path) => resolve(root, path)).filter((path) => write.some((each) => holds(each, path)));
  const roots = [...write.map((path) => ({ path, write: true })), ...read.map((path) => ({ path, write: false }))];
  const own = roots.filter(({ path }) => path === root);
  return [...own, ...roots.filter(({ path }) => path !== root), ...kept.map((path) => ({ path, write: false }))];
}

/** Strictly inside: a folder that may be written as a whole was meant to be. */
function holds(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith('../');
}

/** A private address is named with its port: that port is meant. */
function portsFor({ privateAddresses = [] }: Access): { readonly ports?: readonly number[] } {
  const ports = privateAddresses.map((address) => Number(/:(\d+)$/.exec(address)?.[1])).filter(Number.isInteger);
  return ports.length === 0 ? {} : { ports: [80, 443, ...ports] };
}

async function shellSandbox(
  without: 'refuse' | 'say',
): Promise<{ readonly sandbox: Sandbox | Unsandboxed | undefined; readonly why: string }> {
  const found = await detectBubblewrap();
  if (found.available) return { sandbox: await bubblewrapSandbox({ path: found.path }), why: '' };
  if (without === 'refuse') return { sandbox: undefined, why: found.why };
  return { sandbox: unsandboxed(processSandbox(), found.why), why: found.why };
}

function shell(sandbox: Sandbox | Unsandboxed, { commands, paths }: Toolbox['rules']): ToolRef {
  const mounts = paths.roots
    .filter(({ path }) => existsSync(path)) // one that is made later is out of a command's reach until then
    .map(({ path, write }) => ({ path, access: write ? ('read-write' as const) : ('read-only' as const) }));
  const cwd = paths.roots[0]?.path ?? '/';
  return shellTool({ sandbox, rules: commands, cwd, mounts });
}
