import type { Owner } from '../core/events.js';
import type { Host } from '../ports/host.js';

/** A simulated process for tests. After `die()`, it is proven gone for all others. */
export function testHost(id: string, gone: Set<string> = new Set()): Host & { readonly id: string; die(): void } {
  const owner: Owner = { id, host: 'test', bootId: 'test', pid: 1, startTime: id };
  return {
    id,
    owner: () => owner,
    isGone: (other) => gone.has(other.id),
    die: () => {
      gone.add(id);
    },
  };
}
