import type { PyValue } from '../../tau2/python/value.js';
import type { Fields, Row, Tables } from '../../world/database.js';
import type { Database } from '../../world/environment.js';

/** The day on which everything happens. */
export const TODAY = '2026-03-10';
/** The moment, as the clock at the desk shows it. */
export const NOW = '2026-03-10 10:15:00 GMT';

export const TABLES = [
  'customers',
  'accounts',
  'supply_points',
  'meters',
  'meter_displays',
  'meter_readings',
  'tariffs',
  'contracts',
  'bills',
  'direct_debits',
  'direct_debit_mandates',
  'payments',
  'refunds',
  'account_credits',
  'complaints',
  'appointments',
  'priority_services',
  'outages',
  'debt_plans',
  'prepayment_support',
  'referrals',
  'moves',
  'meter_photos',
  'refused_requests',
  'human_transfers',
  'human_transfer_requests',
  'verification_history',
  'audit_trail',
  'agent_discoverable_tools',
  'user_discoverable_tools',
  'user_discoverable_tool_calls',
] as const;

export type TableName = (typeof TABLES)[number];

/** What a tool says instead of doing what was asked. Whatever it had changed until then is taken back. */
export class Refused extends Error {}

/** The world of one simulation: the records, which both sides share, and what the agent has unlocked. */
export class Desk implements Database {
  /** Replaced as a whole where a refused call is taken back. */
  tables: Tables;
  /** In memory only: unlocking a tool that is not used leaves no trace. */
  readonly unlocked = new Set<string>();
  /** Reads whose calls are logged, because the task's gold path makes them. */
  readonly loggedReads: ReadonlySet<string>;

  constructor(tables: Tables, loggedReads: ReadonlySet<string>) {
    this.tables = tables;
    this.loggedReads = loggedReads;
  }

  merge(patch: PyValue): void {
    this.tables.merge(patch);
  }

  hash(): string {
    return this.tables.hash();
  }

  /** Does all of it or, where it is refused, nothing. */
  attempt<T>(change: () => T): T | Refused {
    const before = this.tables.copy();
    try {
      return change();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.tables = before;
      return error;
    }
  }

  find(table: TableName, id: string): Row | undefined {
    return this.tables.get(table, id);
  }

  /** The record, or a refusal that names what is missing. */
  get(table: TableName, id: string): Row {
    const row = this.find(table, id);
    if (row === undefined) throw new Refused(`there is no record '${id}' in ${table}.`);
    return row;
  }

  /** Records whose fields have these values, with their ids, in order of insertion. */
  where(table: TableName, fields: Readonly<Record<string, PyValue>>): [id: string, row: Row][] {
    return this.tables.query(table, new Map(Object.entries(fields)));
  }

  add(table: TableName, id: string, record: Fields): void {
    if (!this.tables.add(table, id, record)) throw new Refused(`the record '${id}' exists already.`);
  }

  set(table: TableName, id: string, fields: Fields): void {
    this.tables.update(table, id, fields);
  }
}

/** A field that the data always hold as text. */
export function text(row: Row, field: string): string {
  const value = row.get(field);
  if (typeof value === 'string') return value;
  throw new Refused(`the record has no ${field}.`);
}

/** A field that the data always hold as a whole number. */
export function whole(row: Row, field: string): number {
  const value = row.get(field);
  if (typeof value === 'bigint') return Number(value);
  throw new Refused(`the record has no ${field}.`);
}
