import type { Claim } from '../../ports/engine.js';
import type { Database } from './database.js';
import type { Tip } from './entry-chain.js';
import { asNumbers, integer } from './row.js';

/**
 * Which claims are current. Asking the table for every entry would cost a third of the insert itself, so the answer is
 * remembered from commit to commit, and forgotten as soon as it could be wrong:
 * 1. another connection has committed (SQLite counts that) before this transaction took its lock;
 * 2. this connection claims or releases the run;
 * 3. a transaction is rolled back.
 * It holds no more than the runs this process is writing.
 */
export class Fences {
  private readonly known = new Map<string, Held>();
  private readonly database: Database;
  private seen = -1;

  constructor(database: Database) {
    this.database = database;
  }

  /** A transaction has taken its lock: from here on nobody else moves a fence. */
  begun(): void {
    const row = this.database.get('PRAGMA data_version');
    const version = row === undefined ? -1 : integer(row, 'data_version');
    if (version !== this.seen) this.known.clear();
    this.seen = version;
  }

  rolledBack(): void {
    this.known.clear();
  }

  forget(runId: string): void {
    this.known.delete(runId);
  }

  /** What is known of the run while this claim holds, or undefined when the claim is stale. */
  held({ runId, fence }: Pick<Claim, 'runId' | 'fence'>): Held | undefined {
    const known = this.known.get(runId);
    if (known !== undefined) return known.fence === fence ? known : undefined;
    const row = this.database.get(HELD, runId, fence);
    if (row === undefined) return undefined;
    const held: Held = {
      fence,
      run: integer(row, 'n'),
      tenant: integer(row, 'tenant'),
      tip: undefined,
      crashes: integer(row, 'crashes'),
    };
    this.known.set(runId, held);
    return held;
  }
}

const HELD = `SELECT ${asNumbers('runs.n', 'runs.crashes')}, CAST(ifnull(tenants.n, 0) AS REAL) AS tenant
  FROM runs LEFT JOIN tenants ON tenants.name = runs.tenant WHERE runs.id = ? AND runs.fence = ?`;

export interface Held {
  readonly fence: number;
  /** The number of the run. */
  readonly run: number;
  /** The number of its tenant. */
  readonly tenant: number;
  /** Reset with the first progress under this claim. */
  crashes: number;
  /** The entry written last under this claim. */
  tip: Tip | undefined;
}
