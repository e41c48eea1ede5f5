import { Problem } from '../problem.js';
import type { Admission } from './spending.js';

/** What was spent and what open runs may still spend. */
export interface Account {
  readonly spentUsd: number;
  readonly reservedUsd: number;
  /** As it was when somebody last asked. */
  readonly limitUsd?: number;
}

/** One day of one tenant. Principals are in it only where they have a limit of their own. */
export interface Ledger {
  readonly sum: Account;
  readonly principals: Readonly<Record<string, Account>>;
  /** The change that made this version: versions of a ledger are its book. */
  readonly op: Op;
}

export interface Op {
  readonly run: string;
  /** Those with a limit that it counts for. */
  readonly payers?: readonly string[];
  readonly grantedUsd?: number;
  readonly settledUsd?: number;
}

const DAY = 86_400_000;
const EMPTY: Account = { spentUsd: 0, reservedUsd: 0 };
/** Sums are kept to a billionth of a dollar, so that adding and taking away come out even. */
const GRAIN = 1e9;

/** The day in UTC, as `2026-03-01`. */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** The ledger once a run has been granted what it wants and has not. Throws COST_LIMITED where nothing is left. */
export function reserved(
  ledger: Ledger | undefined,
  run: Admission,
  { hasUsd, now }: { readonly hasUsd: number; readonly now: number },
): Ledger {
  const { runId, tenantLimit, payers } = run;
  const sum = limited(ledger?.sum, tenantLimit);
  const own = payers.map(({ id, limitUsd }) => ({ id, account: limited(accountOf(ledger, id), limitUsd) }));
  const wanted = Math.max(0, run.wantedUsd - hasUsd);
  const grantedUsd = floorUsd(Math.min(wanted, left(sum), ...own.map(({ account }) => left(account))));
  if (grantedUsd <= 0 && wanted > 0) throw nothingLeft({ sum, own: own.map(({ account }) => account), now });
  const granted = (account: Account): Account => ({
    ...account,
    reservedUsd: roundUsd(account.reservedUsd + grantedUsd),
  });
  return {
    sum: granted(sum),
    principals: {
      ...ledger?.principals,
      ...Object.fromEntries(own.map(({ id, account }) => [id, granted(account)])),
    },
    op: { run: runId, grantedUsd, ...(own.length === 0 ? {} : { payers: own.map(({ id }) => id) }) },
  };
}

/** The ledger once a grant is closed: what the run did not spend of it is free again. */
export function settled(ledger: Ledger | undefined, admission: Op, spentUsd: number): Ledger {
  const { run, payers = [], grantedUsd = 0 } = admission;
  const settledUsd = roundUsd(spentUsd);
  const paid = (account: Account): Account => ({
    ...account,
    spentUsd: roundUsd(account.spentUsd + settledUsd),
    reservedUsd: Math.max(0, roundUsd(account.reservedUsd - grantedUsd)),
  });
  return {
    sum: paid(ledger?.sum ?? EMPTY),
    principals: {
      ...ledger?.principals,
      ...Object.fromEntries(payers.map((id) => [id, paid(accountOf(ledger, id) ?? EMPTY)])),
    },
    op: { run, settledUsd },
  };
}

function accountOf(ledger: Ledger | undefined, principal: string): Account | undefined {
  const all = ledger?.principals ?? {};
  return Object.hasOwn(all, principal) ? all[principal] : undefined;
}

function limited(account: Account = EMPTY, limit: number | undefined): Account {
  const { limitUsd: _, ...sums } = account;
  return limit === undefined ? sums : { ...sums, limitUsd: limit };
}

function left({ spentUsd, reservedUsd, limitUsd = Number.POSITIVE_INFINITY }: Account): number {
  return limitUsd - spentUsd - reservedUsd;
}

interface Emptied {
  readonly sum: Account;
  /** Of those that the credential comes from, and its own. */
  readonly own: readonly Account[];
  readonly now: number;
}

function nothingLeft({ sum, own, now }: Emptied): Problem {
  const isEmpty = (account: Account): boolean => floorUsd(left(account)) <= 0;
  const empty = isEmpty(sum) ? sum : (own.findLast(isEmpty) ?? sum);
  const above = empty === own.at(-1) ? 'this credential' : 'a credential that this key comes from';
  const whose = empty === sum ? 'this tenant' : above;
  const { spentUsd, limitUsd = 0 } = empty;
  const isSpent = spentUsd >= limitUsd;
  const midnight = Math.ceil((DAY - (now % DAY)) / 1000);
  return new Problem(
    429,
    'COST_LIMITED',
    `The cost limit of ${whose} for today is ${isSpent ? 'spent' : 'reserved by open runs'}.`,
    {
      retryable: true,
      next: `Wait until ${isSpent ? 'the next day (UTC)' : 'one of them ends'}, or ask for a higher limit.`,
      headers: { 'retry-after': String(isSpent ? midnight : Math.min(60, midnight)) }, // an open run may end at any time
    },
  );
}

export const roundUsd = (usd: number): number => Math.round(usd * GRAIN) / GRAIN;
export const floorUsd = (usd: number): number => Math.floor(usd * GRAIN + 1e-3) / GRAIN;
