import { agentRegistry, type Registered } from '../agents/workflows/agent-registry.js';
import type { Workflow } from '../agents/workflows/workflow.js';
import { workflowMark } from '../agents/workflows/workflow-mark.js';

/** The agent of a dry run, under the name that a server gives it too. */
const SUFFIX = ':dry';

export function dryName(agent: string): string {
  return `${agent}${SUFFIX}`;
}

export function isDry(agent: string): boolean {
  return agent.endsWith(SUFFIX);
}

/** The same agents; workflows among them find the others of the file by name, as they do on a server. */
export function bound(agents: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (!Object.values(agents).some(isWorkflow)) return { ...agents };
  const others = agentRegistry(agents as Readonly<Record<string, Registered>>);
  return Object.fromEntries(
    Object.entries(agents).map(([name, agent]) => [name, isWorkflow(agent) ? agent.bind(others) : agent]),
  );
}

/** What tells the acts of a workflow without doing them, for each of them. */
export function dryRunsOf(agents: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(agents).flatMap(([name, agent]) => {
      const dry = workflowMark(agent)?.dryRun;
      const { version = '1' } = Object(agent) as { readonly version?: string };
      return dry === undefined ? [] : [[dryName(name), { agent: dry, version }]];
    }),
  );
}

function isWorkflow(agent: unknown): agent is Workflow {
  return workflowMark(agent) !== undefined && typeof (agent as Partial<Workflow>).bind === 'function';
}
