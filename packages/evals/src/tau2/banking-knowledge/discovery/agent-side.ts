import { truthy, typeName } from '../../python/equality.js';
import { dumpJson } from '../../python/json.js';
import { str } from '../../python/text.js';
import { PyError, type PyValue } from '../../python/value.js';
import type { Bank } from '../bank.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { ids } from '../ids.js';
import { keyOf } from '../operations.js';
import { refusal } from '../replies.js';
import { itemsOf, keywordArguments, parsedArguments } from './json-arguments.js';
import { type RegisteredTool, type Registry, runTool } from './registry.js';

/** How an agent learns of tools that it is not shown, calls them, and hands others to the user. */
export function agentSide(agentTools: Registry, userTools: Registry): readonly BankTool[] {
  return [unlock(agentTools), call(agentTools), give(userTools)];
}

function unknown(name: PyValue): string {
  return refusal(`'${str(name)}' is no tool that you could have.`);
}

function unlock(tools: Registry): BankTool {
  return bankTool('unlock_discoverable_agent_tool', ['agent_tool_name'], (bank, { agent_tool_name }) => {
    const found = tools.get(keyOf(agent_tool_name) ?? '');
    if (found === undefined) return unknown(agent_tool_name);
    const { name, description, formatted } = found.spec;
    bank.unlocked.add(name);
    const next = `Call it with \`call_discoverable_agent_tool\`, agent_tool_name='${name}' and its arguments.`;
    return `Unlocked: ${name}\n${description}\n\n${formatted}\n\n${next}`;
  });
}

function call(tools: Registry): BankTool {
  return bankTool('call_discoverable_agent_tool', ['agent_tool_name', 'arguments'], (bank, args) => {
    const found = tools.get(keyOf(args.agent_tool_name) ?? '');
    if (found === undefined) return unknown(args.agent_tool_name);
    const { name } = found.spec;
    if (!bank.unlocked.has(name)) {
      return refusal(`'${name}' is not unlocked yet; do so with \`unlock_discoverable_agent_tool\`, then call it.`);
    }
    const parsed = parsedArguments(args.arguments, 'float');
    if ('refused' in parsed) return parsed.refused;
    return called(bank, found, parsed.value);
  });
}

/** A TypeError anywhere inside counts as a fault of the arguments and is not logged; what had been changed stays so. */
function called(bank: Bank, found: RegisteredTool, args: PyValue): string {
  let result: string;
  try {
    result = runTool(found, bank, keywordArguments(args, found));
  } catch (error) {
    if (error instanceof PyError && error.kind === 'TypeError') return misfit(found, error);
    throw error;
  }
  log(bank, found);
  return result;
}

function misfit({ spec }: RegisteredTool, error: PyError): string {
  return refusal(`the arguments do not fit '${spec.name}': ${error.message}`);
}

/** Once for each tool, refused calls too; reads only where the task's gold path makes them, so that others are free. */
function log(bank: Bank, { spec }: RegisteredTool): void {
  if (!spec.mutates && !bank.loggedReads.has(spec.name)) return;
  bank.add('agent_discoverable_tools', ids.agentTool(spec.name), { tool_name: spec.name, status: 'CALLED' });
}

function give(tools: Registry): BankTool {
  return bankTool('give_discoverable_user_tool', ['discoverable_tool_name', 'arguments'], (bank, args) => {
    const found = tools.get(attributeName(args.discoverable_tool_name));
    if (found === undefined) return refusal(`'${str(args.discoverable_tool_name)}' is no tool that a user could have.`);
    const parsed = parsedArguments(args.arguments, 'int');
    if ('refused' in parsed) return parsed.refused;
    const { name, description, parameters } = found.spec;
    const accepted = new Set(['self', ...parameters.map((parameter) => parameter.name)]);
    const stray = itemsOf(parsed.value).find((item) => !accepted.has(keyOf(item) ?? ''));
    if (stray !== undefined) return refusal(`the tool has no parameter ${str(stray)}.`);
    bank.add('user_discoverable_tools', ids.toolGiven(name), { tool_name: name, status: 'GIVEN' });
    const shown = truthy(parsed.value) ? dumpJson(parsed.value, { indent: 2 }) : '(no arguments)';
    const next = `They run it with \`call_discoverable_user_tool\`, discoverable_tool_name='${name}'.`;
    return `The user now has ${name}.\n${description}\nArguments: ${shown}\n\n${next}`;
  });
}

/** The reference looks the tool up as an attribute, which must be named by a text. */
function attributeName(value: PyValue): string {
  if (typeof value === 'string') return value;
  throw new PyError('TypeError', `attribute name must be string, not '${typeName(value)}'`);
}
