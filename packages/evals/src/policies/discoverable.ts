import type { GateRules } from 'flyball/agents';

/** Tools that search documents, under every retrieval configuration. */
export const DOCUMENTS = ['KB_search', 'KB_search_*', 'grep', 'shell'];

/** How desks whose tools are found in documents unlock, call and give them. */
export const WRAPPERS: GateRules['wrappers'] = [
  { tool: 'unlock_discoverable_agent_tool', does: 'unlock', names: 'agent_tool_name' },
  {
    tool: 'call_discoverable_agent_tool',
    does: 'call',
    names: 'agent_tool_name',
    holds: 'arguments',
    after: 'unlock_discoverable_agent_tool',
  },
  { tool: 'give_discoverable_user_tool', does: 'give', names: 'discoverable_tool_name', holds: 'arguments' },
];
