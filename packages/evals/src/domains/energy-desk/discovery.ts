import { dumpJson, parseJson } from '../../tau2/python/json.js';
import { type PyDict, PyError } from '../../tau2/python/value.js';
import { listing } from '../../world/print-query.js';
import { type Desk, Refused, TODAY } from './desk.js';
import { type Arguments, type DeskTool, deskTool } from './desk-tool.js';
import { idFor } from './ids.js';
import { type Registered, type Registry, runTool } from './registry.js';

/**
 * Tools that nobody is shown: the agent learns their names from documents, unlocks them, and calls them through one
 * tool; others it hands to the user. What is refused leaves no trace, so that an agent may recover from it.
 */
export function agentDiscovery(agentTools: Registry, userTools: Registry): readonly DeskTool[] {
  return [
    deskTool('unlock_discoverable_agent_tool', (desk, args) => {
      const { spec } = named(agentTools, args.text('agent_tool_name'));
      desk.unlocked.add(spec.name);
      return `Unlocked.\n${spec.formatted}\nUse it with call_discoverable_agent_tool.`;
    }),
    deskTool('call_discoverable_agent_tool', (desk, args) => {
      const found = named(agentTools, args.text('agent_tool_name'));
      const { name } = found.spec;
      if (!desk.unlocked.has(name)) throw new Refused(`unlock ${name} with unlock_discoverable_agent_tool first.`);
      const result = ran(found, desk, argumentsIn(args));
      logCall(desk, found);
      return result;
    }),
    deskTool('give_discoverable_user_tool', (desk, args) => give(desk, userTools, args)),
    deskTool('list_discoverable_agent_tools', (desk) => listed(desk, 'agent_discoverable_tools')),
  ];
}

export function userDiscovery(userTools: Registry): readonly DeskTool[] {
  return [
    deskTool('call_discoverable_user_tool', (desk, args) => {
      const found = named(userTools, args.text('discoverable_tool_name'));
      const { name } = found.spec;
      if (desk.find('user_discoverable_tools', givenId(name)) === undefined) {
        throw new Refused(`${name} has not been handed to you.`);
      }
      const given = argumentsIn(args);
      const result = ran(found, desk, given);
      const shown = dumpJson(given, { sortKeys: true });
      const record = { tool_name: name, arguments: shown, date: TODAY };
      desk.add('user_discoverable_tool_calls', idFor('utc', name, shown), record);
      return result;
    }),
    deskTool('list_discoverable_user_tools', (desk) => listed(desk, 'user_discoverable_tools')),
  ];
}

function named(tools: Registry, name: string): Registered {
  const found = tools.get(name);
  if (found === undefined) throw new Refused(`there is no tool '${name}'. Use a name that the knowledge base gives.`);
  return found;
}

function argumentsIn(args: Arguments): PyDict {
  try {
    const value = parseJson(args.text('arguments'));
    if (value instanceof Map) return value;
  } catch (error) {
    if (!(error instanceof PyError)) throw error;
    throw new Refused(`the arguments are not valid JSON: ${error.message}`);
  }
  throw new Refused('the arguments must be a JSON object.');
}

/** Its refusal becomes the caller's. */
function ran(found: Registered, desk: Desk, args: PyDict): string {
  try {
    const { text, done } = runTool(found, desk, args);
    if (!done) throw new Refused(text.replace(/^Error: /, ''));
    return text;
  } catch (error) {
    if (!(error instanceof PyError)) throw error;
    throw new Refused(`the arguments do not fit: ${error.message}.`);
  }
}

/** Reads count only where the task's gold path makes them, so that looking more closely is never punished. */
function logCall(desk: Desk, { spec }: Registered): void {
  const id = idFor('agt', spec.name);
  if (!spec.mutates && !desk.loggedReads.has(spec.name)) return;
  if (desk.find('agent_discoverable_tools', id) === undefined) {
    desk.add('agent_discoverable_tools', id, { tool_name: spec.name, status: 'CALLED', verified: isVerified(desk) });
  }
}

function givenId(name: string): string {
  return idFor('giv', name);
}

/** Whether anybody was when a tool was first used or handed over: it stays on record, as with every other change. */
function isVerified(desk: Desk): string {
  return desk.tables.records('verification_history').size > 0 ? 'yes' : 'no';
}

function give(desk: Desk, tools: Registry, args: Arguments): string {
  const { spec } = named(tools, args.text('discoverable_tool_name'));
  const known = new Set(spec.parameters.map(({ name }) => name));
  const stray = [...argumentsIn(args).keys()].find((name) => !known.has(name));
  if (stray !== undefined) throw new Refused(`${spec.name} has no parameter '${stray}'.`);
  const record = { tool_name: spec.name, status: 'GIVEN', verified: isVerified(desk) };
  if (desk.find('user_discoverable_tools', givenId(spec.name)) === undefined) {
    desk.add('user_discoverable_tools', givenId(spec.name), record);
  }
  return `The customer now has ${spec.name}.\n${spec.formatted}`;
}

function listed(desk: Desk, table: 'agent_discoverable_tools' | 'user_discoverable_tools'): string {
  const found = desk.where(table, {});
  return found.length === 0 ? 'None so far.' : listing(table, found);
}
