import type { Row } from '../../world/table.js';
import type { PyDateTime } from '../python/dates.js';
import type { PyValue } from '../python/value.js';

/** The day on which everything happens, as the records write it. */
export const today = '11/14/2025';
/** The moment at which everything happens. */
export const now: PyDateTime = { year: 2025, month: 11, day: 14, hour: 3, minute: 40, second: 0 };
/** The same as the agent is told it. */
export const nowText = '2025-11-14 03:40:00 EST';

/** All tables, in the order in which the reference declares them. */
export const tableNames = [
  'users',
  'accounts',
  'debit_cards',
  'referrals',
  'credit_card_applications',
  'user_discoverable_tools',
  'user_discoverable_tool_calls',
  'verification_history',
  'credit_card_transaction_history',
  'cash_back_disputes',
  'bank_account_transaction_history',
  'credit_card_accounts',
  'agent_discoverable_tools',
  'task_config',
  'human_transfer_requests',
  'transaction_disputes',
  'credit_card_orders',
  'debit_card_orders',
  'credit_card_closure_reasons',
  'credit_card_account_flags',
  'credit_limit_increase_requests',
  'payment_history',
  'debit_card_disputes',
] as const;
export type TableName = (typeof tableNames)[number];

export type { Row };
export type Fields = Readonly<Record<string, PyValue>>;

/** The world of one simulation as its tools see it: agent and user share it. */
export interface Bank {
  /** The records of a table by id, in order of insertion. */
  records(table: TableName): ReadonlyMap<string, Row>;
  /** The record of that id. A list or dict as id is a TypeError, as it is no key. */
  find(table: TableName, id: PyValue): Row | undefined;
  /** False where the id is taken. */
  add(table: TableName, id: string, record: Fields): boolean;
  /** Adds a record or replaces the one of that id. */
  put(table: TableName, id: string, record: Fields): void;
  /** Sets fields of a record; false where there is no such record. */
  update(table: TableName, id: PyValue, fields: Fields): boolean;
  /** The records that match a filter given as JSON text, printed as the agent sees them. */
  list(table: TableName, filterJson: string): string;
  /** Agent tools whose parameters the agent has asked for. In memory only. */
  readonly unlocked: Set<string>;
  /** Reads whose calls are logged, because the task's gold path makes them. */
  readonly loggedReads: ReadonlySet<string>;
}
