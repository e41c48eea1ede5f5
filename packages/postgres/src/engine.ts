import { randomUUID } from 'node:crypto';
import type { Engine, Store } from 'flyball';
import { checkRights, checkServer, Identity, StandbyWatch } from './checks.js';
import { leaseClock } from './clock.js';
import { Connection, type Hooks } from './connection.js';
import { Contents } from './contents.js';
import { Desk, patiently } from './desk.js';
import { Due } from './due.js';
import { isTransient, saidBy, storageError } from './errors.js';
import { Inbox } from './inbox.js';
import { Journal } from './journal.js';
import { Lane } from './lane.js';
import { migrate, versionIn } from './migrate.js';
import { Months, makeMonths } from './months.js';
import { Operations } from './operations.js';
import { type PostgresOptions, type Settings, settle } from './options.js';
import { Retention } from './retention.js';
import { Runs } from './runs.js';
import { postgresStore } from './store.js';
import { Watch } from './watch.js';
import { Workers } from './workers.js';
import { type Job, runOf } from './works.js';

/** How long to wait for a server that is not there when the engine is opened. */
const OPENING_MS = 5_000;

/** An engine on PostgreSQL, with its store. */
export interface PostgresEngine extends Engine {
  readonly schema: string;
  /** Records in the same schema. */
  readonly store: Store;
}

/** Runs in a schema of a PostgreSQL database, which workers on many machines share. */
export async function postgresEngine(options: PostgresOptions): Promise<PostgresEngine> {
  return openedEngine(options, { mustWrite: true });
}

/** Without `mustWrite`, a user who may only read the tables can do so; what writes is refused when it does. */
export async function openedEngine(
  options: PostgresOptions,
  { mustWrite }: { readonly mustWrite: boolean },
): Promise<PostgresEngine> {
  const settings = settle(options);
  const identity = new Identity(settings.schema);
  await prepare(settings, identity, mustWrite);
  const standby = new StandbyWatch(settings);
  const check: Hooks['check'] = async (ask) => {
    await identity.check(ask);
    await standby.check(ask);
  };
  const parts = openParts(settings, { doubt: { round: 0 }, check }, identity);
  return {
    kind: 'postgres',
    schema: settings.schema,
    store: postgresStore(parts.desk, settings.schema),
    ...journalsIn(parts),
    ...ownershipIn(parts),
    ...messagesIn(parts),
    ...retentionIn(parts),
    close: parts.close,
  };
}

type Parts = ReturnType<typeof openParts>;

function openParts(settings: Settings, hooks: Hooks, identity: Identity) {
  const { schema } = settings;
  const clock = leaseClock(settings);
  const desk = new Desk(settings, hooks);
  const lanes = Array.from(
    { length: settings.writers },
    () => new Lane(new Connection(settings, hooks), settings, identity),
  );
  const alone = new Connection(settings, hooks);
  const watch = new Watch(desk, settings, hooks);
  const runs = new Runs(desk, schema, clock, identity);
  const operations = new Operations(desk, schema);
  const months = new Months(desk, settings, hooks);
  let closing: Promise<void> | undefined;
  return {
    desk,
    watch,
    runs,
    operations,
    due: new Due(desk, schema, clock, identity),
    inbox: new Inbox(desk, schema),
    journal: new Journal(desk, schema),
    retention: new Retention(desk, schema, clock, { runs, operations }),
    contents: new Contents(desk, schema, alone),
    months,
    workers: new Workers(desk, schema, clock, identity),
    submit: (job: Job): Promise<void> =>
      new Promise((resolve, reject) => {
        laneOf(lanes, runOf(job)).submit({ ...job, resolve, reject });
      }),
    close(): Promise<void> {
      months.close();
      closing ??= Promise.all([...lanes, desk, watch, alone].map((part) => part.close())).then(() => undefined);
      return closing;
    },
  };
}

/** What is written about runs, and the contents that it refers to. */
function journalsIn({ submit, journal, watch }: Parts): Pick<Engine, 'create' | 'append' | 'read' | 'blobs' | 'links'> {
  return {
    async create(run) {
      await submit({ kind: 'create', run, ticket: randomUUID() });
      if (run.inLine === true) watch.notify(run.id);
    },
    append: (claim, batch) => submit({ kind: 'append', claim, batch }),
    read: (runId, { generation, from = 0, to = Number.MAX_SAFE_INTEGER }) => journal.read(runId, generation, from, to),
    blobs: (tenant, hashes) => journal.blobs(tenant, hashes),
    links: (tenant, tip) => journal.links(tenant, tip),
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
function ownershipIn({ submit, runs, due, workers, watch }: Parts): Ownership {
  return {
    claim: (runId, by) => runs.claim(runId, by),
    take: (query, by) => due.take(query, by),
    renew: (signs, by) => runs.renew(signs, by),
    async release(claim, rest) {
      await submit({ kind: 'release', claim, rest });
      if (rest.unlessCancelled === true || (rest.status === 'pending' && rest.inLine === true))
        watch.notify(claim.runId);
    },
    async requeue(runId) {
      if (await runs.requeue(runId)) watch.notify(runId);
    },
    get: (runId) => runs.get(runId),
    list: (filter) => runs.list(filter),
    due: (query) => due.find(query),
    overdue: (query) => due.overdue(query),
    queue: (now) => due.queue(now),
    nextDue: (now) => due.next(now),
    announce: (worker, by) => workers.announce(worker, by),
    workers: (now) => workers.alive(now),
  };
}

/** What is said to runs, and who is told of it. */
function messagesIn({ inbox, watch }: Parts): Pick<Engine, 'post' | 'waits' | 'inbox' | 'watch'> {
  return {
    async post(runId, message) {
      const posted = await inbox.post(runId, message);
      if (posted === 'accepted') watch.notify(runId);
      return posted;
    },
    waits: (runId) => inbox.open(runId),
    inbox: (runId, after) => inbox.after(runId, after),
    watch: (listener) => watch.watch(listener),
  };
}

type Upkeep = Pick<
  Engine,
  'count' | 'hold' | 'remove' | 'restore' | 'collect' | 'weigh' | 'size' | 'declareGone' | 'goneOwners' | 'operations'
>;

/** What goes, what stays, how much there is, and what operators did about it. */
function retentionIn({ retention, contents, months, operations, watch }: Parts): Upkeep {
  return {
    count: () => retention.count(),
    hold: (runId, change) => retention.hold(runId, change),
    remove: (runId, operation) => retention.remove(runId, operation),
    restore: (run, operation) => retention.restore(run, operation),
    async collect(referencesIn) {
      const collected = await contents.collect(referencesIn);
      await months.collect();
      return collected;
    },
    weigh: (runIds, referencesIn) => contents.weigh(runIds, referencesIn),
    size: () => retention.size(),
    async declareGone(operation) {
      const held = await retention.declareGone(operation);
      for (const runId of held) watch.notify(runId);
      return held;
    },
    goneOwners: () => operations.goneOwners(),
    operations: (of) => operations.all(of),
  };
}

/** Whether the schema at this address has our tables. It is left as it is. */
export async function isStored(options: PostgresOptions): Promise<boolean> {
  const settings = settle(options);
  const connection = new Connection(settings, { check: async () => undefined });
  const ask = async (text: string) => (await connection.run([{ text }]))[0] ?? [];
  try {
    const patienceMs = Math.min(OPENING_MS, settings.patienceMs);
    return (await patiently(() => versionIn(settings.schema, ask), { patienceMs })) > 0;
  } catch (error) {
    throw storageError(error);
  } finally {
    await connection.close();
  }
}

/** Looks at the server, and makes the tables or brings them up to date. */
async function prepare(settings: Settings, identity: Identity, mustWrite: boolean): Promise<void> {
  const connection = new Connection(settings, { check: (ask) => identity.check(ask) });
  const patienceMs = Math.min(OPENING_MS, settings.patienceMs);
  try {
    await patiently(
      async () => {
        const ask = async (text: string) => (await connection.run([{ text }]))[0] ?? [];
        await checkServer(ask, settings);
        await migrate(connection, settings.schema);
        if (mustWrite) await checkRights(ask, settings.schema);
        await makeMonths(connection, settings.schema);
        await identity.remember(ask);
      },
      {
        patienceMs,
        onWaiting: (error) =>
          settings.onNotice(
            `PostgreSQL ${isTransient(error) ? 'is not ready' : 'does not respond'} yet (${saidBy(error)}). Trying for up to ${patienceMs / 1_000} seconds.`,
          ),
      },
    );
  } catch (error) {
    throw storageError(error);
  } finally {
    await connection.close();
  }
}

/** A run always uses the same lane: what is written for it stays in order. */
function laneOf(lanes: readonly Lane[], runId: string): Lane {
  let hash = 0;
  for (let at = 0; at < runId.length; at += 1) hash = (hash * 31 + runId.charCodeAt(at)) | 0;
  return lanes[Math.abs(hash) % lanes.length] as Lane;
}
