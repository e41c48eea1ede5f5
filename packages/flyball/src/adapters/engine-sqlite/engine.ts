import { refuseUnknownOptions } from '../../core/known-options.js';
import type { Engine } from '../../ports/engine.js';
import type { Store } from '../../ports/store.js';
import { ChangeWatch } from './change-watch.js';
import type { Database, DriverName } from './database.js';
import { dueRuns, nextDue, overdueRuns, queueLines } from './due.js';
import { Fences } from './fences.js';
import { FileIdentity } from './file-identity.js';
import { type CommitHooks, GroupCommit } from './group-commit.js';
import { Inbox } from './inbox.js';
import { Journal } from './journal.js';
import { LogWatch } from './log-watch.js';
import { openFile } from './open.js';
import { Operations } from './operations.js';
import { patiently } from './patience.js';
import { Retention } from './retention.js';
import { Runs } from './runs.js';
import { storageClosed } from './storage-errors.js';
import { sqliteStore } from './store.js';
import { Weights } from './weights.js';
import { Workers } from './workers.js';

/** Options of `sqliteEngine`. */
export interface SqliteOptions {
  /** The database file. Its directory is created when missing. */
  readonly path: string;
  /** `node:sqlite` where this Node has it (22.13 and later), otherwise the package `libsql`. */
  readonly driver?: DriverName;
  /** Go on with a file that has lost committed records, instead of failing with JOURNAL_TRUNCATED. */
  readonly acceptLoss?: boolean;
  /** How long to wait for another process that writes, before STORAGE_BUSY. */
  readonly busyMs?: number;
  /** How often to look for what other processes posted, while somebody watches. */
  readonly pollMs?: number;
  readonly hooks?: CommitHooks;
}

/** An engine on a SQLite file. */
export interface SqliteEngine extends Engine {
  readonly path: string;
  readonly driver: DriverName;
  /** Records on the same file. */
  readonly store: Store;
  /** Empties the log into the file, and with `vacuum` rewrites the file without what is free. */
  compact(how: { readonly vacuum: boolean }): Promise<void>;
}

/** Runs in one SQLite file, which several processes may share. */
export async function sqliteEngine(options: SqliteOptions): Promise<SqliteEngine> {
  const parts = await openParts(options);
  const { path, database, guard, read, write } = parts;
  return {
    kind: 'sqlite',
    path,
    driver: database.driver,
    store: sqliteStore({ database, guard, read, write }),
    ...journalsIn(parts),
    ...ownershipIn(parts),
    ...messagesIn(parts),
    ...retentionIn(parts),
    close: parts.close,
  };
}

/** What the file is opened to, and how it is reached. */
type Parts = Awaited<ReturnType<typeof openParts>>;

const NAMES: readonly (keyof SqliteOptions)[] = ['path', 'driver', 'acceptLoss', 'busyMs', 'pollMs', 'hooks'];

async function openParts(options: SqliteOptions) {
  refuseUnknownOptions('sqliteEngine', options, NAMES);
  const { path, busyMs = 5_000, pollMs = 50, hooks = {} } = options;
  const file = await openFile({ ...options, busyMs });
  const { database, guard } = file;
  const fences = new Fences(database);
  const log = new LogWatch(path);
  const commits = new GroupCommit(database, [new FileIdentity(path), log, guard, fences], { path, busyMs, hooks });
  const journal = new Journal(file, fences, path);
  const operations = new Operations(database);
  const changes = new ChangeWatch(database, pollMs);
  let closing: Promise<void> | undefined;
  const closeFile = async (): Promise<void> => {
    await commits.close();
    changes.close();
    log.close();
    if (log.isCut) return guard.close(); // closing would put what is left of the log over the database
    leaveWhole(database);
    database.close();
    guard.close();
  };
  return {
    path,
    database,
    guard,
    commits,
    journal,
    operations,
    changes,
    runs: new Runs(file, fences, journal, operations),
    retention: new Retention(database, operations, fences, path),
    inbox: new Inbox(database, guard),
    workers: new Workers(database),
    read: <T>(work: () => T): Promise<T> =>
      closing === undefined ? patiently(work, { path, busyMs }) : Promise.reject(storageClosed(path)),
    write: <T>(work: () => T): Promise<T> => commits.submit(work),
    async thenNotify<T>(written: Promise<T>, runId?: string): Promise<T> {
      const value = await written;
      changes.notify(runId);
      return value;
    },
    close(): Promise<void> {
      closing ??= closeFile();
      return closing;
    },
  };
}

/** Where nobody else has it open one file is left behind, which says of itself that it is whole. */
function leaveWhole(database: Database): void {
  try {
    database.all('PRAGMA wal_checkpoint(TRUNCATE)');
    database.all('PRAGMA journal_mode = DELETE');
  } catch {
    // another process has it open, or the disk is full: everything is safe in the log, and whoever is next goes on from it
  }
}

/** What is written about runs, and the contents that it refers to. */
function journalsIn({
  commits,
  runs,
  journal,
  changes,
  read,
}: Parts): Pick<Engine, 'create' | 'append' | 'read' | 'blobs' | 'links'> {
  return {
    async create(run) {
      await commits.submit(
        () => runs.create(run),
        (cause) => journal.refusal(run, run.first, cause),
      );
      if (run.inLine === true) changes.notify(run.id);
    },
    append: (claim, batch) =>
      commits.submit(
        () => journal.write(claim, batch),
        (cause) => journal.isWritten(claim, batch) || journal.refusal(claim.record, batch, cause),
      ),
    read: (runId, { generation, from = 0, to = Number.MAX_SAFE_INTEGER }) =>
      read(() => journal.read(runId, generation, from, to)),
    blobs: (tenant, hashes) => read(() => journal.blobs(tenant, hashes)),
    links: (tenant, tip) => read(() => journal.links(tenant, tip)),
  };
}

type Ownership = Pick<
  Engine,
  | 'claim'
  | 'take'
  | 'renew'
  | 'release'
  | 'requeue'
  | 'get'
  | 'list'
  | 'due'
  | 'queue'
  | 'overdue'
  | 'nextDue'
  | 'announce'
  | 'workers'
>;

/** How runs stand, who works on which of them, and for how long. */
function ownershipIn({ database, runs, operations, workers, changes, read, write, thenNotify }: Parts): Ownership {
  return {
    claim: (runId, by) => write(() => runs.claim(runId, by)),
    async take(query, by) {
      if ((await read(() => dueRuns(database, query))).length === 0) return []; // nobody's turn is held up over nothing
      return write(() => {
        if (operations.isDeclaredGone(by.owner.id)) return [];
        return dueRuns(database, query).map((runId) => runs.claim(runId, { ...query, ...by }));
      });
    },
    renew: (signs, by) => write(() => runs.renew(signs, by)),
    async release(claim, rest) {
      const isInLine = await write(() => runs.release(claim, rest));
      if (isInLine) changes.notify(claim.runId);
    },
    requeue: (runId) =>
      thenNotify(
        write(() => runs.requeue(runId)),
        runId,
      ),
    get: (runId) => read(() => runs.get(runId)),
    list: (filter) => read(() => runs.list(filter)),
    due: (query) => read(() => dueRuns(database, query)),
    overdue: (query) => read(() => overdueRuns(database, query)),
    queue: (now) => read(() => queueLines(database, now)),
    nextDue: (now) => read(() => nextDue(database, now)),
    announce: (worker, by) => write(() => workers.announce(worker, by)),
    workers: (now) => read(() => workers.alive(now)),
  };
}

/** What is said to runs, and who is told of it. */
function messagesIn({
  inbox,
  changes,
  read,
  write,
  thenNotify,
}: Parts): Pick<Engine, 'post' | 'waits' | 'inbox' | 'watch'> {
  return {
    post: (runId, message) =>
      thenNotify(
        write(() => inbox.post(runId, message)),
        runId,
      ),
    waits: (runId) => read(() => inbox.open(runId)),
    inbox: (runId, after) => read(() => inbox.after(runId, after)),
    watch: (listener) => changes.watch(listener),
  };
}

type Upkeep = Pick<
  SqliteEngine,
  | 'count'
  | 'hold'
  | 'remove'
  | 'restore'
  | 'collect'
  | 'compact'
  | 'weigh'
  | 'size'
  | 'declareGone'
  | 'goneOwners'
  | 'operations'
>;

/** What goes, what stays, how much there is, and what operators did about it. */
function retentionIn(parts: Parts): Upkeep {
  const { database, retention, operations, runs, commits, journal, read, write, thenNotify } = parts;
  return {
    count: () => read(() => retention.count()),
    hold: (runId, change) => write(() => retention.hold(runId, change)),
    remove: (runId, operation) => write(() => retention.remove(runId, operation)),
    restore: (run, operation) =>
      commits.submit(
        () => runs.restore(run, operation),
        (cause) => journal.refusal(run.record, run, cause),
      ),
    async collect(referencesIn) {
      const marked = new Set<string>();
      let last = 0;
      const steps = retention.marks(referencesIn, marked);
      for (let step = await read(() => steps.next()); step.done !== true; step = await read(() => steps.next())) {
        last = step.value;
        await new Promise((resolve) => setImmediate(resolve)); // others get their turn
      }
      return write(() => {
        for (const _ of retention.marks(referencesIn, marked, last)); // what was written since
        return retention.sweep(marked);
      });
    },
    async compact({ vacuum }) {
      await read(() => database.all('PRAGMA wal_checkpoint(TRUNCATE)'));
      if (!vacuum) return;
      await read(() => database.exec('VACUUM'));
      await read(() => database.all('PRAGMA wal_checkpoint(TRUNCATE)')); // the new file is in the log until then
    },
    weigh: (runIds, referencesIn) => read(() => new Weights(database).of(runIds, referencesIn)),
    size: () => read(() => retention.size()),
    declareGone: (operation) =>
      thenNotify(
        write(() => {
          operations.add(operation);
          return runs.leaseOver(operation.of, operation.at);
        }),
      ),
    goneOwners: () => read(() => operations.goneOwners()),
    operations: (of) => read(() => operations.all(of)),
  };
}
