import type { Task } from '../../world/task.js';

/** Reads that the gold path makes leave a trace, so that an agent has to make them too; others leave none. */
export function loggedReads(task: Task | undefined): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { name, arguments: args } of task?.criteria?.actions ?? []) {
    const tool = args.get('agent_tool_name');
    if (name === 'call_discoverable_agent_tool' && typeof tool === 'string') names.add(tool);
  }
  return names;
}
