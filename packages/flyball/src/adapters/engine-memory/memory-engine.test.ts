import { describe, expect, it } from 'vitest';
import { newRun, rested, START, TENANT } from '../../testing/contracts/engine-fixture.js';
import { engineContract } from '../../testing/engine-contract.js';
import { memoryEngine } from './memory-engine.js';

const port = '[R10-PORT-APPEND] [R10-PORT-CANCEL] [R10-PORT-CLAIM] [R10-PORT-TAKE] [R10-PORT-TENANT] [R10-PORT-WATCH]';

engineContract({ describe, it }, `memory [R2-ENGINE-MEMORY] [R2-LEASE] [R2-KIT-CONTRACTS] ${port}`, async () => {
  const engine = memoryEngine();
  return { engine, reopen: 'in-memory', close: () => engine.close() };
});

it('removes a run in memory that a run of another tenant says it was forked from [R10-ARCHIVE-FORGED]', async () => {
  const engine = memoryEngine();
  const fork = { run: 'own', generation: 0, seq: 0 };
  await rested(engine, 'theirs', 'done');
  await engine.create(newRun('own', { tenant: 'another tenant' }));
  await engine.create(newRun('ours', { tenant: 'another tenant', fork }));
  fork.run = 'theirs'; // past the engine, which keeps what it was given
  const tombstone = { agent: 'agent', tenant: TENANT, status: 'done', createdAt: START, endedAt: START };
  const said = { at: START, by: 'operator', action: 'erase', of: 'theirs' } as const;
  await engine.remove('theirs', { ...said, tombstone: { ...tombstone, digests: [], head: '' } });
  expect(await engine.get('theirs')).toBeUndefined();
});
