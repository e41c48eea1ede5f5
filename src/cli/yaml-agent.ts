import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { agentFromFile } from '../adapters/definitions/agent-file.js';
import { toolsFromFolder } from '../adapters/definitions/folder-tools.js';
import { discoverPackages, toolsFromPackages } from '../adapters/definitions/package-tools.js';
import { watchPolicy } from '../adapters/definitions/policy-file.js';
import { toolsFromYaml } from '../adapters/definitions/yaml-tools.js';
import { systemClock } from '../adapters/host-node/system-clock.js';
import type { AgentSpec } from '../agents/agent-spec.js';
import { bindAgent } from '../agents/bind-agent.js';
import type { Seams } from '../core/seams.js';
import { createModels } from '../create-models.js';
import { openToolbox, type Toolbox } from '../open-toolbox.js';
import { autonomyBudget } from '../tools/autonomy/autonomy-budget.js';
import { governance } from '../tools/governance/governance.js';
import { joinSeams } from '../tools/governance/join-seams.js';
import { injectionShield } from '../tools/governance/shield/injection-shield.js';
import { type ToolRegistry, toolRegistry } from '../tools/registry.js';
import { readyFor } from './typescript.js';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * An agent in a YAML file, with everything around it: models from the environment, the built-in tools within its
 * access, the tools beside it (`tools/`, `tools.yaml`, installed packages), governance and the injection shield.
 */
export async function loadYamlAgent(path: string, env: Env): Promise<Readonly<Record<string, unknown>>> {
  const spec = await agentFromFile(path);
  const folder = dirname(path);
  const toolbox = await openToolbox({
    root: folder,
    withoutSandbox: 'say',
    ...(spec.access === undefined ? {} : { access: spec.access }),
  });
  const registry = await registryFor(folder, toolbox);
  const models = await createModels({ env });
  const name = spec.model ?? 'default';
  const model = await models.load(name);
  const agent = bindAgent(spec, { model: () => model, defaultModel: name, tools: registry });
  const prices = spec.price === undefined ? {} : { prices: { [model.id]: spec.price } };
  return { default: agent, runtime: { seams: await seamsFor(spec, folder, toolbox, registry), ...prices } };
}

async function registryFor(folder: string, toolbox: Toolbox): Promise<ToolRegistry> {
  const registry = toolRegistry(toolbox.tools);
  const tools = join(folder, 'tools');
  if (existsSync(tools)) {
    for (const file of readdirSync(tools)) await readyFor(join(tools, file));
    registry.registerAll(await toolsFromFolder(tools));
  }
  const metadata = join(folder, 'tools.yaml');
  const found = existsSync(join(folder, 'package.json')) ? await discoverPackages(folder) : [];
  if (found.length > 0) registry.registerAll(await toolsFromPackages(found, { from: folder }));
  if (existsSync(metadata)) {
    const described = await toolsFromYaml(metadata);
    registry.registerAll(described.entries);
    described.metadata.forEach(registry.describe);
  }
  return registry;
}

async function seamsFor(spec: AgentSpec, folder: string, { rules }: Toolbox, registry: ToolRegistry): Promise<Seams> {
  const clock = systemClock();
  const policy =
    spec.policy === undefined ? {} : { policy: await watchPolicy(resolve(folder, spec.policy), { clock }) };
  return joinSeams(
    governance({
      clock,
      tools: () => registry.entries().map(({ tool }) => tool),
      ...(spec.autonomy === undefined ? {} : { autonomy: spec.autonomy }),
      ...rules,
      ...policy,
    }),
    autonomyBudget().seam(),
    // markers need only differ from run to run: results keep the ones they were stored with
    injectionShield({ secret: randomBytes(24).toString('base64url'), trusted: ownTools(registry) }),
  );
}

/** Tools that bring nothing in from outside: what they say is the project's own. */
function ownTools(registry: ToolRegistry): readonly string[] {
  const own = registry.entries().filter(({ tool }) => tool.legs?.includes('untrusted-content') !== true);
  return own.map(({ tool }) => tool.name);
}
