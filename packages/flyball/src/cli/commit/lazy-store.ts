import type { Store } from '../../ports/store.js';

/** A store that is opened when it is first needed: a definition that is only looked at leaves no file behind. */
export function lazyStore(open: () => Promise<Store>): Store {
  let opened: Promise<Store> | undefined;
  const store = (): Promise<Store> => {
    opened ??= open();
    return opened;
  };
  return {
    get: async (at) => (await store()).get(at),
    query: async (query) => (await store()).query(query),
    propose: async (at, change) => (await store()).propose(at, change),
    commit: async (at, proposal, now) => (await store()).commit(at, proposal, now),
    drop: async (at, proposal) => (await store()).drop(at, proposal),
    erase: async (at, now) => (await store()).erase(at, now),
    history: async (at) => (await store()).history(at),
  };
}
