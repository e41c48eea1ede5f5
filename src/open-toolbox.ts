import { resolve } from 'node:path';
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
import { type PathRules, pathRules } from './tools/rules/paths.js';

export interface CreateToolbox {
  /** The folder that relative paths start from, and all that may be read where `access` says nothing. */
  readonly root: string;
  readonly access?: Access;
  /**
   * What to do where bubblewrap is not to be had: `refuse` leaves the shell out, `say` runs commands that the rules
   * allow without a sandbox and says so in every result. `refuse` where absent.
   */
  readonly withoutSandbox?: 'refuse' | 'say';
}

export interface Toolbox {
  readonly tools: readonly ToolRef[];
  /** The rules that the tools hold to; governance applies them to every other tool that declares what it touches. */
  readonly rules: { readonly paths: PathRules; readonly commands: CommandRules; readonly domains: DomainRules };
  /** What confines the shell; undefined where there is none. */
  readonly sandbox: SandboxDescription | undefined;
  /** Tools that are not there, and why. */
  readonly missing: readonly { readonly tool: string; readonly why: string }[];
}

/** The built-in tools over one folder, each within what `access` grants and nothing more. */
export async function openToolbox(given: CreateToolbox): Promise<Toolbox> {
  const root = resolve(given.root);
  const { access = {} } = given;
  const rules = rulesFor(root, access);
  const { sandbox, why } = await shellSandbox(given.withoutSandbox ?? 'refuse');
  const isOnline = rules.domains.allow.length > 0 || rules.domains.allowPrivate.length > 0;
  return {
    tools: [
      ...filesTools({ allow: rules.paths }),
      ...(sandbox === undefined ? [] : [shell(root, sandbox, rules)]),
      ...(isOnline ? [webFetchTool({ rules: rules.domains }), ...browserTools({ rules: rules.domains })] : []),
      runJavascriptTool({ sandbox: quickJsSandbox() }),
    ],
    rules,
    sandbox: sandbox === undefined ? undefined : ('unsandboxed' in sandbox ? sandbox.unsandboxed : sandbox).describe(),
    missing: sandbox === undefined ? [{ tool: 'shell', why }] : [],
  };
}

function rulesFor(root: string, access: Access): Toolbox['rules'] {
  const folders = (paths: readonly string[], write: boolean) =>
    paths.map((path) => ({ path: resolve(root, path), write }));
  const write = folders(access.write ?? [], true);
  const read = folders(access.read ?? (write.length > 0 ? [] : ['.']), false);
  const paths = pathRules({ roots: [...write, ...read] });
  return {
    paths,
    commands: readOnlyCommands({
      paths,
      programs: Object.fromEntries((access.commands ?? []).map((name) => [name, {}])),
    }),
    domains: domainRules({
      allow: access.domains ?? [],
      allowPrivate: access.privateAddresses ?? [],
      ...portsFor(access),
    }),
  };
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

function shell(root: string, sandbox: Sandbox | Unsandboxed, { commands, paths }: Toolbox['rules']): ToolRef {
  const mounts = paths.roots.map(({ path, write }) => ({
    path,
    access: write ? ('read-write' as const) : ('read-only' as const),
  }));
  const cwd = paths.roots[0]?.path ?? root;
  return shellTool({ sandbox, rules: commands, cwd, mounts });
}
