import type { JsonSchema } from 'flyball';
import { budget, ConfigError } from 'flyball';
import type { DefinedAgent } from 'flyball/agents';
import type { AgentGroup } from 'flyball/command';
import { CONVERSES, checkedInputs, schemaOfFields, workflowMark } from 'flyball/internal';
import { type ServedAgent, servedName, TOOL_RUN } from './served-agent.js';

/** What a server serves, by name. */
export interface AgentDirectory {
  list(): readonly ServedAgent[];
  get(name: string): ServedAgent | undefined;
  readonly groups: readonly AgentGroup[];
}

export function agentDirectory(groups: readonly AgentGroup[]): AgentDirectory {
  const agents = new Map<string, ServedAgent>();
  for (const group of groups) {
    for (const name of Object.keys(group.agents)) {
      requireName(name);
      const taken = agents.get(name);
      if (taken !== undefined) throw new ConfigError(takenText(name, taken.group, group));
      agents.set(name, servedAgent(name, group));
    }
  }
  return { list: () => [...agents.values()], get: (name) => agents.get(name), groups };
}

/** Suffixes tell modes apart, so that a name must not end like one. */
function requireName(name: string): void {
  if (name === TOOL_RUN || servedName(name).agent !== name)
    throw new ConfigError(`An agent cannot be named "${name}", because the server uses that name. Choose another.`);
}

function takenText(name: string, first: AgentGroup, second: AgentGroup): string {
  const where = [first, second].map(({ source }) => source ?? 'code').join(' and ');
  return `Two agents have the name "${name}" (${where}). Rename one of them.`;
}

function servedAgent(name: string, group: AgentGroup): ServedAgent {
  const given = group.agents[name];
  const defined = isDefined(given) ? given : undefined;
  const spec = defined?.spec;
  const mark = workflowMark(given);
  const inputs = spec?.inputs === undefined ? mark?.inputs : schemaOfFields(spec.inputs, 'refuse');
  return {
    name,
    version: typeof given === 'object' ? given.version : '1',
    description: spec?.description ?? mark?.description ?? '',
    kind: mark === undefined ? 'agent' : 'workflow',
    modes:
      defined !== undefined
        ? ['iterative', 'once', 'conversation']
        : mark !== undefined
          ? ['iterative']
          : ['iterative', 'conversation'],
    tools: spec?.tools ?? (defined === undefined ? undefined : []),
    skills: spec?.skills ?? [],
    model: spec?.model,
    budget: budget({ ...mark?.budget, ...defined?.budget }),
    inputs,
    outputs: outputsOf(defined),
    demonstration: group.demonstration,
    group,
    defined,
    waitsForMessages: CONVERSES in ((typeof given === 'object' ? given.agent : given) ?? {}),
    checkInput: async (input) => {
      // a guard on the way in may still change it: then only the agent can tell
      const fields = spec?.inputs ?? mark?.fields ?? {};
      if (Object.keys(fields).length === 0) return;
      if (group.seams?.input === undefined) await checkedInputs(name, fields, input);
    },
  };
}

function outputsOf(defined: DefinedAgent | undefined): JsonSchema | undefined {
  const { outputSchema, outputs } = defined?.spec ?? {};
  if (outputSchema !== undefined) return outputSchema;
  return outputs === undefined ? undefined : schemaOfFields(outputs, 'allow');
}

function isDefined(agent: unknown): agent is DefinedAgent {
  return typeof (agent as { readonly converse?: unknown } | null | undefined)?.converse === 'function';
}
