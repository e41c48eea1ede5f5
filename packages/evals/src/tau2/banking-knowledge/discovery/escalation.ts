import { type BankTool, bankTool } from '../bank-tool.js';

/** A tool that changes nothing and only tells the agent what to do: its words are the data's. */
function instruction(name: string): BankTool {
  return bankTool(
    name,
    [],
    (_bank, _args, announced) => `${announced}\n\nExecuted: ${name}\nArguments: (no arguments)`,
  );
}

export const escalation: readonly BankTool[] = [
  bankTool('example_agent_tool_0000', [], (_bank, _args, announced) => announced),
  instruction('initial_transfer_to_human_agent_0218'),
  instruction('initial_transfer_to_human_agent_1822'),
  instruction('emergency_credit_bureau_incident_transfer_1114'),
];
