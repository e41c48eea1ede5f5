import { randomUUID } from 'node:crypto';
import type { Clock, RecordKey, Store, StoreRecord } from 'flyball';
import { type Account, dayOf, floorUsd, type Ledger, type Op, reserved, settled } from './ledger.js';
import { SERVER_TENANT } from './names.js';
import { type OpenRaises, openRaises } from './open-raises.js';
import { changeMade, changeRecord } from './records.js';
import {
  closedBy,
  type Grant,
  type Granted,
  HOLD_MS,
  held,
  letGo,
  liveHolds,
  newAccount,
  type RunAccount,
  withGrant,
} from './run-account.js';
import type { Admission, Look, Spending } from './spending.js';

const PLACE = { tenant: SERVER_TENANT } as const;

/**
 * Spending over the records of a store. A day of a tenant is one record with its sums; each grant and each closing of
 * one is a named change of it, so that asking twice, crashing half way and several servers at once all come to the same:
 * the store makes a change of one name once. What is to happen is written into the account of the run first, over the
 * version that was looked at: nothing is closed by a look that is older than a grant. Days without any limit are not
 * counted.
 */
export function openSpending(store: Store, clock: Clock): Spending {
  const book: Book = { store, clock, raises: openRaises(store, clock), queue: queues() };
  return {
    async admit(run) {
      if (isUnlimited(run)) return { costUsd: run.wantedUsd };
      return { costUsd: await admit(book, run) };
    },
    raise: (run, standing, work) => raise(book, run, standing, work),
    settle: (run, standing) => settle(book, run, standing),
    async reconcile(standing) {
      for (const { ids, ...run } of await book.raises.overdue()) {
        const found = await standing(run.runId);
        // of one that was removed nobody knows what it spent: what it had stays counted
        if (found !== undefined) await settle(book, run, async () => (await standing(run.runId)) ?? found);
        await book.raises.end(run, ids);
      }
    },
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
  readonly raises: OpenRaises;
  /** Requests of this process wait for each other instead of overtaking each other in the store. */
  readonly queue: <T>(name: string, work: () => Promise<T>) => Promise<T>;
}

type Named = Pick<Admission, 'runId' | 'tenant'>;

function isUnlimited({ tenantLimit, payers }: Admission): boolean {
  return tenantLimit === undefined && payers.length === 0;
}

async function admit(book: Book, run: Admission): Promise<number> {
  const known = await accountOf(book, run);
  const has = await grantedTo(book, run, known);
  if (has.grants.some(({ op }) => op !== undefined)) return has.usd;
  return has.usd + (await grant(book, run, has, (current) => current.grants.at(-1)));
}

async function raise<T>(book: Book, run: Admission, standing: Look, work: (usd: number) => Promise<T>): Promise<T> {
  if (isUnlimited(run) && (await accountOf(book, run)) === undefined) return work(run.wantedUsd);
  const { clock, raises } = book;
  const hold = { id: randomUUID(), until: clock.now() + HOLD_MS };
  // what a run without an account may spend was allowed by somebody who has no limit
  const { spentUsd, budgetUsd = spentUsd } = await standing();
  await raises.begin(run, hold);
  const account = await changeAccount(book, run, (known = newAccount(budgetUsd)) => held(known, hold, clock.now()));
  try {
    const has = await grantedTo(book, run, account);
    const isEnough = floorUsd(run.wantedUsd - has.usd) <= 0;
    const asked = has.grants.find(({ op }) => op === undefined);
    const isAsked = ({ grants }: RunAccount) => grants.find(({ number }) => number === asked?.number);
    const more = isEnough ? 0 : await grant(book, run, has, isAsked);
    return await work(Math.min(run.wantedUsd, has.usd + more));
  } finally {
    await changeAccount(book, run, (known = newAccount(budgetUsd)) => letGo(known, hold.id, clock.now()));
    await settle(book, run, standing);
    await raises.end(run, [hold.id]);
  }
}

/** Grants up to what is wanted beyond what the run has. `reused` finds a grant that was asked for and got no further. */
async function grant(
  book: Book,
  run: Admission,
  has: { readonly usd: number },
  reused: (account: RunAccount) => Grant | undefined,
): Promise<number> {
  const { store, clock } = book;
  const reserve = (ledger: Ledger | undefined) => reserved(ledger, run, { hasUsd: has.usd, now: clock.now() });
  const day = dayOf(clock.now());
  // nothing is written for a run that is refused
  reserve((await store.get(ledgerAt(run.tenant, day)))?.value as Ledger | undefined);
  let mine: Grant | undefined;
  await changeAccount(book, run, (known = newAccount(0)) => {
    const asked = reused(known);
    const next = asked === undefined ? withGrant(known, day) : onDay(known, asked, day);
    mine = asked === undefined ? next.grants.at(-1) : { ...asked, day };
    return next;
  });
  if (mine === undefined) throw new Error('unreachable: a change of an account was made without making it');
  const made = await changeLedger(book, run.tenant, day, { id: grantId(run, mine), make: reserve });
  return made.op.grantedUsd ?? 0;
}

/** It was never granted: it may ask again on another day. */
function onDay(account: RunAccount, { number }: Grant, day: string): RunAccount {
  return { ...account, grants: account.grants.map((each) => (each.number === number ? { ...each, day } : each)) };
}

async function settle(book: Book, run: Named, standing: Look): Promise<void> {
  for (;;) {
    const record = await book.store.get(runAt(run));
    if (record === undefined) return;
    const account = record.value as RunAccount;
    const { grants } = await grantedTo(book, run, account);
    const now = book.clock.now();
    const found = await standing(); // after the account was read: whoever lets the run go on changes that
    if (liveHolds(account, now).length > 0) return; // they settle it
    const after = closedBy(account, grants, found, dayOf(now));
    if (after === undefined) return;
    const made = await changeAccount(book, run, () => after, record).catch(unlessOvertaken);
    if (made !== undefined) return writeClosings(book, run, made);
  }
}

/** What a run may cost by all that it was granted, with closings that a process left half way made first. */
async function grantedTo(
  book: Book,
  run: Named,
  account: RunAccount | undefined,
): Promise<{ readonly usd: number; readonly grants: readonly Granted[] }> {
  if (account === undefined) return { usd: 0, grants: [] };
  await writeClosings(book, run, account);
  const grants: Granted[] = [];
  for (const each of account.grants)
    grants.push({ ...each, op: await opOf(book, run.tenant, each, grantId(run, each)) });
  return { usd: grants.reduce((sum, { op }) => sum + (op?.grantedUsd ?? 0), account.countedUsd), grants };
}

async function writeClosings(book: Book, run: Named, { closed }: RunAccount): Promise<void> {
  for (const each of closed) {
    const id = `settle:${each.number}:${run.runId}`;
    if ((await opOf(book, run.tenant, each, id)) !== undefined) continue;
    const paid = { ...each.grant, run: run.runId };
    await changeLedger(book, run.tenant, each.day, { id, make: (ledger) => settled(ledger, paid, each.spentUsd) });
  }
}

async function accountOf({ store }: Book, run: Named): Promise<RunAccount | undefined> {
  return (await store.get(runAt(run)))?.value as RunAccount | undefined;
}

class Overtaken extends Error {}

function unlessOvertaken(error: unknown): undefined {
  if (!(error instanceof Overtaken)) throw error;
}

/** Changes the account of a run: over this version of it only, where one is given. */
async function changeAccount(
  { store, clock }: Book,
  run: Named,
  make: (known: RunAccount | undefined) => RunAccount,
  over?: StoreRecord,
): Promise<RunAccount> {
  const { value } = await changeRecord(store, runAt(run), {
    id: randomUUID(),
    now: clock.now(),
    make: (current) => {
      if (over !== undefined && current?.version !== over.version) throw new Overtaken('the account has changed');
      return make(current?.value as RunAccount | undefined);
    },
  });
  return value as RunAccount;
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

async function opOf(
  { store, clock, queue }: Book,
  tenant: string,
  { day }: Pick<Grant, 'day'>,
  id: string,
): Promise<Op | undefined> {
  const at = ledgerAt(tenant, day);
  const made = await queue(at.key, () => changeMade(store, at, { id, now: clock.now() }));
  return (made?.value as Ledger | undefined)?.op;
}

function ledgerAt(tenant: string, day: string): RecordKey {
  return { ...PLACE, owner: tenant, collection: 'spending-days', key: day };
}

function runAt({ tenant, runId }: Named): RecordKey {
  return { ...PLACE, owner: tenant, collection: 'spending-runs', key: runId };
}

const grantId = ({ runId }: Named, { number }: Grant): string => `admit:${number}:${runId}`;

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
