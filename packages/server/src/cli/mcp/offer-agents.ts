import type { Engine, Runtime } from 'flyball';
import { createRuntime } from 'flyball';
import type { AgentModule } from 'flyball/internal';
import { agentDirectory } from '../../agents/agent-directory.js';
import { heldDirectly } from '../../agents/direct-call-level.js';
import type { McpAgent, McpOffer } from '../../mcp/index.js';
import { joinOffers, runtimeOffer, TOOL_CALL, toolCallAgent } from '../../mcp/index.js';
import { ownRuns } from './own-runs.js';

export interface OfferedFiles {
  readonly offer: McpOffer;
  readonly names: readonly string[];
  readonly runtimes: readonly Runtime[];
  close(): Promise<void>;
}

/** Agents and tools of files: each file runs under its own guards and prices, all of them in one database. */
export async function offerFiles(
  modules: readonly AgentModule[],
  engine: Engine,
  subject: string,
): Promise<OfferedFiles> {
  agentDirectory(modules.map(({ group }) => group)); // two files with an agent of the same name are told here
  const runtimes: Runtime[] = [];
  const offers = modules.map((module) => {
    const runtime = runtimeFor(module, engine);
    runtimes.push(runtime);
    return runtimeOffer({
      runtime,
      agents: agentsOf(module),
      tools: toolsOf(module),
      startedBy: () => ({ subject, source: module.path }),
    });
  });
  const offer = joinOffers(offers);
  return {
    offer,
    runtimes,
    names: (await offer.tools(undefined)).map(({ name }) => name),
    close: async () => void (await Promise.all(runtimes.map((runtime) => runtime.close()))),
  };
}

function runtimeFor(module: AgentModule, engine: Engine): Runtime {
  const { seams, prices, options } = module.runtime;
  const tools = toolsOf(module);
  const source = {
    get: (name: string) => tools.find((tool) => tool.name === name),
    names: tools.map(({ name }) => name),
  };
  return createRuntime({
    engine: ownRuns(engine),
    agents: {
      ...module.agents,
      [TOOL_CALL]: { agent: toolCallAgent(source, heldDirectly(module.group)), version: '1' },
    },
    ...(seams === undefined ? {} : { seams }),
    ...(prices === undefined ? {} : { prices }),
    options: { requesterDecides: true, ...options, worker: true }, // one person's own machine
  });
}

function toolsOf({ group }: AgentModule) {
  return group.tools?.entries().map(({ tool }) => tool) ?? [];
}

function agentsOf({ group }: AgentModule): readonly McpAgent[] {
  return agentDirectory([group])
    .list()
    .map(({ name, description, inputs, budget }) => ({
      name,
      description: description === '' ? `Starts a run of the agent ${name}.` : description,
      budget,
      ...(inputs === undefined ? {} : { inputSchema: inputs }),
    }));
}
