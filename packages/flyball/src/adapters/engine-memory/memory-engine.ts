import type { Engine } from '../../ports/engine.js';
import { MemoryState } from './memory-state.js';
import { retentionIn } from './retention.js';
import { journalsIn } from './run-journals.js';
import { messagesIn } from './run-messages.js';
import { ownershipIn, recordsIn } from './run-ownership.js';

/**
 * Stores runs in the memory of this process, for tests. The data outlives a runtime, so a test can crash one runtime
 * and resume with another.
 */
export function memoryEngine(): Engine {
  const state = new MemoryState();
  return {
    kind: 'memory',
    ...journalsIn(state),
    ...ownershipIn(state),
    ...recordsIn(state),
    ...messagesIn(state),
    ...retentionIn(state),
    close: async () => state.listeners.clear(),
  };
}
