import { dumpJson } from '../../python/json.js';
import type { PyValue } from '../../python/value.js';
import { type Bank, today } from '../bank.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { recordsWhere } from '../base/lookups.js';
import { ids } from '../ids.js';
import { refusal } from '../replies.js';

/**
 * A tool that works only for a user to whom the agent has given it. The call is logged before the tool looks at its
 * arguments, so a call that is then refused has changed the database.
 */
export function givenTool<const P extends string>(
  name: string,
  parameters: readonly P[],
  run: (bank: Bank, args: Readonly<Record<P, PyValue>>) => string,
): BankTool {
  return bankTool(name, parameters, (bank, args) => {
    if (recordsWhere(bank, 'user_discoverable_tools', 'tool_name', name).includes('No records found')) {
      return refusal(`the agent has not given you '${name}' yet; it does so with \`give_discoverable_user_tool\`.`);
    }
    logCall(bank, name, new Map(parameters.map((parameter) => [parameter, args[parameter]])));
    return run(bank, args);
  });
}

function logCall(bank: Bank, name: string, args: Map<string, PyValue>): void {
  const id = ids.toolCall(name, dumpJson(args, { sortKeys: true }));
  const record = { tool_name: name, arguments: args, called_at: today, status: 'CALLED' };
  bank.add('user_discoverable_tool_calls', id, record);
}
