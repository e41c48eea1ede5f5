import { alreadyTerminal } from '../../core/engine-errors.js';
import type { InboxMessage, OpenWait, Posted, StoredMessage } from '../../ports/engine.js';
import type { Database } from './database.js';
import { content, integer, storedText, text } from './row.js';
import { isOver, recordOf } from './run-rows.js';
import type { Runs } from './runs.js';
import type { TailGuard } from './tail-guard.js';

/** Messages for runs, from any process. The row of the run remembers that one came, so a worker finds it by index. */
export class Inbox {
  private readonly database: Database;
  private readonly guard: TailGuard;
  private readonly runs: Runs;

  constructor(database: Database, guard: TailGuard, runs: Runs) {
    this.database = database;
    this.guard = guard;
    this.runs = runs;
  }

  post(runId: string, message: InboxMessage): Posted {
    const run = this.runs.known(runId);
    const n = integer(run, 'n');
    // before the check below: whoever repeats a delivery learns that it arrived, also when the run has ended since
    if (this.database.get('SELECT 1 FROM inbox WHERE run = ? AND id = ?', n, message.id) !== undefined)
      return 'duplicate';
    if (isOver(run)) throw alreadyTerminal(recordOf(run));
    const refused = message.kind === 'answer' ? this.refusal(n, message.name) : undefined;
    if (refused !== undefined) return refused;
    const { lastInsertRowid } = this.database.run(
      'INSERT INTO inbox (run, id, kind, name, sender, at, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
      n,
      message.id,
      message.kind,
      message.name,
      message.from,
      message.at,
      storedText(message.body),
    );
    this.guard.note('inbox', lastInsertRowid);
    this.database.run(
      'UPDATE runs SET signalled = ?, updated_at = ? WHERE n = ?',
      signalledBy(message.kind, integer(run, 'signalled')),
      message.at,
      n,
    );
    return 'accepted';
  }

  open(runId: string): readonly OpenWait[] {
    const rows = this.database.all(
      'SELECT token, gen, seq FROM waits WHERE run = (SELECT n FROM runs WHERE id = ?) ORDER BY n',
      runId,
    );
    return rows.map((row) => ({
      token: text(row, 'token'),
      generation: integer(row, 'gen'),
      seq: integer(row, 'seq'),
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
    const rows = this.database.all(
      `SELECT n, id, kind, name, sender, at, body FROM inbox
       WHERE run = (SELECT n FROM runs WHERE id = ?) AND taken = 0 AND n > ? ORDER BY n`,
      runId,
      number,
    );
    return rows.map((row) => ({
      number: integer(row, 'n'),
      id: text(row, 'id'),
      kind: text(row, 'kind') as InboxMessage['kind'],
      name: text(row, 'name'),
      from: text(row, 'sender'),
      at: integer(row, 'at'),
      body: content(row, 'body'),
    }));
  }
}

/** 2 also wakes a paused run. A later pause takes that back: the run is to rest until the next resume. */
function signalledBy(kind: InboxMessage['kind'], before: number): number {
  if (kind === 'resume' || kind === 'cancel') return 2;
  return kind === 'pause' ? 1 : Math.max(before, 1);
}
