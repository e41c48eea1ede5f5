import { existsSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { conversation, plainConversation } from '../agents/conversation.js';
import type { DefinedAgent } from '../agents/define-agent.js';
import type { Budget } from '../core/budget.js';
import { ConfigError, FlyballError } from '../core/errors.js';
import type { Agent } from '../core/run.js';
import type { CreateRuntime } from '../create-runtime.js';
import { readyFor } from './typescript.js';
import { loadYamlAgent } from './yaml-agent.js';

/** An agent file, loaded: what it exports, checked, and where it was found. */
export interface AgentModule {
  /** Absolute; kept in the run's record, so that a later command finds the agent again. */
  readonly path: string;
  /** By name, each with its conversation as `name:chat`. */
  readonly agents: CreateRuntime['agents'];
  /** The agent meant when nobody names one. */
  readonly main: string | undefined;
  /** Bounds that agents bring along, by name. */
  readonly budgets: Readonly<Record<string, Partial<Budget>>>;
  readonly runtime: Pick<CreateRuntime, 'seams' | 'prices' | 'options'>;
}

const CHAT = ':chat';
const SHAPE = 'Export `agents`, a record of agents by name, or one agent as default.';

export async function loadAgentModule(file: string, env: Env = process.env): Promise<AgentModule> {
  const path = resolve(file);
  if (!existsSync(path)) {
    throw new FlyballError('INPUT_INVALID', `There is no file ${path}. Check the path of the agent file.`);
  }
  const exported = /\.ya?ml$/.test(path) ? await loadYamlAgent(path, env) : await importFile(path);
  const stem = basename(path, extname(path));
  const agents = { ...defaultAgent(exported['default'], stem), ...recordOf(exported['agents'], 'agents', path) };
  for (const [name, agent] of Object.entries(agents)) requireAgent(agent, { name, path });
  const names = Object.keys(agents);
  if (names.length === 0) throw new ConfigError(`${path} exports no agent. ${SHAPE}`);
  return {
    path,
    agents: { ...agents, ...conversationsOf(agents) } as CreateRuntime['agents'],
    main:
      exported['default'] !== undefined
        ? Object.keys(defaultAgent(exported['default'], stem))[0]
        : names.length === 1
          ? names[0]
          : undefined,
    budgets: Object.fromEntries(Object.entries(agents).map(([name, agent]) => [name, budgetOf(agent)])),
    runtime: recordOf(exported['runtime'], 'runtime', path) as AgentModule['runtime'],
  };
}

type Env = Readonly<Record<string, string | undefined>>;

/** The name of the agent to run: the one asked for, or the only one it can be. */
export function chooseAgent(module: AgentModule, asked: string | undefined): string {
  const known = Object.keys(module.agents).filter((name) => !name.endsWith(CHAT));
  if (asked !== undefined) {
    if (known.includes(asked)) return asked;
    throw new FlyballError(
      'AGENT_UNKNOWN',
      `${module.path} exports no agent "${asked}". It exports: ${known.join(', ')}.`,
    );
  }
  if (module.main !== undefined) return module.main;
  throw new ConfigError(`${module.path} exports several agents (${known.join(', ')}). Say which one with --agent.`);
}

/** The agent that talks, for an agent that works. */
export function chatName(agent: string): string {
  return `${agent}${CHAT}`;
}

function conversationsOf(agents: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(agents).map(([name, agent]) => {
      if (isDefined(agent)) return [chatName(name), { agent: conversation(agent), version: agent.version }];
      const inner = (typeof agent === 'function' ? agent : (agent as { readonly agent: unknown }).agent) as Agent<
        string,
        unknown
      >;
      return [chatName(name), plainConversation(inner)];
    }),
  );
}

function isDefined(agent: unknown): agent is DefinedAgent {
  return typeof (agent as { readonly converse?: unknown }).converse === 'function';
}

function budgetOf(agent: unknown): Partial<Budget> {
  return isDefined(agent) ? agent.budget : {};
}

async function importFile(path: string): Promise<Readonly<Record<string, unknown>>> {
  await readyFor(path);
  try {
    return (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof FlyballError) throw error;
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION')
      throw new ConfigError(`${path} is no agent file: it ends in .js, .mjs, .ts, .mts, .yaml or .yml.`);
    const why = typeof message === 'string' ? message : String(error);
    throw new FlyballError('CONFIG_INVALID', `${path} could not be loaded: ${why}`, { cause: error });
  }
}

/** A defined agent brings its own name; a function is called what its file is called. */
function defaultAgent(value: unknown, stem: string): Record<string, unknown> {
  if (value === undefined) return {};
  return { [value !== null && isDefined(value) ? value.name : stem]: value };
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
    `${at.path}: "${at.name}" is no agent. An agent is a function (run, input) => …, { agent, version: '2' }, or what defineAgent makes.`,
  );
}
