import assert from 'node:assert/strict';
import type { Owner } from '../../core/events.js';
import type { Batch, Claim, Engine, InboxMessage, NewRun, StoredEntry } from '../../ports/engine.js';
import { type LeaseTime, SHORT_MS } from './lease-time.js';

/** An engine to test with `engineContract`. */
export interface OpenEngine {
  readonly engine: Engine;
  close(): Promise<void>;
  /**
   * Opens the same data again; the first engine may still be open. `in-memory` says that nothing of the engine outlives its process: then it is
   * not tested that anything was stored.
   */
  readonly reopen: (() => Promise<Engine>) | 'in-memory';
  /** Changes what is stored, past the engine, as a bad disk or a stray statement does. For `{ damages: true }`. */
  readonly damage?: (what: EngineDamage) => Promise<void>;
  /**
   * Lets at least so much time pass on the clock of leases. For `{ leaseClock: 'own' }` where that clock can be set, or has
   * to be waited for longer than by a timer of this process, which is how the tests wait without it.
   */
  readonly passLeaseTime?: (ms: number) => Promise<void>;
  /**
   * For an engine whose storage answers over connections, which can break. While `work` is done, those that it has are
   * lost: with its `answers`, when what was asked has reached the storage, or with its `requests`, which never reach it.
   * New ones cannot be made until `work` is done.
   */
  readonly lose?: (what: 'answers' | 'requests', work: () => Promise<void>) => Promise<void>;
}

/**
 * One row that is not what was written any more. `owner`: of a run that somebody holds; not even JSON. `fork`: it says now
 * that it was forked from the first entry of `of`.
 */
export type EngineDamage =
  | {
      readonly what: 'entry' | 'missing-entry';
      readonly run: string;
      readonly generation: number;
      readonly seq: number;
    }
  | { readonly what: 'record' | 'owner'; readonly run: string }
  | { readonly what: 'fork'; readonly run: string; readonly of: string }
  | { readonly what: 'message'; readonly run: string; readonly id: string }
  /** `as`: what stands there instead, where it is JSON but no announcement. `until`: by the clock of leases. */
  | { readonly what: 'worker'; readonly id: string; readonly as?: string; readonly until?: number };

/** Undefined for an engine that says of itself that it keeps nothing. */
export async function reopened({ reopen }: OpenEngine): Promise<Engine | undefined> {
  if (reopen === 'in-memory') return undefined;
  assert.equal(typeof reopen, 'function', NO_REOPEN);
  return reopen();
}

const NO_REOPEN =
  'open() gives no `reopen`, so nothing shows that the engine stores anything. Give a function that opens the same data again, or `in-memory`.';

export type EngineTest = (engine: Engine, opened: OpenEngine, time: LeaseTime) => Promise<void>;
/** Declares one test with an engine of its own. */
export type DeclareTest = (name: string, body: EngineTest) => void;

export const START = 1_700_000_000_000;
export const LEASE_MS = 30_000;
export const TENANT = 'tenant';
export const nobodyIsGone = (): boolean => false;

export function owner(id: string): Owner {
  return { id, host: 'contract', bootId: 'boot', pid: 1, startTime: id };
}

export function newRun(id: string, given: Partial<NewRun> = {}): NewRun {
  return {
    id,
    agent: 'agent',
    version: '1',
    tenant: TENANT,
    subject: 'subject',
    createdAt: START,
    first: { entries: [entry(0)] },
    ...given,
  };
}

export function entry(seq: number, given: Partial<StoredEntry> = {}): StoredEntry {
  return { generation: 0, seq, at: START + seq, activeMs: seq, body: JSON.stringify({ type: 'note', seq }), ...given };
}

export function message(id: string, given: Partial<InboxMessage> = {}): InboxMessage {
  return { id, kind: 'signal', name: 'approval', from: 'somebody', at: START, body: '{"yes":true}', ...given };
}

export function claimBy(engine: Engine, runId: string, by: string, now = START): Promise<Claim> {
  return engine.claim(runId, { owner: owner(by), now, leaseMs: LEASE_MS, isGone: nobodyIsGone });
}

/** Takes the run from whoever has it, as by a process that knows its owner to be gone. */
export function takenOver(engine: Engine, runId: string, by: string, now = START): Promise<Claim> {
  return engine.claim(runId, { owner: owner(by), now, leaseMs: LEASE_MS, isGone: () => true });
}

/** Extends the leases by a sign of life. */
export function renewed(engine: Engine, claims: readonly Claim[], until: number): Promise<readonly string[]> {
  const signs = claims.map((claim) => ({ claim, activeMs: 0 }));
  return engine.renew(signs, { now: START, leaseMs: until - START });
}

/** A new run, claimed by `first`. */
export async function claimed(engine: Engine, runId: string, given: Partial<NewRun> = {}): Promise<Claim> {
  await engine.create(newRun(runId, given));
  return claimBy(engine, runId, 'first');
}

/** The same, for as long as a test can wait for. */
export async function claimedBriefly(engine: Engine, runId: string, given: Partial<NewRun> = {}): Promise<Claim> {
  await engine.create(newRun(runId, given));
  return engine.claim(runId, { owner: owner('first'), now: START, leaseMs: SHORT_MS, isGone: nobodyIsGone });
}

/** A run that waits for a signal, or for a time. */
export async function suspended(engine: Engine, runId: string, wakeAt?: number): Promise<void> {
  const claim = await claimed(engine, runId);
  const rest = { status: 'suspended', waiting: ['approval'], now: START } as const;
  await engine.release(claim, wakeAt === undefined ? rest : { ...rest, wakeAt });
}

export async function rested(engine: Engine, runId: string, status: 'paused' | 'bounded' | 'done'): Promise<void> {
  await engine.release(await claimed(engine, runId), { status, now: START });
}

export async function stalled(engine: Engine, runId: string): Promise<void> {
  await engine.release(await claimed(engine, runId), { status: 'stalled', attention: 'look at it', now: START });
}

export function due(
  engine: Engine,
  now = START,
  isGone: (owner: Owner) => boolean = nobodyIsGone,
): Promise<readonly string[]> {
  return engine.due({ now, limit: 100, agents: ['agent'], isGone });
}

export async function bodies(engine: Engine, runId: string, generation = 0): Promise<readonly string[]> {
  return (await engine.read(runId, { generation })).map(({ body }) => body);
}

export function append(engine: Engine, claim: Claim, ...seqs: readonly number[]): Promise<void> {
  const batch: Batch = { entries: seqs.map((seq) => entry(seq)) };
  return engine.append(claim, batch);
}
