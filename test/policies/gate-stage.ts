import type { ToolCall } from 'flyball';
import { bankingGate } from '../../packages/evals/src/tau2/policies/banking-gate.js';
import { judge } from '../../packages/flyball/src/agents/policies/gate.js';
import { Witness } from '../../packages/flyball/src/agents/policies/witness.js';

export const ANN = {
  name: 'Ann Lee',
  user_id: 'a1',
  address: '12 Oak Street, Leeds',
  email: 'ann@lee.org',
  phone_number: '617-555-0834',
  date_of_birth: '04/17/1979',
};
export const LOGGED = { ...ANN, time_verified: 'now' };
const lines = Object.entries(ANN).map(([field, value]) => `   ${field}: ${value}`);
export const FOUND = `Found 1 record(s) in 'users':\n\n1. Record ID: a1\n${lines.join('\n')}\n`;
export const SAID = 'Born 04/17/1979, phone 617-555-0834.';

let ids = 0;
export function call(name: string, args: unknown = {}): ToolCall {
  return { id: `c${++ids}`, name, arguments: typeof args === 'string' ? args : JSON.stringify(args) };
}
export const inner = (tool: string, args: unknown = {}): ToolCall =>
  call('call_discoverable_agent_tool', {
    agent_tool_name: tool,
    arguments: typeof args === 'string' ? args : JSON.stringify(args),
  });

export type Past = string | readonly [ToolCall, string, boolean?];

/** A conversation so far: words of the customer, and calls with their answers. */
export function having(...steps: readonly Past[]): Witness {
  const witness = new Witness(bankingGate, ['Use close_bank_account_7392 to close.']);
  for (const step of steps) {
    if (typeof step === 'string') {
      witness.hears({ kind: 'words', text: step });
      continue;
    }
    const [made, content, failed = false] = step;
    witness.expects([made]);
    witness.hears({ kind: 'results', results: [{ id: made.id, name: made.name, content, failed }] });
  }
  return witness;
}

export const look = (): readonly [ToolCall, string] => [call('get_user_information_by_id', { user_id: 'a1' }), FOUND];
export const log = (): readonly [ToolCall, string] => [call('log_verification', LOGGED), 'logged'];
export const listing = (table: string, field: string, id: string): string =>
  `Found 1 record(s) in '${table}':\n\n1. Record ID: ${id}\n   ${field}: ${id}\n   user_id: a1\n`;
export const ACCOUNTS = `What user a1 has\nAt the bank:\n${listing('accounts', 'account_id', 'k1')}\nOn credit cards:\nNone.`;
/** What the customer has, as it was read. */
export const OWN = [
  [inner('get_all_user_accounts_by_user_id_3847', { user_id: 'a1' }), ACCOUNTS],
  [inner('get_debit_cards_by_account_id_7823', { account_id: 'k1' }), '[{"card_id": "d1", "account_id": "k1"}]'],
  [call('get_credit_card_accounts_by_user', { user_id: 'a1' }), listing('credit_card_accounts', 'account_id', 'cc1')],
  [
    call('get_credit_card_transactions_by_user', { user_id: 'a1' }),
    listing('credit_card_transaction_history', 'transaction_id', 't'),
  ],
] as const;
export const PROVEN = [SAID, look(), log()] as const;
export const VERIFIED = [...PROVEN, ...OWN] as const;
export const done = (tool: string, args: unknown = {}): readonly [ToolCall, string] => [inner(tool, args), 'ok'];
export const unlocked = (tool: string): readonly [ToolCall, string] => [
  call('unlock_discoverable_agent_tool', { agent_tool_name: tool }),
  'Unlocked.',
];
export const rule = (proposed: ToolCall, so: Witness): string | undefined => judge(bankingGate, proposed, so)?.rule;
export const CHANGE = call('change_user_email', { user_id: 'a1', new_email: 'x@y.z' });
