import { floorUsd, type Op, roundUsd } from './ledger.js';
import type { Standing } from './spending.js';

/** What a run was granted and what of it is counted. The days of its tenant follow from it: see `stored-spending`. */
export interface RunAccount {
  /** What of its cost is counted, or was never anybody's to count: a run may have begun without limits. */
  readonly countedUsd: number;
  /** Open ones, oldest first: each is one change of a day, which says how much it was. */
  readonly grants: readonly Grant[];
  /** Those closed last. Whoever looks next sees to it that their days say so. */
  readonly closed: readonly Closing[];
  /** Requests under which the run is about to go on: nothing is closed under them. */
  readonly holds: readonly Hold[];
  /** Number of the next grant. */
  readonly next: number;
  /** For whom something was granted last: they pay for what the run spends after it was settled. */
  readonly payers?: readonly string[];
}

export interface Grant {
  readonly number: number;
  readonly day: string;
}

export interface Closing extends Grant {
  readonly grant: Op;
  readonly spentUsd: number;
}

export interface Hold {
  readonly id: string;
  /** A process that died holds nothing for longer. */
  readonly until: number;
}

export const HOLD_MS = 60_000;

export function newAccount(countedUsd: number): RunAccount {
  return { countedUsd: roundUsd(countedUsd), grants: [], closed: [], holds: [], next: 1 };
}

export function withGrant(account: RunAccount, day: string): RunAccount {
  const { grants, next } = account;
  return { ...account, grants: [...grants, { number: next, day }], next: next + 1 };
}

export function held(account: RunAccount, hold: Hold, now: number): RunAccount {
  return { ...account, holds: [...liveHolds(account, now), hold] };
}

export function letGo(account: RunAccount, id: string, now: number): RunAccount {
  return { ...account, holds: liveHolds(account, now).filter((hold) => hold.id !== id) };
}

export function liveHolds({ holds }: RunAccount, now: number): readonly Hold[] {
  return holds.filter(({ until }) => until > now);
}

/** A grant and what its day says about it. Nothing where the request for it never got that far. */
export type Granted = Grant & { readonly op: Op | undefined };

/** The account without what the run cannot spend any more; undefined where there is no such thing. */
export function closedBy(
  account: RunAccount,
  granted: readonly Granted[],
  standing: Standing,
  today: string,
): RunAccount | undefined {
  const closed =
    standing.budgetUsd === undefined
      ? allSpent(account, granted, { spentUsd: standing.spentUsd, today })
      : unneeded(account, granted, Math.max(standing.budgetUsd, standing.spentUsd));
  const gone = new Set([...closed, ...granted.filter(({ op }) => op === undefined)].map(({ number }) => number));
  if (gone.size === 0) return undefined;
  const payers = granted.findLast(({ op }) => op !== undefined)?.op?.payers ?? account.payers;
  return {
    ...account,
    countedUsd: roundUsd(closed.reduce((sum, { spentUsd }) => sum + spentUsd, account.countedUsd)),
    grants: account.grants.filter(({ number }) => !gone.has(number)),
    closed,
    next: Math.max(account.next, ...[...gone].map((number) => number + 1)),
    ...(payers === undefined ? {} : { payers }),
  };
}

/** The run has ended: grants pay in their order, and the last one for whatever it cost beyond them. */
function allSpent(
  { countedUsd, next, payers }: RunAccount,
  granted: readonly Granted[],
  { spentUsd, today }: { readonly spentUsd: number; readonly today: string },
): readonly Closing[] {
  let left = Math.max(0, roundUsd(roundUsd(spentUsd) - countedUsd));
  const made = granted.flatMap(({ op, ...grant }) => (op === undefined ? [] : [{ ...grant, grant: op }]));
  if (made.length === 0) {
    const late: Op = { run: '', grantedUsd: 0, ...(payers === undefined ? {} : { payers }) };
    return left === 0 ? [] : [{ number: next, day: today, grant: late, spentUsd: left }];
  }
  return made.map((each, index) => {
    const isLast = index === made.length - 1;
    const paid = isLast ? left : Math.min(left, each.grant.grantedUsd ?? 0);
    left = roundUsd(left - paid);
    return { ...each, spentUsd: paid };
  });
}

/** The run goes on: what it was granted last and its budget does not allow. */
function unneeded({ countedUsd }: RunAccount, granted: readonly Granted[], neededUsd: number): readonly Closing[] {
  let covered = granted.reduce((sum, { op }) => sum + (op?.grantedUsd ?? 0), countedUsd);
  const closed: Closing[] = [];
  for (const { op, ...grant } of [...granted].reverse()) {
    if (op === undefined) continue;
    const without = covered - (op.grantedUsd ?? 0);
    if (floorUsd(neededUsd - without) > 0) break;
    closed.push({ ...grant, grant: op, spentUsd: 0 });
    covered = without;
  }
  return closed;
}
