import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import type { SeededRandom } from 'flyball/testing';
import { type Database, storedBytes } from '../../packages/flyball/src/adapters/engine-sqlite/database.js';
import { openDatabase } from '../../packages/flyball/src/adapters/engine-sqlite/driver.js';
import type { Engine } from '../../packages/flyball/src/ports/engine.js';
import type { Damage } from './plan.js';

/** No timer of the real engine goes off while a simulation runs: what is written here is told at once. */
const NEVER_MS = 2 ** 31 - 1;
/** In memory, where there is such a thing: nobody cuts the power of a simulation. */
const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** What decides how a run goes on, in its own row. Its id is how the others ask for it. */
const COLUMNS = ['agent', 'version', 'tenant', 'subject', 'status', 'waiting'] as const;

/** A storage that keeps bytes, so that they can rot: a real SQLite file, written by the real engine. */
export class Disk {
  readonly engine: Engine;
  private readonly folder: string;
  private readonly closeFile: () => Promise<void>;
  /** Writes past everything that would notice, as a failing disk does. */
  private readonly head: Database;

  private constructor(folder: string, engine: Engine, head: Database) {
    this.folder = folder;
    this.engine = inTurn(engine);
    this.closeFile = () => engine.close();
    this.head = head;
  }

  static async open(): Promise<Disk> {
    const folder = mkdtempSync(join(ROOT, 'flyball-disk-'));
    const path = join(folder, 'runs.db');
    const engine = await sqliteEngine({ path, pollMs: NEVER_MS });
    return new Disk(folder, engine, await openDatabase(path, engine.driver));
  }

  /** Damages an entry of this generation, or the row of the run itself. Answers what it was, if there was anything. */
  damage(runId: string, generation: number, { where, how }: Damage, random: SeededRandom): string | undefined {
    const [table, column, row] =
      where === 'record'
        ? (['runs', random.pick(COLUMNS), this.head.get('SELECT n FROM runs WHERE id = ?', runId)?.['n']] as const)
        : (['events', 'body', this.entryOf(runId, generation, random)] as const);
    if (typeof row !== 'number') return undefined;
    const key = table === 'runs' ? 'n' : 'pos';
    const found = this.head.get(`SELECT CAST(${column} AS BLOB) AS bytes FROM ${table} WHERE ${key} = ?`, row);
    const bytes = storedBytes(found?.['bytes']);
    if (bytes === undefined || bytes.length === 0) return undefined;
    const at = random.int(bytes.length);
    const was = bytes[at] ?? 0;
    // a copy: a driver may hand out memory of its own
    const damaged = Buffer.from(bytes).fill(how === 'bit' ? was ^ (1 << random.int(8)) : 0xff, at, at + 1);
    this.head.run(`UPDATE ${table} SET ${column} = CAST(? AS TEXT) WHERE ${key} = ?`, damaged, row);
    return `byte ${at} of ${table}.${column} ${row}`;
  }

  private entryOf(runId: string, generation: number, random: SeededRandom): unknown {
    const rows = this.head.all(
      `SELECT pos FROM events WHERE run = (SELECT n FROM runs WHERE id = ?) AND gen = ? AND typeof(body) = 'text'
       ORDER BY pos`,
      runId,
      generation,
    );
    return rows.length === 0 ? undefined : random.pick(rows)['pos'];
  }

  async close(): Promise<void> {
    await this.closeFile();
    this.head.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const WRITES: ReadonlySet<string> = new Set([
  'create',
  'claim',
  'append',
  'renew',
  'release',
  'requeue',
  'post',
  'announce',
  'declareGone',
]);

/**
 * One write after the other, each in a commit of its own: whoever looks at what was accepted hears of it in the order in
 * which it was made.
 */
function inTurn(engine: Engine): Engine {
  let last: Promise<unknown> = Promise.resolve();
  const queued =
    (write: (...given: unknown[]) => Promise<unknown>) =>
    (...given: unknown[]): Promise<unknown> => {
      const done = last.then(() => write(...given));
      last = done.catch(() => undefined); // whoever asked for it hears of it
      return done;
    };
  const methods = Object.entries(engine).map(([name, value]) => [
    name,
    WRITES.has(name) ? queued(value as never) : value,
  ]);
  return Object.fromEntries(methods) as Engine;
}
