import type { Settings } from './options.js';

const DATABASE_NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::float8';

/** The clock that all owners share. Expressions take the parameter that holds the caller's time, which is used as well. */
export interface LeaseClock {
  /** What time it is. */
  now(caller: string): string;
  /** The end of a lease that begins now. */
  until(caller: string, leaseMs: string): string;
  /** A time of this clock in the caller's time. */
  inCallersTime(column: string, caller: string): string;
}

export function leaseClock({ leaseClock: whose }: Pick<Settings, 'leaseClock'>): LeaseClock {
  if (whose === 'caller')
    return {
      now: (caller) => caller,
      until: (caller, leaseMs) => `${caller} + ${leaseMs}`,
      inCallersTime: (column) => column,
    };
  // the caller's time counts for nothing, but a parameter that is given has to be used
  const now = (caller: string) => `(${DATABASE_NOW} + 0 * ${caller})`;
  return {
    now,
    until: (caller, leaseMs) => `${now(caller)} + ${leaseMs}`,
    inCallersTime: (column, caller) => `${column} - ${DATABASE_NOW} + ${caller}`,
  };
}
