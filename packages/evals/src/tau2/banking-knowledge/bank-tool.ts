import type { PyValue } from '../python/value.js';
import type { Bank } from './bank.js';

/**
 * What one of the bank's tools does. Its type, whether it changes state, the defaults and all texts that a model sees
 * are data (`tools.json`); the code knows only the names of its parameters, in order, and what happens.
 */
export interface BankTool {
  readonly name: string;
  readonly parameters: readonly string[];
  /**
   * Every parameter is bound: a call that misses one never gets here. `announced` is the result as the data describe it.
   * Throws `PyError` where the reference raises.
   */
  run(bank: Bank, args: Readonly<Record<string, PyValue>>, announced: string): string;
}

export function bankTool<const P extends string>(
  name: string,
  parameters: readonly P[],
  run: (bank: Bank, args: Readonly<Record<P, PyValue>>, announced: string) => string,
): BankTool {
  return { name, parameters, run };
}
