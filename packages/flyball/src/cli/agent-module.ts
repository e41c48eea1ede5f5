import { basename, extname, resolve } from 'node:path';
import type { Fields } from '../agents/agent-spec.js';
import { conversation, plainConversation } from '../agents/conversation.js';
import type { DefinedAgent } from '../agents/define-agent.js';
import { checkedInputs, schemaOfFields } from '../agents/fields.js';
import { workflowMark } from '../agents/workflows/workflow-mark.js';
import type { Budget } from '../core/budget.js';
import { ConfigError, FlyballError } from '../core/errors.js';
import type { Agent } from '../core/run.js';
import type { ToolRef } from '../core/tool.js';
import type { CreateRuntime } from '../create-runtime.js';
import type { SkillLibrary } from '../skills/skill-library.js';
import { type ToolRegistry, toolRegistry } from '../tools/registry.js';
import type { AgentGroup } from './agent-group.js';
import { exampleOf } from './answers.js';
import { chatName, isChat } from './chat/chat-name.js';
import { aboutFile, importAgent, noAgent, requireFile } from './import-agent.js';
import { bound, dryRunsOf, isDry } from './workflows.js';

/** An agent file, loaded: what it exports, checked, and where it was found. */
export interface AgentModule {
  /** Absolute; kept in the run's record, so that a later command finds the agent again. */
  readonly path: string;
  /** By name, each with its conversation as `name:chat`, a workflow with its dry run as `name:dry`. */
  readonly agents: CreateRuntime['agents'];
  /** What a server has to know about it. */
  readonly group: AgentGroup;
  /** The agent meant when nobody names one. */
  readonly main: string | undefined;
  /** Bounds that agents bring along, by name. */
  readonly budgets: Readonly<Record<string, Partial<Budget>>>;
  readonly runtime: Pick<CreateRuntime, 'seams' | 'prices' | 'options'>;
  /** What is known about the agents beside their definitions, for `flyball patterns check`. */
  readonly system?: unknown;
  /** Removes what was made for one run alone, once that has ended: for a file that `flyball fix` wrote. */
  readonly afterEnd?: () => Promise<void>;
  /** Refuses an input that the agent could not start with, while there is no run yet. */
  checkInput(agent: string, input: unknown): Promise<void>;
}

/** `beside`: files of other agents that are loaded with it, which it must not be able to change. */
export async function loadAgentModule(
  file: string,
  env: Env = process.env,
  beside: readonly string[] = [],
): Promise<AgentModule> {
  const path = resolve(file);
  requireFile(path);
  try {
    return moduleOf(path, /\.ya?ml$/i.test(path) ? await yamlAgent(path, env, beside) : await importAgent(path));
  } catch (error) {
    throw aboutFile(error, path);
  }
}

/** Loaded with the first such file: what reads YAML is a third of all that the program would load. */
async function yamlAgent(
  path: string,
  env: Env,
  beside: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const { loadYamlAgent } = await import('./yaml-agent.js');
  return loadYamlAgent(path, env, beside);
}

function moduleOf(path: string, exported: Readonly<Record<string, unknown>>): AgentModule {
  const stem = basename(path, extname(path));
  const given = { ...defaultAgent(exported['default'], stem), ...recordOf(exported['agents'], 'agents', path) };
  for (const [name, agent] of Object.entries(given)) requireAgent(agent, { name, path });
  const agents = bound(given);
  const names = Object.keys(agents);
  if (names.length === 0) throw noAgent(path, 'does not export an agent.');
  const runtime = recordOf(exported['runtime'], 'runtime', path) as AgentModule['runtime'];
  return {
    path,
    group: { ...runtime, ...servedParts(exported, path), agents: agents as AgentGroup['agents'], source: path },
    agents: { ...agents, ...conversationsOf(agents), ...dryRunsOf(agents) } as CreateRuntime['agents'],
    main:
      exported['default'] !== undefined
        ? Object.keys(defaultAgent(exported['default'], stem))[0]
        : names.length === 1
          ? names[0]
          : undefined,
    budgets: Object.fromEntries(Object.entries(agents).map(([name, agent]) => [name, budgetOf(agent)])),
    runtime,
    ...(exported['system'] === undefined ? {} : { system: exported['system'] }),
    ...(typeof exported['afterEnd'] === 'function' ? { afterEnd: exported['afterEnd'] as () => Promise<void> } : {}),
    checkInput: async (name, input) => {
      const fields = inputsOf(agents[name]);
      // a guard on the way in may still change it: then only the agent can tell
      if (runtime.seams?.input === undefined) await requireInput(name, fields, input);
    },
  };
}

/** Exports that only a server asks for: `tools`, `skills`, `models` and `demonstration`. */
function servedParts(exported: Readonly<Record<string, unknown>>, path: string): Partial<AgentGroup> {
  const { tools, skills, models, demonstration } = exported as {
    readonly tools?: ToolRegistry | readonly ToolRef[];
    readonly skills?: SkillLibrary;
    readonly models?: unknown;
    readonly demonstration?: unknown;
  };
  if (tools !== undefined && !Array.isArray(tools) && typeof (tools as ToolRegistry).entries !== 'function')
    throw noAgent(path, 'exports `tools`, but it is neither a list of tools nor a registry.');
  return {
    ...(tools === undefined ? {} : { tools: Array.isArray(tools) ? toolRegistry(tools) : (tools as ToolRegistry) }),
    ...(skills === undefined ? {} : { skills }),
    ...(models === undefined ? {} : { models: recordOf(models, 'models', path) as NonNullable<AgentGroup['models']> }),
    ...(typeof demonstration === 'string' ? { demonstration } : {}),
  };
}

async function requireInput(name: string, inputs: Fields, input: unknown): Promise<void> {
  if (Object.keys(inputs).length === 0) return;
  try {
    await checkedInputs(name, inputs, input);
  } catch (error) {
    if (!(error instanceof FlyballError)) throw error;
    const example = JSON.stringify(exampleOf(schemaOfFields(inputs, 'refuse')));
    throw new FlyballError(error.code, error.message, { detail: { ...error.detail, example }, cause: error });
  }
}

type Env = Readonly<Record<string, string | undefined>>;

/** The name of the agent to run: the one asked for, or the only one it can be. */
export function chooseAgent(module: AgentModule, asked: string | undefined): string {
  const known = Object.keys(module.agents).filter((name) => !isChat(name) && !isDry(name));
  if (asked !== undefined) {
    if (known.includes(asked)) return asked;
    throw new FlyballError(
      'AGENT_UNKNOWN',
      `${module.path} exports no agent "${asked}". It exports: ${known.join(', ')}.`,
    );
  }
  if (module.main !== undefined) return module.main;
  throw new ConfigError(`${module.path} exports several agents (${known.join(', ')}). Choose one with --agent.`);
}

function conversationsOf(agents: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(agents).map(([name, agent]) => {
      const worker: Versioned = isFunction(agent) ? { agent, version: '1' } : (agent as Versioned);
      const talker = isDefined(agent) ? conversation(agent) : plainConversation(worker.agent);
      return [chatName(name), { ...worker, agent: talker }]; // with the guards that it brings along
    }),
  );
}

type Talker = Agent<string, unknown>;
interface Versioned {
  readonly agent: Talker;
  readonly version: string;
}

function isFunction(agent: unknown): agent is Talker {
  return typeof agent === 'function';
}

function isDefined(agent: unknown): agent is DefinedAgent {
  return typeof (agent as { readonly converse?: unknown } | null | undefined)?.converse === 'function';
}

function budgetOf(agent: unknown): Partial<Budget> {
  return isDefined(agent) ? agent.budget : (workflowMark(agent)?.budget ?? {});
}

function inputsOf(agent: unknown): Fields {
  return (isDefined(agent) ? agent.spec.inputs : workflowMark(agent)?.fields) ?? {};
}

/** A defined agent and a workflow bring their own name; a function is called what its file is called. */
function defaultAgent(value: unknown, stem: string): Record<string, unknown> {
  if (value === undefined) return {};
  const own = isDefined(value) || workflowMark(value) !== undefined;
  return { [own ? (value as { readonly name: string }).name : stem]: value };
}

function recordOf(value: unknown, name: string, path: string): Record<string, unknown> {
  if (value === undefined) return {};
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw noAgent(path, `exports \`${name}\`, but it is not a record.`);
}

function requireAgent(agent: unknown, at: { readonly name: string; readonly path: string }): void {
  if (typeof agent === 'function') return;
  const { agent: inner, version } = (agent ?? {}) as { readonly agent?: unknown; readonly version?: unknown };
  if (typeof inner === 'function' && typeof version === 'string') return;
  if (typeof (inner as { readonly agent?: unknown } | null | undefined)?.agent === 'function')
    throw new ConfigError(
      `${at.path}: "${at.name}" has its version in the wrong place. Set it in the definition, as in defineAgent({ version: '2', … }), and export what that returns.`,
    );
  throw new ConfigError(
    `${at.path}: "${at.name}" is not an agent. An agent is a function (run, input) => …, { agent, version: '2' }, or the result of defineAgent or workflow.`,
  );
}
