import type { Engine } from '../../ports/engine.js';
import { MemoryState } from './memory-state.js';
import { retentionIn } from './retention.js';
import { journalsIn } from './run-journals.js';
import { messagesIn } from './run-messages.js';
import { ownershipIn, recordsIn } from './run-ownership.js';

/**
 * Runs in the memory of this process. It outlives a runtime that is dropped in the middle of a run, so a test can
 * crash one and resume with the next. "Durable" here means: still there for that next one.
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
