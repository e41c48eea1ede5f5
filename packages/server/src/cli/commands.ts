import type { CommandPackage } from 'flyball/command';

export const commands: CommandPackage['commands'] = {
  serve: async () => (await import('./commands/serve.js')).serveCommand,
  keys: async () => (await import('./commands/keys.js')).keysCommand,
  mcp: async () => (await import('./commands/mcp.js')).mcpCommand,
};

/** A server runs an agent in ways of its own, as a single shot say, under names that only it and the journal know. */
export const agentsOf: CommandPackage['agentsOf'] = async (group, agent) => {
  const { servedName } = await import('../agents/served-agent.js');
  if (servedName(agent).agent === agent) return undefined;
  const { runAgents, toolRunName } = await import('../agents/run-agents.js');
  const { agentDirectory } = await import('../agents/agent-directory.js');
  return runAgents(group, agentDirectory([group]).list(), toolRunName(0));
};
