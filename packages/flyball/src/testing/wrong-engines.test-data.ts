import { writeUncertain } from '../core/engine-errors.js';
import { type ErrorCode, FlyballError } from '../core/errors.js';
import { workedUnseen } from '../core/unseen-work.js';
import type { Announcement, Batch, Claim, Engine, StoredEntry } from '../ports/engine.js';
import type { OpenEngine } from './contracts/engine-fixture.js';

/** An engine that is wrong in one way, as a first attempt at one may be. */
export interface WrongEngine {
  /** Of the one test of the contract that finds it. */
  readonly title: string;
  /** What is wrong with it, where the title alone does not say. */
  readonly what?: string;
  /** Promises that it cannot keep either. */
  readonly others?: readonly string[];
  change(engine: Engine): Partial<Engine>;
}

/** What stands in the journal at the places of these entries. */
async function standing(engine: Engine, claim: Claim, entries: Batch['entries']): Promise<(StoredEntry | undefined)[]> {
  const at = ({ generation, seq }: StoredEntry) => engine.read(claim.runId, { generation, from: seq, to: seq });
  return Promise.all(entries.map(async (entry) => (await at(entry))[0]));
}

const holds = async (engine: Engine, { runId, record }: Claim): Promise<boolean> =>
  (await engine.get(runId))?.owner?.id === record.owner?.id;

const JOURNALS: readonly WrongEngine[] = [
  {
    title: 'changes nothing beside the journal either when a batch comes again',
    change: (engine) => ({
      async append(claim, batch) {
        await engine.append(claim, batch);
        await engine.append(claim, { entries: [], opened: batch.opened ?? [], closed: batch.closed ?? [] });
      },
    }),
  },
  {
    title: 'has no limit to how much is written and read in one go',
    change: (engine) => ({ links: async (tenant, tip) => (await engine.links(tenant, tip)).slice(-100) }),
  },
  {
    title: 'refuses whatever comes under a stale claim, entries or none',
    change: (engine) => ({
      append: (claim, batch) =>
        engine.append(claim, batch).catch((error: unknown) => {
          if (batch.entries.length > 0) throw error;
        }),
    }),
  },
  {
    title: 'refuses a batch of which only a part stands there already, and writes none of the rest',
    change: (engine) => ({
      append: (claim, batch) =>
        engine.append(claim, batch).catch(async (error: unknown) => {
          const found = await standing(engine, claim, batch.entries);
          const rest = batch.entries.filter((_, index) => found[index] === undefined);
          const isSame = batch.entries.every((entry, n) => found[n] === undefined || found[n]?.body === entry.body);
          if (rest.length === 0 || rest.length === batch.entries.length || !isSame) throw error;
          await engine.append(claim, { ...batch, entries: rest });
        }),
    }),
  },
  {
    title: 'refuses a batch that comes again with another time in it',
    change: (engine) => ({
      append: (claim, batch) =>
        engine.append(claim, batch).catch(async (error: unknown) => {
          const found = await standing(engine, claim, batch.entries);
          const isSame = batch.entries.every((entry, n) => found[n]?.body === entry.body);
          if (batch.entries.length === 0 || !isSame || !(await holds(engine, claim))) throw error;
        }),
    }),
  },
  {
    title: 'reads no contents and no links of one tenant for another',
    what: 'links are read from a second tenant where the first has none',
    change: (engine) => ({
      async links(tenant, tip) {
        const own = await engine.links(tenant, tip);
        return own.length > 0 ? own : engine.links('tenant', tip);
      },
    }),
  },
];

const LINES: readonly WrongEngine[] = [
  {
    title: 'names those of a tenant first that have waited longest',
    change: (engine) => ({
      async due(query) {
        const found = await engine.due(query);
        const tenants = await Promise.all(found.map(async (id) => (await engine.get(id))?.tenant));
        const isOne = new Set(tenants).size === 1; // tenants still take turns
        return isOne ? [...found].reverse() : found;
      },
    }),
  },
  {
    title: 'lets tenants take turns where it names what is due',
    what: 'only take lets tenants take turns, and due does not',
    change: (engine) => ({
      async due(query) {
        const found = await engine.due({ ...query, limit: 1_000 });
        const tenantOf = new Map<string, string>();
        for (const id of found) tenantOf.set(id, (await engine.get(id))?.tenant ?? '');
        const ranked = found.toSorted((a, b) => ((tenantOf.get(a) ?? '') < (tenantOf.get(b) ?? '') ? -1 : 1));
        return new Set(tenantOf.values()).size === 1 ? engine.due(query) : ranked.slice(0, query.limit);
      },
    }),
  },
  {
    title: 'names what nobody has claimed for a while, by since when it could be claimed',
    what: 'a run that was told something counts from the date it waits for',
    change: (engine) => ({
      async overdue(query) {
        const page = await engine.overdue(query);
        return { ...page, runs: page.runs.filter(({ wakeAt = 0 }) => wakeAt <= query.now - query.forMs) };
      },
    }),
  },
  {
    title: 'gets behind what nobody claims, page by page, and to what becomes due later',
    what: 'the last page gives no cursor',
    change: (engine) => ({
      async overdue(query) {
        const { runs, cursor } = await engine.overdue(query);
        const more = cursor === undefined ? { runs: [] } : await engine.overdue({ ...query, cursor });
        return more.runs.length === 0 || cursor === undefined ? { runs } : { runs, cursor };
      },
    }),
  },
  {
    title: 'makes a run one of the version whose code goes on with it',
    change: (engine) => ({ append: (claim, { version: _, ...batch }) => engine.append(claim, batch) }),
  },
  {
    title: 'tells runs that crashed more than once from those that did so once',
    change: (engine) => {
      const forgets = <T extends { readonly crashes?: { readonly below?: number } }>(query: T) => {
        const { crashes, ...others } = query;
        return (crashes?.below ?? 0) > 1 ? others : query;
      };
      return {
        due: (query) => engine.due(forgets(query) as typeof query),
        take: (query, by) => engine.take(forgets(query) as typeof query, by),
      };
    },
  },
  {
    title: 'counts in the queue whatever somebody has put back in line',
    what: 'the queue leaves out paused runs that were resumed',
    change: (engine) => ({
      async queue(now) {
        const paused = (await engine.list({ status: 'paused' })).runs.length;
        const lines = (await engine.queue(now)).map((line) => ({ ...line, runs: line.runs - paused }));
        return lines.filter(({ runs }) => runs > 0);
      },
    }),
  },
  {
    title: 'rests again after it was resumed and paused: a resume wakes a run once',
    change: (engine) => {
      const resumed = new Set<string>();
      return {
        async post(runId, message) {
          if (message.kind === 'resume') resumed.add(runId);
          return engine.post(runId, message);
        },
        async release(claim, rest) {
          await engine.release(claim, rest);
          if (rest.status === 'paused' && resumed.has(claim.runId)) await engine.requeue(claim.runId);
        },
      };
    },
  },
  {
    title: 'puts a run in line that was cancelled while it was at work and would rest where nothing wakes it',
    change: (engine) => ({
      release: (claim, { unlessCancelled: _, ...rest }) => engine.release(claim, rest),
    }),
  },
  {
    title: 'lets nothing take a cancellation back',
    what: 'a pause takes a cancellation back',
    change: (engine) => {
      const paused = new Set<string>();
      return {
        async post(runId, message) {
          const posted = await engine.post(runId, message);
          if (message.kind === 'pause') paused.add(runId);
          if (message.kind === 'resume') paused.delete(runId);
          return posted;
        },
        due: async (query) => (await engine.due(query)).filter((runId) => !paused.has(runId)),
      };
    },
  },
  {
    title: 'forgets what a worker said before when it says something else',
    change: (engine) => {
      const said = new Map<string, Announcement>();
      return {
        announce(worker, by) {
          const merged = { ...said.get(worker.id), ...worker };
          said.set(worker.id, merged);
          return engine.announce(merged, by);
        },
      };
    },
  },
  {
    title: 'names the run to those who watch here, whatever it was that happened to it',
    change: (engine) => ({ watch: (listener) => engine.watch(() => listener()) }),
  },
  {
    title: 'counts what a killed owner may have worked from its last renewal on, and not from its claim',
    what: 'a renewal is no sign of life',
    change: (engine) => {
      const claimedAt = new Map<string, number>();
      return {
        async claim(runId, by) {
          const before = (await engine.get(runId))?.activeMs ?? 0;
          const claim = await engine.claim(runId, by);
          const since = claimedAt.get(runId) ?? by.now;
          claimedAt.set(runId, by.now);
          if (claim.previous === undefined) return claim;
          return { ...claim, record: { ...claim.record, activeMs: before + workedUnseen(since, by) } };
        },
      };
    },
  },
  {
    title: 'hears every sign of life, however many come at once',
    change: (engine) => ({ renew: (signs, by) => engine.renew(signs.slice(0, 10), by) }),
  },
];

const leftBehind = 'removes what was said to a run and what it asked along with it';
const counted = 'counts runs that rest, whatever they rest for';
const uncounted = (left: 'bounded' | 'paused'): WrongEngine => ({
  title: counted,
  what: `runs are not counted that are ${left}`,
  change: (engine) => ({
    async count() {
      const { byStatus, ...others } = await engine.count();
      const { [left]: _, ...rest } = byStatus;
      return { ...others, byStatus: rest };
    },
  }),
});
const RECORDS: readonly WrongEngine[] = [
  uncounted('bounded'),
  uncounted('paused'),
  {
    title: 'names open waits in the order in which they were opened',
    change: (engine) => ({ waits: async (runId) => [...(await engine.waits(runId))].reverse() }),
  },
  {
    title: 'leaves a run alone that has ended: cancelled',
    change: (engine) => ({
      post: async (runId, message) =>
        (await engine.get(runId))?.status === 'cancelled' ? 'accepted' : engine.post(runId, message),
    }),
  },
  {
    title: 'lists each run as it is got, whatever became of it',
    change: (engine) => ({
      async list(filter) {
        const page = await engine.list(filter);
        return { ...page, runs: page.runs.map(({ hold: _, ...run }) => run) };
      },
    }),
  },
  {
    title: 'keeps to its filter on every page',
    what: 'the second page of a list is of all runs',
    change: (engine) => ({
      list: ({ cursor, limit = 100, ...filter }) =>
        cursor === undefined ? engine.list({ ...filter, limit }) : engine.list({ cursor, limit }),
    }),
  },
  {
    title: 'gives out a cursor for as long as there are more, also where nobody says how many a page may have',
    change: (engine) => ({
      async list(filter) {
        const page = await engine.list(filter);
        return filter.limit === undefined ? { runs: page.runs.slice(0, 10) } : page;
      },
    }),
  },
  {
    title: 'puts nothing back that was pruned or erased, is there, or has not ended',
    what: 'a stalled run is put back',
    change: (engine) => ({
      restore: ({ record, ...whole }, operation) =>
        engine.restore(
          { ...whole, record: record.status === 'stalled' ? { ...record, status: 'failed' } : record },
          operation,
        ),
    }),
  },
  {
    title: 'records nothing of a hold that changes nothing',
    what: 'letting go of a run that is not held is recorded',
    change: (engine) => ({
      async hold(runId, change) {
        const run = await engine.get(runId);
        if (!change.hold && run !== undefined && run.hold === undefined)
          await engine.hold(runId, { ...change, hold: true });
        return engine.hold(runId, change);
      },
    }),
  },
  {
    title: 'keeps a run that changed after it was selected',
    what: 'a run is removed however it stands by now',
    change: (engine) => ({
      async remove(runId, operation) {
        const { status = '', updatedAt: endedAt = 0 } = (await engine.get(runId)) ?? {};
        return engine.remove(runId, { ...operation, tombstone: { ...operation.tombstone, status, endedAt } });
      },
    }),
  },
  {
    title: 'keeps a run that changed after it was selected',
    what: 'only its status is compared',
    change: (engine) => ({
      async remove(runId, operation) {
        const { updatedAt: endedAt = 0 } = (await engine.get(runId)) ?? {};
        return engine.remove(runId, { ...operation, tombstone: { ...operation.tombstone, endedAt } });
      },
    }),
  },
  {
    title: leftBehind,
    what: 'a run that is removed leaves its messages',
    change: (engine) => {
      const left = new Map<string, Awaited<ReturnType<Engine['inbox']>>>();
      return {
        async remove(runId, operation) {
          const inbox = await engine.inbox(runId, 0);
          await engine.remove(runId, operation);
          if (operation.action !== 'archive') left.set(runId, inbox);
        },
        inbox: async (runId, after) => left.get(runId) ?? engine.inbox(runId, after),
      };
    },
  },
  {
    title: leftBehind,
    what: 'a run that is removed leaves its open waits',
    change: (engine) => {
      const left = new Map<string, Awaited<ReturnType<Engine['waits']>>>();
      return {
        async remove(runId, operation) {
          const waits = await engine.waits(runId);
          await engine.remove(runId, operation);
          if (operation.action !== 'archive') left.set(runId, waits);
        },
        waits: async (runId) => left.get(runId) ?? engine.waits(runId),
      };
    },
  },
  {
    title: 'names an owner that is gone once, however often it was declared gone',
    change: (engine) => ({
      goneOwners: async () =>
        (await engine.operations()).flatMap(({ action, of }) => (action === 'owner-gone' ? [of] : [])),
    }),
  },
];

const keptOfRefused = 'keeps nothing of a refused batch beside the journal either';
/** Whatever it answers, it has written a part. */
const leaves = (what: string, part: (batch: Batch) => Partial<Batch>): WrongEngine => ({
  title: keptOfRefused,
  what: `a refused batch leaves ${what}`,
  change: (engine) => ({
    append: (claim, batch) =>
      engine.append(claim, batch).catch(async (error: unknown) => {
        await engine.append(claim, { entries: [], ...part(batch) }).catch(() => undefined);
        throw error;
      }),
  }),
});
const MOST_LEASE_MS = 60_000;
/** What the contract held no engine to at first. */
const OVERLOOKED: readonly WrongEngine[] = [
  leaves('its waits open', ({ opened = [] }) => ({ opened })),
  leaves('waits closed', ({ closed = [] }) => ({ closed })),
  leaves('the crash counter at its start', ({ progress = false }) => ({ progress })),
  {
    title: 'takes no answer to one wait for an answer to another',
    what: 'an answer to a wait that is closed goes to the one that is open',
    change: (engine) => ({
      async post(runId, message) {
        const [wait, ...others] = message.kind === 'answer' ? await engine.waits(runId) : [];
        const isOnly = wait !== undefined && others.length === 0;
        return engine.post(runId, isOnly ? { ...message, name: wait.token } : message);
      },
    }),
  },
  {
    title: 'extends a lease that is over, where nobody took the run',
    what: 'a renewal calls a claim stale whose lease is over',
    change: (engine) => ({
      async renew(signs, by) {
        const stale: string[] = [];
        for (const sign of signs) {
          const { owner, leaseUntil = 0 } = (await engine.get(sign.claim.runId)) ?? {};
          const isOver = owner !== undefined && leaseUntil <= by.now;
          stale.push(...(isOver ? [sign.claim.runId] : await engine.renew([sign], by)));
        }
        return stale;
      },
    }),
  },
  {
    title: 'hears an owner whose lease is over, where nobody took the run: what it writes, and how the run rests',
    what: 'a release is dropped whose lease is over',
    change: (engine) => ({
      async release(claim, rest) {
        const { leaseUntil = 0 } = (await engine.get(claim.runId)) ?? {};
        if (leaseUntil > rest.now || !(await holds(engine, claim))) await engine.release(claim, rest);
      },
    }),
  },
  {
    title: 'leases a run for as long as whoever claims it asks',
    what: 'a claim holds for a minute at most',
    change: (engine) => ({
      claim: (runId, by) => engine.claim(runId, { ...by, leaseMs: Math.min(by.leaseMs, MOST_LEASE_MS) }),
    }),
  },
  {
    title: 'leases what it takes for as long as whoever takes it asks',
    what: 'what is taken is leased for a minute at most',
    change: (engine) => ({
      take: (query, by) => engine.take(query, { ...by, leaseMs: Math.min(by.leaseMs, MOST_LEASE_MS) }),
    }),
  },
  {
    title: 'hands a run to the same owner again that is said to be gone: its old claim is stale',
    what: 'an owner cannot take a run from itself',
    others: ['lets an owner claim a run once more, or says that it cannot tell, when answers are lost'],
    change: (engine) => ({
      claim: async (runId, by) => {
        const { owner } = (await engine.get(runId)) ?? {};
        return engine.claim(runId, owner?.id === by.owner.id ? { ...by, isGone: () => false } : by);
      },
    }),
  },
  {
    title: 'takes what is to be left asleep once something came for it',
    change: (engine) => ({
      async take({ asleep = [], ...query }, by) {
        const found = await engine.due({ ...query, limit: 1_000 });
        const only = found.filter((runId) => !asleep.includes(runId));
        return engine.take({ ...query, ...(asleep.length > 0 ? { only } : {}) }, by);
      },
    }),
  },
  {
    title: 'puts back all that the record of a run says',
    what: 'a run that is put back is of the first version',
    change: (engine) => ({
      restore: ({ record, ...whole }, operation) =>
        engine.restore({ ...whole, record: { ...record, version: '1' } }, operation),
    }),
  },
  {
    title: 'reads a journal of any length',
    change: (engine) => ({ read: async (runId, range) => (await engine.read(runId, range)).slice(0, 10_000) }),
  },
  {
    title: 'names every open wait, however many there are',
    change: (engine) => ({ waits: async (runId) => (await engine.waits(runId)).slice(0, 100) }),
  },
  {
    title: 'keeps text that no encoding survives by chance',
    what: 'characters that look the same are made the same',
    change: (engine) => ({
      read: async (runId, range) =>
        (await engine.read(runId, range)).map(({ body, ...entry }) => ({ ...entry, body: body.normalize('NFC') })),
    }),
  },
];

/** Says something else where an engine says that it cannot tell. */
const instead = (code: ErrorCode) => (error: unknown) => {
  if ((error as FlyballError).code !== 'STORAGE_UNCERTAIN') throw error;
  throw new FlyballError(code, 'The connection was lost. Nothing was written.');
};
const BROKEN_LINES: readonly WrongEngine[] = [
  {
    title: 'appends a batch once, or says that it cannot tell, when answers are lost',
    what: 'a batch failed, though it was written',
    change: (engine) => ({ append: (claim, batch) => engine.append(claim, batch).catch(instead('STORAGE_FAILED')) }),
  },
  {
    title: 'takes a message once, or says that it cannot tell, when answers are lost',
    what: 'the storage was busy, though it took a message',
    change: (engine) => ({ post: (runId, given) => engine.post(runId, given).catch(instead('STORAGE_BUSY')) }),
  },
  {
    title: 'takes a message once, or says that it cannot tell, when requests are lost',
    what: 'a message is taken that never came',
    change: (engine) => ({
      post: (runId, given) =>
        engine.post(runId, given).catch((error: FlyballError) => {
          if (error.code !== 'STORAGE_BUSY') throw error;
          return 'accepted' as const;
        }),
    }),
  },
  {
    title: 'creates a run once, or says that it cannot tell, when answers are lost',
    what: 'a run is there already, because it was just created',
    change: (engine) => ({ create: (run) => engine.create(run).catch(instead('RUN_EXISTS')) }),
  },
];

export const WRONG_ENGINES: readonly WrongEngine[] = [
  ...JOURNALS,
  ...LINES,
  ...RECORDS,
  ...OVERLOOKED,
  ...BROKEN_LINES,
];

/** An engine whose storage answers over connections, as far as anybody can tell who uses it. */
export function lossy(engine: Engine): { readonly engine: Engine; readonly lose: NonNullable<OpenEngine['lose']> } {
  let losing: 'answers' | 'requests' | undefined;
  const over =
    <Given extends readonly unknown[], Answer>(write: (...given: Given) => Promise<Answer>) =>
    async (...given: Given): Promise<Answer> => {
      if (losing === 'requests') throw new FlyballError('STORAGE_BUSY', 'Nobody answers. Nothing was written.');
      const answer = await write(...given);
      if (losing === 'answers') throw writeUncertain('a', undefined);
      return answer;
    };
  const { create, append, release, post, claim } = engine;
  return {
    engine: {
      ...engine,
      create: over(create),
      append: over(append),
      release: over(release),
      post: over(post),
      claim: over(claim),
    },
    async lose(what, work) {
      losing = what;
      await work();
      losing = undefined;
    },
  };
}
