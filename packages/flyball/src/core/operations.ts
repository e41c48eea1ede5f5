import { canonicalJson, sha256 } from './canonical.js';

/**
 * What operators did to runs from outside, in the order in which it was done. Each entry holds the hash of the one before,
 * so that one that was changed or taken out is found, also where the runs it speaks of are gone.
 */
export type OperationAction = 'hold' | 'release' | 'prune' | 'erase' | 'archive' | 'restore' | 'owner-gone';

/** An entry of the operations log. */
export interface Operation {
  readonly at: number;
  readonly by: string;
  readonly action: OperationAction;
  /** The run, or for `owner-gone` the owner. */
  readonly of: string;
  readonly why?: string;
  /** What is left of a run that was removed. */
  readonly tombstone?: Tombstone;
  /** Where it went, and the digest of what was written there. */
  readonly archive?: { readonly key: string; readonly sha256: string };
}

/** An operation in the log, with its hash. */
export interface StoredOperation extends Operation {
  readonly n: number;
  /** Of the entry before it; empty for the first. */
  readonly prev: string;
  readonly hash: string;
}

/** What stays of a run whose journal is gone: nothing that was said in it, and what its audit is checked by. */
export interface Tombstone {
  readonly agent: string;
  readonly tenant: string;
  readonly status: string;
  readonly createdAt: number;
  readonly endedAt: number;
  /** Digests of its audit lines, in order: the chain of an audit can be made of them again. */
  readonly digests: readonly string[];
  /** The head of that chain. */
  readonly head: string;
}

/** An operation with its number and hash, chained to the one before it. */
export function nextOperation(before: StoredOperation | undefined, operation: Operation): StoredOperation {
  const linked = { ...operation, n: (before?.n ?? 0) + 1, prev: before?.hash ?? '' };
  return { ...linked, hash: sha256(canonicalJson(linked)) };
}

/** The number of the first entry that is not as it was written, or does not follow; undefined where all is well. */
export function brokenOperation(operations: readonly StoredOperation[]): number | undefined {
  let prev = '';
  for (const [index, operation] of operations.entries()) {
    const { hash, ...linked } = operation;
    if (operation.n !== index + 1 || operation.prev !== prev || sha256(canonicalJson(linked)) !== hash)
      return index + 1;
    prev = hash;
  }
  return undefined;
}
