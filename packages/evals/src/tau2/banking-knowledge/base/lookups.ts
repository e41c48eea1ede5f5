import { str } from '../../python/text.js';
import type { PyValue } from '../../python/value.js';
import { type Bank, nowText, type TableName } from '../bank.js';
import { type BankTool, bankTool } from '../bank-tool.js';

/**
 * Records whose field has that value. The value is pasted into the filter as it came, as the reference does it: a quote
 * in it makes bad JSON or a further filter, and what the agent then sees is part of the benchmark.
 */
export function recordsWhere(bank: Bank, table: TableName, field: string, value: PyValue): string {
  return bank.list(table, `{"${field}": "${str(value)}"}`);
}

/** Whether a listing names records. One that failed does: the reference looks only for the words of an empty one. */
export function isFound(listing: string): boolean {
  return !listing.includes('No records found') && !listing.includes('No results found');
}

/** The history that a tool was asked for. */
export function history(tool: string, about: string, records: string, none: string): string {
  return `${tool}: ${about}\n${isFound(records) ? records : none}`;
}

function lookup<const P extends string>(name: string, parameter: P, table: TableName, field: string): BankTool {
  return bankTool(name, [parameter], (bank, args) => recordsWhere(bank, table, field, args[parameter]));
}

export const lookups: readonly BankTool[] = [
  bankTool('get_current_time', [], () => `It is now ${nowText}.`),
  lookup('get_user_information_by_id', 'user_id', 'users', 'user_id'),
  lookup('get_user_information_by_name', 'customer_name', 'users', 'name'),
  lookup('get_user_information_by_email', 'email', 'users', 'email'),
  lookup('get_referrals_by_user', 'user_id', 'referrals', 'referrer_id'),
  lookup('get_credit_card_transactions_by_user', 'user_id', 'credit_card_transaction_history', 'user_id'),
  lookup('get_credit_card_accounts_by_user', 'user_id', 'credit_card_accounts', 'user_id'),
  bankTool(
    'list_discoverable_agent_tools',
    [],
    (bank) => `Tools you have called so far:\n${bank.list('agent_discoverable_tools', '{}')}`,
  ),
];
