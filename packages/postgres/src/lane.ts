import { type Batch, linkDangling, positionTaken, staleClaim } from 'flyball/adapters/engine-kit';
import { outOfOrder } from 'flyball/internal';
import type { Identity } from './checks.js';
import type { Connection, Rows } from './connection.js';
import { patiently } from './desk.js';
import type { Statement } from './driver.js';
import {
  emptyColumn,
  isLost,
  isPanic,
  isTransient,
  isUniqueViolation,
  LinkError,
  servingError,
  uncertain,
} from './errors.js';
import type { Settings } from './options.js';
import { Recheck } from './recheck.js';
import { batchOf, bytesOf, type Of, runOf, type Work } from './works.js';
import { appends, creates, releases } from './write-statements.js';

const MOST_WORKS = 512;
const MOST_BYTES = 8_000_000;

/**
 * Group commit: everything asked for while the commit before was on its way, by any run of this lane, is one transaction.
 *
 * 1. A promise resolves only after the server has confirmed the commit that holds its work.
 * 2. Of one run a group holds one work, so that no row is changed twice by statements that do not see each other.
 * 3. What spoils a group is found by doing its members one by one; the others are not affected.
 * 4. A connection that is lost after sending leaves works in doubt. Each is made again by itself: it is made once, because
 *    a fence, a place in the journal or a ticket tells that it was made before.
 */
export class Lane {
  private queue: Work[] = [];
  private running: Promise<void> | undefined;
  private isClosed = false;
  private readonly connection: Connection;
  private readonly settings: Settings;
  private readonly identity: Identity;
  private readonly recheck: Recheck;

  constructor(connection: Connection, settings: Settings, identity: Identity) {
    this.connection = connection;
    this.settings = settings;
    this.identity = identity;
    this.recheck = new Recheck(connection, settings);
  }

  submit(work: Work): void {
    if (this.isClosed) return work.reject(servingError(new LinkError('CLOSED', 'the engine is closed; open it again')));
    this.queue.push(work);
    this.running ??= this.work();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    while (this.running !== undefined) await this.running;
    await this.connection.close();
  }

  private async work(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve)); // all of this turn goes together
    while (this.queue.length > 0) await this.commit(this.next());
    this.running = undefined;
  }

  private next(): readonly Work[] {
    const group: Work[] = [];
    const left: Work[] = [];
    const runs = new Set<string>();
    let bytes = 0;
    for (const work of this.queue) {
      const fits = !runs.has(runOf(work)) && group.length < MOST_WORKS && bytes < MOST_BYTES;
      runs.add(runOf(work)); // later ones of the same run stay behind it
      (fits ? group : left).push(work);
      if (fits) bytes += bytesOf(work);
    }
    this.queue = left;
    return group;
  }

  private async commit(group: readonly Work[]): Promise<void> {
    try {
      await this.attempt(group);
    } catch (error) {
      if (group.length > 1) for (const work of group) await this.commit([work]);
      else if (group[0] !== undefined) await this.alone(group[0], error);
    }
  }

  /** Makes a work by itself until it is made, refused, or nobody can say. */
  private async alone(work: Work, cause: unknown): Promise<void> {
    try {
      let last: unknown = cause;
      await patiently(async () => {
        const error = last;
        last = undefined;
        if (error === undefined) return this.attempt([work]);
        throw error;
      }, this.settings);
    } catch (error) {
      const why = isPanic(cause) && isLost(error) ? cause : error; // that nobody answers any more says less
      await this.refuse(work, why).catch((second: unknown) => work.reject(unmade(work, second)));
    }
  }

  private async attempt(group: readonly Work[]): Promise<void> {
    const created = group.filter((work): work is Of<'create'> => work.kind === 'create');
    const appended = group.filter((work): work is Of<'append'> => work.kind === 'append');
    const released = group.filter((work): work is Of<'release'> => work.kind === 'release');
    const { schema } = this.settings;
    const results = await this.send(group, [
      ...(created.length > 0 ? [creates(schema, created, this.identity)] : []),
      ...(appended.length > 0 ? [appends(schema, appended)] : []),
      ...(released.length > 0 ? [releases(schema, released)] : []),
    ]);
    const rows = [...results];
    const isMade = created.length > 0 ? numbersIn(rows.shift()) : none;
    for (const [index, work] of created.entries()) {
      if (isMade(index + 1)) work.resolve();
      else await this.settleCreate(work);
    }
    const isHeld = appended.length > 0 ? numbersIn(rows.shift()) : none;
    for (const [index, work] of appended.entries())
      if (isHeld(index + 1)) work.resolve();
      else work.reject(work.doubt === true ? uncertain(runOf(work), staleClaim(work.claim)) : staleClaim(work.claim));
    for (const work of released) work.resolve();
  }

  private async send(group: readonly Work[], statements: readonly Statement[]): Promise<readonly Rows[]> {
    let isSent = false;
    try {
      return await this.connection.run(statements, () => {
        isSent = true;
      });
    } catch (error) {
      if (isSent && isLost(error)) for (const work of group) work.doubt = true;
      throw error;
    }
  }

  private async settleCreate(work: Of<'create'>): Promise<void> {
    if (work.doubt === true && (await this.recheck.isCreated(work))) work.resolve();
    else work.reject(await this.recheck.createRefused(work));
  }

  /** What an error of one work means. */
  private async refuse(work: Work, error: unknown): Promise<void> {
    const batch = batchOf(work);
    if (isLost(error) || isTransient(error)) return work.reject(unmade(work, error));
    if (isUniqueViolation(error) && batch !== undefined) {
      if (work.kind === 'append' && (await this.recheck.isWritten(work))) return work.resolve();
      return work.reject(positionTaken(runOf(work), misplacedIn(batch)));
    }
    const empty = emptyColumn(error);
    if (empty === 'body' && batch !== undefined)
      return work.reject(positionTaken(runOf(work), misplacedIn(batch), 'does not follow the one before it'));
    if (empty === 'whole') return work.reject(linkDangling((await this.recheck.dangling(work)) ?? ''));
    work.reject(unmade(work, error));
  }
}

/**
 * Once its answer was lost, whether it was made is not known, whatever the next attempt was told: the first one may still
 * wait for its commit, and hold the locks that the next one asks for.
 */
function unmade(work: Work, error: unknown): Error {
  return work.doubt === true ? uncertain(runOf(work), error) : servingError(error);
}

/** The one that does not follow on the others of its batch, or else the first, which does not follow on the journal. */
function misplacedIn({ entries }: Batch): { readonly generation: number; readonly seq: number } {
  return outOfOrder(entries) ?? entries[0] ?? { generation: 0, seq: 0 };
}

function numbersIn(rows: Rows = []): (n: number) => boolean {
  const numbers = new Set(rows.map((row) => row['i']));
  return (n) => numbers.has(n);
}

function none(): boolean {
  return false;
}
