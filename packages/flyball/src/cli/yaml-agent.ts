import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { agentFromFile } from '../adapters/definitions/agent-file.js';
import { toolsFromFolder } from '../adapters/definitions/folder-tools.js';
import { discoverPackages, toolsFromPackages } from '../adapters/definitions/package-tools.js';
import { watchPolicy } from '../adapters/definitions/policy-file.js';
import { readYaml } from '../adapters/definitions/yaml-source.js';
import { toolsFromYaml } from '../adapters/definitions/yaml-tools.js';
import { systemClock } from '../adapters/host-node/system-clock.js';
import { watchSkills } from '../adapters/skill-folder/watch-skills.js';
import type { AgentSpec } from '../agents/agent-spec.js';
import { bindAgent } from '../agents/bind-agent.js';
import { ConfigError, FlyballError } from '../core/errors.js';
import { joinSeams } from '../core/join-seams.js';
import type { Seams } from '../core/seams.js';
import { openToolbox, type Toolbox } from '../open-toolbox.js';
import { ACTIVATE_SKILL, problemText, READ_SKILL_RESOURCE } from '../skills/skill.js';
import type { SkillLibrary } from '../skills/skill-library.js';
import { governance } from '../tools/governance/governance.js';
import { injectionShield } from '../tools/governance/shield/injection-shield.js';
import { nearestNames } from '../tools/nearest-names.js';
import { type ToolRegistry, toolRegistry } from '../tools/registry.js';
import { codeBeside } from './code-beside.js';
import { isCommitFile } from './commit/commit-file.js';
import { loadCommitLoop } from './commit/load-commit-loop.js';
import { makeFolder } from './make-folder.js';
import { ownCode, PACKAGE_FILE, TOOL_FILE, TOOL_FOLDER } from './own-code.js';
import { readyFor } from './typescript.js';
import { modelFor, pricesFor } from './yaml-model.js';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * An agent in a YAML file, with everything around it: models from the environment, the built-in tools within its
 * access, the tools beside it (`tools/`, `tools.yaml`, installed packages), governance and the injection shield. `beside`
 * are the files of other agents that are loaded with it.
 */
export async function loadYamlAgent(
  path: string,
  env: Env,
  beside: readonly string[] = [],
): Promise<Readonly<Record<string, unknown>>> {
  if (isCommitFile((await readYaml(path)).value)) return loadCommitLoop(path, env);
  const spec = await agentFromFile(path);
  const folder = dirname(path);
  requireFolders(folder, spec);
  const code = await ownCode(folder, spec);
  const others = await codeBeside(folder, beside);
  const toolbox = await openToolbox({
    root: folder,
    withoutSandbox: 'say',
    // an agent that could rewrite what governs it, or code that is loaded next time, would have no bounds
    protect: [
      basename(path),
      ...code.protect,
      ...others.protect,
      ...(spec.policy === undefined ? [] : [spec.policy]),
      ...(spec.skills ?? []),
    ],
    denyWrite: [...code.denyWrite, ...others.denyWrite],
    ...(spec.access === undefined ? {} : { access: spec.access }),
  });
  const registry = await registryFor(folder, toolbox);
  await placedAt(path, ['mcp'], () => registerMcp(spec, folder, { registry, env }));
  await requireTools(path, spec, registry, toolbox);
  const model = await placedAt(path, ['model'], () => modelFor(spec, env));
  const skills = await placedAt(path, ['skills'], () => skillsFor(spec, folder));
  const agent = bindAgent(spec, { model: () => model, defaultModel: model.id, tools: registry, ...skills });
  const seams = await seamsFor(spec, folder, toolbox, registry);
  return {
    default: agent,
    runtime: { seams, prices: pricesFor(spec, model) },
    tools: toolsOf(spec, registry),
    ...skills,
  };
}

/** What this agent was given of all that is registered: nothing else can be reached through a server either. */
function toolsOf({ tools = [] }: AgentSpec, registry: ToolRegistry): ToolRegistry {
  return toolRegistry(registry.entries().filter(({ tool }) => tools.includes(tool.name)));
}

/** Folders to write are made; a folder to read that is not there is a mistake that no tool could explain later. */
function requireFolders(folder: string, { access = {} }: AgentSpec): void {
  const missing = (access.read ?? []).find((path) => !existsSync(resolve(folder, path)));
  if (missing !== undefined)
    throw new ConfigError(`access.read names ${missing}, but ${resolve(folder, missing)} does not exist.`);
  for (const path of access.write ?? []) makeFolder(resolve(folder, path));
}

async function registryFor(folder: string, toolbox: Toolbox): Promise<ToolRegistry> {
  const registry = toolRegistry(toolbox.tools);
  const tools = join(folder, TOOL_FOLDER);
  if (existsSync(tools)) {
    for (const file of readdirSync(tools)) await readyFor(join(tools, file));
    registry.registerAll(await toolsFromFolder(tools));
  }
  const found = existsSync(join(folder, PACKAGE_FILE)) ? await discoverPackages(folder) : [];
  if (found.length > 0) registry.registerAll(await toolsFromPackages(found, { from: folder }));
  const metadata = join(folder, TOOL_FILE);
  if (existsSync(metadata)) {
    const described = await toolsFromYaml(metadata);
    registry.registerAll(described.entries);
    described.metadata.forEach(registry.describe);
  }
  return registry;
}

/** Tools of MCP servers, which stay connected while this process lives. What they say is text from outside. */
async function registerMcp(
  { mcp }: AgentSpec,
  folder: string,
  { registry, env }: { readonly registry: ToolRegistry; readonly env: Env },
): Promise<void> {
  if (mcp === undefined) return;
  const { mcpServersFromFile, openMcpPool } = await import('../adapters/mcp-client/index.js');
  const pool = await openMcpPool(await mcpServersFromFile(resolve(folder, mcp), { env }), { env });
  for (const tool of pool.tools()) registry.register(tool);
}

/** Every tool that is not there, each with its line. A built-in one that was not granted says what it needs. */
async function requireTools(
  path: string,
  { tools = [] }: AgentSpec,
  registry: ToolRegistry,
  { missing }: Toolbox,
): Promise<void> {
  if (tools.every(registry.has)) return;
  const { at } = await readYaml(path);
  const problems = tools.flatMap((name, index) => {
    if (registry.has(name)) return [];
    const needs = missing.find(({ tool }) => tool === name)?.why;
    const why = needs === undefined ? hintFor(name, registry.names()) : `It is not granted: ${needs}.`;
    return [`${at(['tools', index])}: there is no tool "${name}". ${why}`];
  });
  throw new ConfigError(problems.join('\n'));
}

function hintFor(name: string, known: readonly string[]): string {
  const near = nearestNames(name, known);
  return near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `Available: ${known.join(', ')}.`;
}

/** What goes wrong, said with the line that it is about. */
async function placedAt<T>(path: string, part: readonly string[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof FlyballError)) throw error;
    const place = (await readYaml(path)).at(part);
    throw new FlyballError(error.code, `${place}: ${error.message}`, { detail: error.detail, cause: error });
  }
}

/** The skills in the folders that the definition names. A change of theirs counts from the next run or conversation on. */
async function skillsFor(spec: AgentSpec, folder: string): Promise<{ readonly skills?: SkillLibrary }> {
  if (spec.skills === undefined || spec.skills.length === 0) return {};
  const folders = spec.skills.map((path) => resolve(folder, path));
  const watched = await watchSkills(folders, (change) => {
    for (const problem of change.problems)
      if (problem.level === 'error')
        process.emitWarning(
          `${problemText(problem)} ${change.kept.length > 0 ? 'The last good version stays in use.' : ''}`,
        );
  });
  const errors = watched.problems().filter(({ level }) => level === 'error');
  if (errors.length === 0) return { skills: watched.library };
  await watched.close();
  throw new ConfigError(errors.map(problemText).join('\n'));
}

async function seamsFor(spec: AgentSpec, folder: string, toolbox: Toolbox, registry: ToolRegistry): Promise<Seams> {
  const clock = systemClock();
  const onProblem = (problem: string): void => process.emitWarning(problem);
  const policy =
    spec.policy === undefined ? {} : { policy: await watchPolicy(resolve(folder, spec.policy), { clock, onProblem }) };
  return joinSeams(
    governance({
      clock,
      tools: () => registry.entries().map(({ tool }) => tool),
      // a level that the definition names is held by the agent itself
      autonomy: spec.autonomy === undefined ? 'supervised' : 'autonomous',
      ...(spec.autonomy === undefined ? {} : { policyAutonomy: spec.autonomy }),
      ...toolbox.rules,
      ...policy,
    }),
    // markers need only differ from run to run: results keep the ones they were stored with
    injectionShield({ secret: randomBytes(24).toString('base64url'), trusted: ownTools(toolbox, registry) }),
  );
}

/** Tools that bring nothing in from outside. Built-in ones are known; of the others only those count that say so. */
function ownTools({ tools: builtIn }: Toolbox, registry: ToolRegistry): readonly string[] {
  const own = registry.entries().filter(({ tool: { name, legs } }) => {
    if (legs === undefined) return builtIn.some((tool) => tool.name === name);
    return !legs.includes('untrusted-content');
  });
  // skills are part of the agent: who installed them vouches for them
  return [...own.map(({ tool }) => tool.name), ACTIVATE_SKILL, READ_SKILL_RESOURCE];
}
