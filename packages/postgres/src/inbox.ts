import {
  alreadyTerminal,
  type InboxMessage,
  type OpenWait,
  type Posted,
  runDamaged,
  runNotFound,
  type StoredMessage,
} from 'flyball/adapters/engine-kit';
import { checksumOf } from './checksum.js';
import type { Desk } from './desk.js';
import type { Row } from './driver.js';
import { isOver, TERMINAL } from './rows.js';
import { name, restored, stored } from './text.js';

/** Messages for runs, from any process. */
export class Inbox {
  private readonly desk: Desk;
  private readonly s: string;

  constructor(desk: Desk, schema: string) {
    this.desk = desk;
    this.s = schema;
  }

  /**
   * Under the lock of the run's row, so that of two answers one is accepted, and numbers rise with what is visible. What
   * wakes a paused run is 2, which a later pause takes back, or 3 for a cancellation, which nothing takes back.
   */
  async post(runId: string, message: InboxMessage): Promise<Posted> {
    const { s } = this;
    const body = stored(message.body);
    const askers = message.askers === undefined ? null : JSON.stringify(message.askers);
    let wasTried = false;
    const results = await this.desk.change(runId, (attempt) => {
      wasTried = attempt > 0;
      return [
        { name: 'lock', text: `SELECT 1 FROM ${s}.runs WHERE id = $1 FOR NO KEY UPDATE`, values: [name(runId)] },
        {
          name: 'post',
          text: `WITH run AS (SELECT id, status FROM ${s}.runs WHERE id = $1),
            dup AS (SELECT number FROM ${s}.inbox WHERE run = $1 AND id = $2),
            closed AS (SELECT 1 AS is FROM run WHERE $3 = 'answer' AND NOT EXISTS (SELECT 1 FROM ${s}.waits WHERE run = $1 AND token = $4)),
            answered AS (SELECT 1 AS is FROM ${s}.inbox WHERE $3 = 'answer' AND run = $1 AND NOT taken AND kind = 'answer' AND name = $4 LIMIT 1),
            up AS (UPDATE ${s}.runs SET posted = posted + 1, untaken = untaken + 1, updated_at = $6::float8,
                signalled = CASE WHEN $3 = 'cancel' OR signalled = 3 THEN 3 WHEN $3 = 'resume' THEN 2
                  WHEN $3 = 'pause' THEN 1 ELSE greatest(signalled, 1) END
              WHERE id = $1 AND status NOT IN ${TERMINAL} AND NOT EXISTS (SELECT 1 FROM dup)
                AND NOT EXISTS (SELECT 1 FROM closed) AND NOT EXISTS (SELECT 1 FROM answered) RETURNING posted),
            ins AS (INSERT INTO ${s}.inbox (run, number, id, kind, name, sender, at, body, checksum, askers)
              SELECT $1, posted, $2, $3, $4, $5, $6::float8, $7, $8, $9::text FROM up)
            SELECT run.id, run.status, EXISTS (SELECT 1 FROM dup) AS dup, EXISTS (SELECT 1 FROM closed) AS closed,
              EXISTS (SELECT 1 FROM answered) AS answered FROM run`,
          values: [
            runId,
            name(message.id),
            message.kind,
            name(message.name),
            name(message.from),
            message.at,
            body,
            checksumOf(runId, message.id, message.kind, message.name, message.from, message.at, body, askers),
            askers,
          ],
        },
      ];
    });
    const row = results[1]?.[0];
    if (row === undefined) throw runNotFound(runId);
    if (row['dup'] === true) return wasTried ? 'accepted' : 'duplicate'; // the first answer was lost
    if (isOver(row)) throw alreadyTerminal(row as { id: string; status: string });
    if (row['closed'] === true) return 'closed';
    return row['answered'] === true ? 'answered' : 'accepted';
  }

  async open(runId: string): Promise<readonly OpenWait[]> {
    const rows = await this.desk.rows({
      name: 'waits',
      text: `SELECT token, gen, seq, asked, since FROM ${this.s}.waits WHERE run = $1 ORDER BY n`,
      values: [name(runId)],
    });
    return rows.map((row) => ({
      token: row['token'] as string,
      generation: row['gen'] as number,
      seq: row['seq'] as number,
      asked: row['asked'] as boolean,
      since: row['since'] as number,
    }));
  }

  async after(runId: string, number: number): Promise<readonly StoredMessage[]> {
    const rows = await this.desk.rows({
      name: 'inbox',
      text: `SELECT number, id, kind, name, sender, askers, at, body, checksum FROM ${this.s}.inbox
        WHERE run = $1 AND NOT taken AND number > $2 ORDER BY number`,
      values: [name(runId), number],
    });
    return rows.map((row) => messageOf(runId, row));
  }
}

/** Throws JOURNAL_CORRUPT for a message that is not what was posted. */
function messageOf(runId: string, row: Row): StoredMessage {
  const number = row['number'] as number;
  const parts = ['id', 'kind', 'name', 'sender', 'at', 'body', 'askers'].map(
    (column) => row[column] as string | number | null,
  );
  if (checksumOf(runId, ...parts) !== row['checksum'])
    throw runDamaged(runId, `Message ${number}`, { message: number });
  return {
    number,
    id: row['id'] as string,
    kind: row['kind'] as InboxMessage['kind'],
    name: row['name'] as string,
    from: row['sender'] as string,
    ...(row['askers'] === null ? {} : { askers: JSON.parse(row['askers'] as string) as readonly string[] }),
    at: row['at'] as number,
    body: restored(row['body'] as string),
  };
}
