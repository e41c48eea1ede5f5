import { describe, it } from 'vitest';
import { engineContract } from '../../testing/engine-contract.js';
import { memoryEngine } from './memory-engine.js';

const port = '[R10-PORT-APPEND] [R10-PORT-CLAIM] [R10-PORT-TAKE] [R10-PORT-TENANT] [R10-PORT-WATCH]';

engineContract({ describe, it }, `memory [R2-ENGINE-MEMORY] [R2-LEASE] [R2-KIT-CONTRACTS] ${port}`, async () => {
  const engine = memoryEngine();
  return { engine, reopen: 'in-memory', close: () => engine.close() };
});
