import { type ErrorCode, FlyballError } from '../../core/errors.js';
import { type Database, rollBack } from './database.js';
import { retryDelayMs } from './patience.js';
import { isBusy, isConstraint, storageBusy, storageClosed, storageError } from './storage-errors.js';

/**
 * Everything asked for in one turn, by any run, is written in one transaction and confirmed by one sync.
 *
 * 1. A promise resolves only after the commit that holds its work is durable.
 * 2. Work that is refused is left out and the others are committed. Refusals with the codes below come before its first
 *    write; work that fails otherwise may have written, so all is rolled back and the others are done again without it.
 * 3. Work can therefore run more than once; it keeps no state outside the database.
 * 4. A lock held by another process is waited for between turns, never in the thread, and not for ever.
 */
export interface CommitHooks {
  /** Before and after commit number `n` of this engine. One that throws fails all work of the commit: a crash, for tests. */
  readonly beforeCommit?: (n: number) => void;
  readonly afterCommit?: (n: number) => void;
}

/** What has to keep step with the transactions. */
export interface Follower {
  /** The lock is taken; nothing is written yet. */
  begun?(): void;
  /** The commit is made. One that throws says that it does not count: nothing of it is confirmed. */
  written?(): void;
  committed?(): void;
  rolledBack(): void;
}

interface Work {
  /** Writes, and answers how to confirm it once it is durable. */
  readonly perform: () => () => void;
  readonly reject: (error: Error) => void;
  /** Says what it means for this work that it broke a constraint, or was refused a place: true that it was done before. */
  readonly onConstraint: ((cause: unknown) => Error | true) | undefined;
  readonly isDone: () => void;
}

export class GroupCommit {
  private waiting: Work[] = [];
  private scheduled = false;
  private isClosed = false;
  private commits = 0;
  private busySince: number | undefined;
  private busyRounds = 0;
  private readonly idle: (() => void)[] = [];
  private readonly database: Database;
  private readonly followers: readonly Follower[];
  private readonly options: { readonly path: string; readonly busyMs: number; readonly hooks: CommitHooks };

  constructor(database: Database, followers: readonly Follower[], options: GroupCommit['options']) {
    this.database = database;
    this.followers = followers;
    this.options = options;
  }

  submit<T>(write: () => T): Promise<T>;
  submit(write: () => void, onConstraint: (cause: unknown) => Error | true): Promise<void>;
  submit<T>(write: () => T, onConstraint?: (cause: unknown) => Error | true): Promise<T | undefined> {
    if (this.isClosed) return Promise.reject(storageClosed(this.options.path));
    return new Promise<T | undefined>((resolve, reject) => {
      const perform = () => {
        const value = write();
        return () => resolve(value);
      };
      this.waiting.push({ perform, reject, onConstraint, isDone: () => resolve(undefined) });
      this.schedule();
    });
  }

  /** Resolves when nothing is left to write; nothing can be submitted from here on. */
  close(): Promise<void> {
    this.isClosed = true;
    return this.scheduled ? new Promise((resolve) => this.idle.push(resolve)) : Promise.resolve();
  }

  private schedule(delayMs = 0): void {
    if (this.scheduled) return;
    this.scheduled = true;
    if (delayMs === 0) setImmediate(() => this.flush());
    else setTimeout(() => this.flush(), delayMs);
  }

  private flush(): void {
    const works = this.waiting;
    this.waiting = [];
    const lockedOut = this.commit(works);
    const delayMs = this.backOff(lockedOut.length > 0);
    if (delayMs === 'out-of-patience') for (const { reject } of lockedOut) reject(storageBusy(this.options.path));
    else this.waiting = [...lockedOut, ...this.waiting];
    this.scheduled = false;
    if (this.waiting.length > 0) this.schedule(delayMs === 'out-of-patience' ? 0 : delayMs);
    else for (const resolve of this.idle.splice(0)) resolve();
  }

  private backOff(isLocked: boolean): number | 'out-of-patience' {
    const since = isLocked ? (this.busySince ?? performance.now()) : undefined;
    const isOver = since !== undefined && performance.now() - since >= this.options.busyMs;
    this.busyRounds = isLocked ? this.busyRounds + 1 : 0;
    this.busySince = isOver ? undefined : since;
    if (isOver) return 'out-of-patience';
    return isLocked ? retryDelayMs(this.busyRounds) : 0;
  }

  /** Settles the work, all but what a lock of another process keeps out. */
  private commit(works: readonly Work[]): readonly Work[] {
    let left = works;
    while (left.length > 0) {
      const attempt = this.attempt(left);
      if (attempt.end === 'busy') return left;
      if (attempt.end === 'failed')
        for (const { reject } of left) reject(storageError(attempt.cause, this.options.path));
      if (attempt.end !== 'broken') break;
      const { work, cause } = attempt;
      const reason = this.reasonOf(work, cause);
      if (reason === true) work.isDone();
      else work.reject(reason);
      left = left.filter((other) => other !== work); // each round leaves one out, so this ends
    }
    return [];
  }

  private reasonOf(work: Work, cause: unknown): Error | true {
    if (cause instanceof FlyballError || work.onConstraint === undefined) return storageError(cause, this.options.path);
    try {
      return work.onConstraint(cause);
    } catch (error) {
      return storageError(error, this.options.path); // what it looks at may be damaged: that is this work's end alone
    }
  }

  /** One transaction. Settles its work only when it is committed. */
  private attempt(works: readonly Work[]): Attempt {
    const settle: (() => void)[] = [];
    let work: Work | undefined;
    try {
      this.database.exec('BEGIN IMMEDIATE');
      for (const follower of this.followers) follower.begun?.();
      for (work of works) settle.push(outcomeOf(work));
      work = undefined;
      this.commits += 1;
      this.options.hooks.beforeCommit?.(this.commits);
      this.database.exec('COMMIT');
      for (const follower of this.followers) follower.written?.();
    } catch (cause) {
      this.rollBack();
      if (isBusy(cause)) return { end: 'busy' };
      const isOfWork = isConstraint(cause) || cause instanceof FlyballError;
      return work !== undefined && isOfWork ? { end: 'broken', work, cause } : { end: 'failed', cause };
    }
    for (const follower of this.followers) follower.committed?.();
    try {
      this.options.hooks.afterCommit?.(this.commits);
    } catch (cause) {
      return { end: 'failed', cause };
    }
    for (const confirm of settle) confirm();
    return { end: 'committed' };
  }

  private rollBack(): void {
    for (const follower of this.followers) follower.rolledBack();
    rollBack(this.database);
  }
}

type Attempt =
  | { readonly end: 'committed' | 'busy' }
  | { readonly end: 'broken'; readonly work: Work; readonly cause: unknown }
  | { readonly end: 'failed'; readonly cause: unknown };

/** What work answers when it looks before it writes. */
const BEFORE_WRITING: ReadonlySet<ErrorCode> = new Set([
  'JOURNAL_CONFLICT',
  'RUN_NOT_FOUND',
  'RUN_EXISTS',
  'ALREADY_TERMINAL',
  'RECORD_CONFLICT',
  'RUN_KEPT',
]);

/** Does the work; a refusal is confirmed like a result, together with the others. */
function outcomeOf(work: Work): () => void {
  try {
    return work.perform();
  } catch (error) {
    if (!(error instanceof FlyballError) || !BEFORE_WRITING.has(error.code)) throw error;
    return () => work.reject(error);
  }
}
