import { randomUUID } from 'node:crypto';
import type { Clock } from '../../ports/clock.js';
import type { RecordKey, Store } from '../../ports/store.js';
import { type Account, dayOf, type Ledger, type Op, reserved, settled } from './ledger.js';
import { SERVER_TENANT } from './names.js';
import { changeMade, changeRecord } from './records.js';
import type { Admission, Spending } from './spending.js';

/** Which account of which day a run is in. A run that goes on after it was settled has another round. */
interface RunAccount {
  readonly round: number;
  readonly day: string;
  readonly state: 'open' | 'settled';
  /** What the rounds before this one cost together. */
  readonly beforeUsd: number;
}

const PLACE = { tenant: SERVER_TENANT } as const;

/**
 * Spending over the records of a store. A day of a tenant is one record with its sums; each admission and each
 * settlement is one named change of it, so that asking twice, crashing half way and several servers at once all come to
 * the same: the store makes a change of one name once. Days without any limit are not counted.
 */
export function openSpending(store: Store, clock: Clock): Spending {
  const book: Book = { store, clock, queue: queues() };
  return {
    async admit(run) {
      if (run.tenantLimit === undefined && run.principalLimit === undefined) return { costUsd: run.wantedUsd };
      return { costUsd: await admit(book, run) };
    },
    settle: async (runId, tenant, spentUsd) => settle(book, { runId, tenant, spentUsd }),
    async today({ tenant, principal }) {
      const ledger = (await store.get(ledgerAt(tenant, dayOf(clock.now()))))?.value as Ledger | undefined;
      const account: Account | undefined = principal === undefined ? ledger?.sum : ledger?.principals[principal];
      return {
        limitUsd: account?.limitUsd,
        spentUsd: account?.spentUsd ?? 0,
        reservedUsd: account?.reservedUsd ?? 0,
      };
    },
  };
}

interface Book {
  readonly store: Store;
  readonly clock: Clock;
  /** Requests of this process wait for each other instead of overtaking each other in the store. */
  readonly queue: <T>(name: string, work: () => Promise<T>) => Promise<T>;
}

async function admit(book: Book, run: Admission): Promise<number> {
  const { store, clock } = book;
  const today = dayOf(clock.now());
  const known = (await store.get(runAt(run)))?.value as RunAccount | undefined;
  const open = known?.state === 'open' ? await openRound(book, run, known) : undefined;
  if (known !== undefined && open?.granted !== undefined) return known.beforeUsd + open.granted;
  // nothing is written for a run that is refused
  const ledgerNow = (await store.get(ledgerAt(run.tenant, today)))?.value as Ledger | undefined;
  reserved(ledgerNow, run, { beforeUsd: known?.beforeUsd ?? 0, now: clock.now() });
  const account = await accountFor(book, run, { day: today, settled: open?.settled });
  const made = await changeLedger(book, run.tenant, account.day, {
    id: admitId(run.runId, account),
    make: (ledger) => reserved(ledger, run, { beforeUsd: account.beforeUsd, now: clock.now() }),
  });
  return account.beforeUsd + (made.op.grantedUsd ?? 0);
}

/** How far a round got that a run is in: what it was granted, and whether its end was counted. */
async function openRound(
  book: Book,
  { runId, tenant }: Pick<Admission, 'runId' | 'tenant'>,
  account: RunAccount,
): Promise<{ readonly granted?: number; readonly settled?: number }> {
  const settlement = await opOf(book, tenant, account.day, settleId(runId, account));
  if (settlement !== undefined) return { settled: settlement.settledUsd ?? 0 };
  const admission = await opOf(book, tenant, account.day, admitId(runId, account));
  return admission?.grantedUsd === undefined ? {} : { granted: admission.grantedUsd };
}

/** The round that this admission opens, or the one that was opened for it and got no further. */
async function accountFor(
  { store, clock }: Book,
  run: Admission,
  { day, settled: late }: { readonly day: string; readonly settled: number | undefined },
): Promise<RunAccount> {
  const { value } = await changeRecord(store, runAt(run), {
    id: `admit:${day}:${randomUUID()}`,
    now: clock.now(),
    make: (current) => {
      const known = current?.value as RunAccount | undefined;
      if (known === undefined) return { round: 1, day, state: 'open', beforeUsd: 0 };
      if (known.state === 'settled') return { ...known, round: known.round + 1, day, state: 'open' };
      if (late !== undefined) return { round: known.round + 1, day, state: 'open', beforeUsd: known.beforeUsd + late };
      return { ...known, day }; // never granted: it may ask again on another day
    },
  });
  return value as RunAccount;
}

async function settle(
  book: Book,
  { runId, tenant, spentUsd }: { readonly runId: string; readonly tenant: string; readonly spentUsd: number },
): Promise<void> {
  const { store, clock } = book;
  const at = runAt({ runId, tenant });
  const account = (await store.get(at))?.value as RunAccount | undefined;
  if (account === undefined || account.state === 'settled') return;
  const admission = await opOf(book, tenant, account.day, admitId(runId, account));
  if (admission === undefined) return;
  const { op } = await changeLedger(book, tenant, account.day, {
    id: settleId(runId, account),
    make: (ledger) => settled(ledger, admission, Math.max(0, spentUsd - account.beforeUsd)),
  });
  await changeRecord(store, at, {
    id: `settle:${account.round}`,
    now: clock.now(),
    make: (current) => {
      const now = current?.value as RunAccount;
      if (now.round !== account.round) return now; // it went on meanwhile
      return { ...account, state: 'settled', beforeUsd: account.beforeUsd + (op.settledUsd ?? 0) };
    },
  });
}

async function changeLedger(
  { store, clock, queue }: Book,
  tenant: string,
  day: string,
  { id, make }: { readonly id: string; readonly make: (ledger: Ledger | undefined) => Ledger },
): Promise<Ledger> {
  const at = ledgerAt(tenant, day);
  return queue(at.key, async () => {
    const now = clock.now();
    const { value } = await changeRecord(store, at, {
      id,
      now,
      make: (current) => make(current?.value as Ledger | undefined),
    });
    return value as Ledger;
  });
}

async function opOf({ store, clock, queue }: Book, tenant: string, day: string, id: string): Promise<Op | undefined> {
  const at = ledgerAt(tenant, day);
  const made = await queue(at.key, () => changeMade(store, at, { id, now: clock.now() }));
  return (made?.value as Ledger | undefined)?.op;
}

function ledgerAt(tenant: string, day: string): RecordKey {
  return { ...PLACE, owner: tenant, collection: 'spending-days', key: day };
}

function runAt({ tenant, runId }: { readonly tenant: string; readonly runId: string }): RecordKey {
  return { ...PLACE, owner: tenant, collection: 'spending-runs', key: runId };
}

const admitId = (runId: string, { round }: RunAccount): string => `admit:${round}:${runId}`;
const settleId = (runId: string, { round }: RunAccount): string => `settle:${round}:${runId}`;

/** One at a time for each name; a queue is gone with its last work. */
function queues(): Book['queue'] {
  const last = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    const before = last.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settledMine = mine.catch(() => undefined);
    last.set(name, settledMine);
    try {
      return await mine;
    } finally {
      if (last.get(name) === settledMine) last.delete(name);
    }
  };
}
