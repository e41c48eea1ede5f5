import { str } from '../../python/text.js';
import { PyError } from '../../python/value.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { keyOf } from '../operations.js';
import { refusal } from '../replies.js';
import { isNamedIn, itemsOf, keywordArguments, parsedArguments } from './json-arguments.js';
import { type Registry, runTool } from './registry.js';

/** How a user calls what the agent gave. */
export function userSide(tools: Registry): readonly BankTool[] {
  return [
    bankTool('call_discoverable_user_tool', ['discoverable_tool_name', 'arguments'], (bank, args) => {
      const found = tools.get(keyOf(args.discoverable_tool_name) ?? '');
      if (found === undefined) return refusal(`there is no tool '${str(args.discoverable_tool_name)}'.`);
      const parsed = parsedArguments(args.arguments, 'float');
      if ('refused' in parsed) return parsed.refused;
      const { name, parameters } = found.spec;
      const absent = parameters.find((one) => one.required && !isNamedIn(parsed.value, one.name));
      if (absent !== undefined) return refusal(`the parameter ${absent.name} is missing.`);
      const stray = itemsOf(parsed.value).find((item) => !parameters.some((one) => one.name === keyOf(item)));
      if (stray !== undefined) return refusal(`the tool has no parameter ${str(stray)}.`);
      try {
        return runTool(found, bank, keywordArguments(parsed.value, found));
      } catch (error) {
        if (!(error instanceof PyError) || error.kind !== 'TypeError') throw error;
        return refusal(`the arguments do not fit '${name}': ${error.message}`);
      }
    }),
  ];
}
