import { through } from '../core/join-seams.js';
import type { SeamContext, Seams } from '../core/seams.js';
import type { Store } from '../ports/store.js';

/** A store whose writes pass the `state.write` seam: middleware can change the value, or throw to refuse the write. */
export function governedStore(store: Store, seams: Seams, who: Omit<SeamContext, 'at'>): Store {
  const guard = through(seams, 'state.write', async (write) => write.value);
  return {
    ...store,
    async propose(at, change) {
      const value = await guard(
        { collection: at.collection, key: at.key, value: change.value },
        { ...who, at: `${at.collection}/${at.key}` },
      );
      return store.propose(at, { ...change, value });
    },
  };
}
