import { FlyballError } from 'flyball';
import { canonicalJson, nextOperation, type Operation, type StoredOperation } from 'flyball/adapters/engine-kit';
import type { Rows } from './connection.js';
import type { Desk } from './desk.js';
import type { Statement } from './driver.js';
import { restored, stored } from './text.js';

/** How often others may be quicker before somebody who records something gives up. */
const ROUNDS = 50;

/** What operators did, as a chain. Rows are only added. */
export class Operations {
  private readonly desk: Desk;
  private readonly s: string;

  constructor(desk: Desk, schema: string) {
    this.desk = desk;
    this.s = schema;
  }

  /**
   * Records an operation together with what it changes, which is told whether it came to that. Each holds the hash of the
   * one before: of two at a time the second finds its number taken, and is made again after the first.
   */
  async record(operation: Operation, changes: readonly Statement[]): Promise<readonly Rows[]> {
    for (let round = 0; ; round += 1) {
      const [last] = await this.read('ORDER BY n DESC LIMIT 1');
      const next = nextOperation(last, operation);
      try {
        const insert = {
          text: `INSERT INTO ${this.s}.operations (n, action, of, body) VALUES ($1, $2, $3, $4)`,
          values: [next.n, next.action, next.of, stored(canonicalJson(next))],
        };
        const isOfRun = next.action !== 'owner-gone';
        const [, ...results] = await this.desk.change(isOfRun ? next.of : undefined, () => [insert, ...changes]);
        return results;
      } catch (error) {
        const cause = (error as { readonly cause?: { readonly code?: string; readonly table?: string } }).cause;
        if (cause?.code !== '23505' || cause.table !== 'operations' || round === ROUNDS) throw error;
        if ((await this.all(next.of)).some(({ hash }) => hash === next.hash)) return []; // its own answer was lost
      }
    }
  }

  async all(of?: string): Promise<readonly StoredOperation[]> {
    return of === undefined ? this.read('ORDER BY n') : this.read('WHERE of = $1 ORDER BY n', of);
  }

  async goneOwners(): Promise<readonly string[]> {
    const rows = await this.desk.rows({
      name: 'gone-owners',
      text: `SELECT DISTINCT of FROM ${this.s}.operations WHERE action = 'owner-gone' ORDER BY of`,
    });
    return rows.map((row) => row['of'] as string);
  }

  private async read(where: string, ...values: readonly unknown[]): Promise<readonly StoredOperation[]> {
    const rows = await this.desk.rows({ text: `SELECT body FROM ${this.s}.operations ${where}`, values });
    return rows.map((row) => operationIn(row['body'] as string));
  }
}

function operationIn(body: string): StoredOperation {
  try {
    return JSON.parse(restored(body)) as StoredOperation;
  } catch (cause) {
    throw new FlyballError(
      'JOURNAL_CORRUPT',
      'An entry of the operations log is damaged: it is not what was written. Nothing was changed. Restore the database from a backup; runs are not affected.',
      { cause },
    );
  }
}
