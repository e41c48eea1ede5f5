import type { Claim, NewRun, StoredEntry } from 'flyball/adapters/engine-kit';
import type { PostgresEngine } from '../../packages/postgres/src/index.js';

export const START = 1_700_000_000_000;

export function entry(seq: number, given: Partial<StoredEntry> = {}): StoredEntry {
  return { generation: 0, seq, at: START + seq, activeMs: seq, body: JSON.stringify({ type: 'note', seq }), ...given };
}

export function newRun(id: string, given: Partial<NewRun> = {}): NewRun {
  const who = { agent: 'agent', version: '1', tenant: 'tenant', subject: 'subject' };
  return { id, ...who, createdAt: START, first: { entries: [entry(0)] }, ...given };
}

export function owner(id: string) {
  return { id, host: 'test', bootId: 'boot', pid: 1, startTime: id };
}

export function claimBy(
  engine: PostgresEngine,
  runId: string,
  by: string,
  leaseMs = 30_000,
  now = START,
): Promise<Claim> {
  return engine.claim(runId, { owner: owner(by), now, leaseMs, isGone: () => false });
}
