import { alreadyTerminal } from '../../core/engine-errors.js';
import type { InboxMessage, OpenWait, Posted, StoredMessage } from '../../ports/engine.js';
import type { Database } from './database.js';
import { askersText, messageChecksum, messageOf, WAITING } from './inbox-rows.js';
import { asBytes, asNumbers, integer, storedText, text } from './row.js';
import { isOver, RunRows, recordOf } from './run-rows.js';
import type { TailGuard } from './tail-guard.js';

/** Messages for runs, from any process. The row of the run remembers that one came, so a worker finds it by index. */
export class Inbox {
  private readonly database: Database;
  private readonly guard: TailGuard;
  private readonly rows: RunRows;

  constructor(database: Database, guard: TailGuard) {
    this.database = database;
    this.guard = guard;
    this.rows = new RunRows(database);
  }

  post(runId: string, message: InboxMessage): Posted {
    const run = this.rows.known(runId);
    const n = integer(run, 'n');
    // before the check below: whoever repeats a delivery learns that it arrived, also when the run has ended since
    if (this.database.get('SELECT 1 FROM inbox WHERE run = ? AND id = ?', n, message.id) !== undefined)
      return 'duplicate';
    if (isOver(run)) throw alreadyTerminal(recordOf(run));
    const refused = message.kind === 'answer' ? this.refusal(n, message.name) : undefined;
    if (refused !== undefined) return refused;
    const body = storedText(message.body);
    const { lastInsertRowid } = this.database.run(
      'INSERT INTO inbox (run, id, kind, name, sender, askers, at, body, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      n,
      message.id,
      message.kind,
      message.name,
      message.from,
      askersText(message.askers),
      message.at,
      body,
      messageChecksum(runId, message, { body, taken: 0 }),
    );
    this.guard.note('inbox', lastInsertRowid);
    const signalled = signalledBy(message.kind, integer(run, 'signalled'));
    this.rows.change(n, () =>
      this.database.run('UPDATE runs SET signalled = ?, updated_at = ? WHERE n = ?', signalled, message.at, n),
    );
    return 'accepted';
  }

  open(runId: string): readonly OpenWait[] {
    const rows = this.database.all(
      `SELECT ${asBytes('token')}, ${asNumbers('gen', 'seq', 'asked', 'since')} FROM waits
       WHERE run = (SELECT n FROM runs WHERE id = ?) ORDER BY waits.n`,
      runId,
    );
    return rows.map((row) => ({
      token: text(row, 'token'),
      generation: integer(row, 'gen'),
      seq: integer(row, 'seq'),
      asked: integer(row, 'asked') === 1,
      since: integer(row, 'since'),
    }));
  }

  /** Why an answer comes too late. Asked in the transaction that would store it. */
  private refusal(run: number, token: string): 'answered' | 'closed' | undefined {
    const { database } = this;
    if (database.get('SELECT 1 FROM waits WHERE run = ? AND token = ?', run, token) === undefined) return 'closed';
    const answer = "SELECT 1 FROM inbox WHERE run = ? AND taken = 0 AND kind = 'answer' AND name = ?";
    return database.get(answer, run, token) === undefined ? undefined : 'answered';
  }

  after(runId: string, number: number): readonly StoredMessage[] {
    const run = this.rows.numberOf(runId);
    return run === undefined ? [] : this.database.all(WAITING, run, number).map((row) => messageOf(runId, row));
  }
}

/**
 * 2 and 3 also wake a paused run. A later pause takes a resume (2) back: the run is to rest until the next one. Nothing
 * takes a cancellation (3) back.
 */
function signalledBy(kind: InboxMessage['kind'], before: number): number {
  if (kind === 'cancel' || before === 3) return 3;
  if (kind === 'resume') return 2;
  return kind === 'pause' ? 1 : Math.max(before, 1);
}
