import { describe, it } from 'vitest';
import { engineContract } from '../../testing/engine-contract.js';
import { memoryEngine } from './memory-engine.js';

engineContract({ describe, it }, 'memory [R2-ENGINE-MEMORY] [R2-LEASE] [R2-KIT-CONTRACTS]', async () => {
  const engine = memoryEngine();
  return { engine, close: () => engine.close() };
});
