import { existsSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError, FlyballError } from '../core/errors.js';
import type { CreateRuntime } from '../create-runtime.js';

/** An agent file, loaded: what it exports, checked, and where it was found. */
export interface AgentModule {
  /** Absolute; kept in the run's record, so that a later command finds the agent again. */
  readonly path: string;
  readonly agents: CreateRuntime['agents'];
  /** The agent meant when nobody names one. */
  readonly main: string | undefined;
  readonly runtime: Pick<CreateRuntime, 'seams' | 'prices' | 'options'>;
}

const SHAPE = 'Export `agents`, a record of agents by name, or one agent function as default.';

export async function loadAgentModule(file: string): Promise<AgentModule> {
  const path = resolve(file);
  if (!existsSync(path)) {
    throw new FlyballError('INPUT_INVALID', `There is no file ${path}. Check the path of the agent file.`);
  }
  const exported = await importFile(path);
  const stem = basename(path, extname(path));
  const agents = { ...defaultAgent(exported['default'], stem), ...recordOf(exported['agents'], 'agents', path) };
  for (const [name, agent] of Object.entries(agents)) requireAgent(agent, { name, path });
  const names = Object.keys(agents);
  if (names.length === 0) throw new ConfigError(`${path} exports no agent. ${SHAPE}`);
  return {
    path,
    agents: agents as CreateRuntime['agents'],
    main: exported['default'] !== undefined ? stem : names.length === 1 ? names[0] : undefined,
    runtime: recordOf(exported['runtime'], 'runtime', path) as AgentModule['runtime'],
  };
}

/** The name of the agent to run: the one asked for, or the only one it can be. */
export function chooseAgent(module: AgentModule, asked: string | undefined): string {
  const known = Object.keys(module.agents).join(', ');
  if (asked !== undefined) {
    if (Object.hasOwn(module.agents, asked)) return asked;
    throw new FlyballError('AGENT_UNKNOWN', `${module.path} exports no agent "${asked}". It exports: ${known}.`);
  }
  if (module.main !== undefined) return module.main;
  throw new ConfigError(`${module.path} exports several agents (${known}). Say which one with --agent.`);
}

async function importFile(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof FlyballError) throw error;
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION') throw new ConfigError(cannotRun(path));
    const why = typeof message === 'string' ? message : String(error);
    throw new FlyballError('CONFIG_INVALID', `${path} could not be loaded: ${why}`, { cause: error });
  }
}

function cannotRun(path: string): string {
  const kind = extname(path);
  if (!['.ts', '.mts', '.cts'].includes(kind)) return `${path} is no JavaScript: an agent file ends in .js or .mjs.`;
  return (
    `This Node (${process.version}) cannot run TypeScript files such as ${path}. ` +
    'Compile it and give the JavaScript file, or use Node 22.18 or newer.'
  );
}

function defaultAgent(value: unknown, stem: string): Record<string, unknown> {
  return value === undefined ? {} : { [stem]: value };
}

function recordOf(value: unknown, name: string, path: string): Record<string, unknown> {
  if (value === undefined) return {};
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new ConfigError(`${path} exports \`${name}\`, but it is not a record. ${SHAPE}`);
}

function requireAgent(agent: unknown, at: { readonly name: string; readonly path: string }): void {
  if (typeof agent === 'function') return;
  const { agent: inner, version } = (agent ?? {}) as { readonly agent?: unknown; readonly version?: unknown };
  if (typeof inner === 'function' && typeof version === 'string') return;
  throw new ConfigError(
    `${at.path}: "${at.name}" is no agent. An agent is a function (run, input) => …, or { agent, version: '2' }.`,
  );
}
