import type { ToolRef } from 'flyball';
import { bankingGate } from '../../packages/evals/src/tau2/policies/banking-gate.js';
import type { GateRules } from '../../packages/flyball/src/agents/policies/gate-rules.js';
import { offered } from './stage-policies.js';

/** A bank with two customers, made small: what it was asked to do is kept, so that a test sees what got through. */
export const ANN = {
  name: 'Ann Lee',
  user_id: 'a1',
  address: '12 Oak Street, Leeds, LS1 4AB',
  email: 'ann@lee.org',
  phone_number: '617-555-0834',
  date_of_birth: '04/17/1979',
};
export const BOB = { ...ANN, name: 'Bob Day', user_id: 'b2', email: 'bob@day.org', phone_number: '617-555-0199' };
export const LOGGED = { ...ANN, time_verified: '2025-11-14 03:40:00 EST' };

/** Words of Ann's that state two fields. */
export const STATED = 'I am Ann Lee, born April 17, 1979, phone (617) 555 0834. Change my email.';

export function listing(...people: readonly Readonly<Record<string, string>>[]): string {
  const lines = people.flatMap((one, at) => [
    `${at + 1}. Record ID: ${one['user_id']}`,
    ...Object.entries(one).map(([field, value]) => `   ${field}: ${value}`),
    '',
  ]);
  return [`Found ${people.length} record(s) in 'users':\n`, ...lines].join('\n');
}

export interface Did {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface SmallBank {
  readonly tools: readonly ToolRef[];
  readonly did: Did[];
}

export function smallBank(): SmallBank {
  const did: Did[] = [];
  const tool = (name: string, answer: (args: Record<string, unknown>) => string): ToolRef =>
    offered(name, (args) => {
      did.push({ tool: name, args });
      return answer(args);
    });
  const tools = [
    tool('KB_search', () => '1. Closing accounts\n   Content: use close_bank_account_7392 for it.'),
    tool('transfer_to_human_agents', () => 'Transfer successful'),
    tool('get_current_time', () => 'The current time is 2025-11-14 03:40:00 EST.'),
    tool('get_user_information_by_id', ({ user_id: id }) => {
      const found = [ANN, BOB].filter(({ user_id }) => user_id === id);
      return found.length === 0 ? "No records found in 'users'." : listing(...found);
    }),
    tool('change_user_email', () => 'Email changed.'),
    tool('log_verification', () => 'Verification logged.'),
    tool('unlock_discoverable_agent_tool', () => 'Unlocked.'),
    tool('call_discoverable_agent_tool', () => 'Done.'),
    tool('give_discoverable_user_tool', () => 'Given.'),
  ];
  return { tools, did };
}

export const gate: GateRules = bankingGate;
