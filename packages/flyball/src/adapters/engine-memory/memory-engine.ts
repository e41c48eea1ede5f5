import { ConfigError } from '../../core/errors.js';
import type { Engine } from '../../ports/engine.js';
import { MemoryState } from './memory-state.js';
import { retentionIn } from './retention.js';
import { journalsIn } from './run-journals.js';
import { messagesIn } from './run-messages.js';
import { ownershipIn, recordsIn } from './run-ownership.js';

/** Options of `memoryEngine`. */
export interface MemoryEngineOptions {
  /** Lets it be used where `NODE_ENV` is `production`, although every run is gone when the process ends. */
  readonly acceptLoss?: boolean;
}

/**
 * Stores runs in the memory of this process, for tests. The data outlives a runtime, so a test can crash one runtime
 * and resume with another. Throws where `NODE_ENV` is `production`, unless `acceptLoss` is set.
 */
export function memoryEngine({ acceptLoss = false }: MemoryEngineOptions = {}): Engine {
  if (!acceptLoss && process.env['NODE_ENV'] === 'production')
    throw new ConfigError(
      'memoryEngine loses every run when the process ends, and NODE_ENV is production. Use sqliteEngine({ path }), or pass { acceptLoss: true }.',
    );
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
