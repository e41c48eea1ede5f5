import { describe, it } from 'vitest';
import { storeContract } from '../../testing/store-contract.js';
import { memoryStore } from './memory-store.js';

storeContract(
  { describe, it },
  'memory [R2-STORE-RECORDS] [R2-STORE-PROPOSE] [R2-STORE-ERASE] [R2-STORE-OWNER]',
  async () => ({ store: memoryStore(), close: async () => undefined }),
);
