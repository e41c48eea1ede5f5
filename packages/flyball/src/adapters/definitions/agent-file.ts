import type { AgentSpec } from '../../agents/agent-spec.js';
import { checkAgentSpec } from '../../agents/check-agent-spec.js';
import { readYaml } from './yaml-source.js';

/** The definition in a YAML file, checked: every mistake is told with the line it stands on. */
export async function agentFromFile(path: string): Promise<AgentSpec> {
  const source = await readYaml(path);
  return checkAgentSpec(source.value, source.at);
}
