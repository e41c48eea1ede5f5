import { type OpenStore, recordContract, type StoreTest } from './contracts/store-records.js';
import type { ContractSuite } from './contracts/suite.js';

/** Contract tests for stores. Every test opens a new store. */
export function storeContract(suite: ContractSuite, name: string, open: () => Promise<OpenStore>): void {
  suite.describe(`store contract: ${name}`, () => {
    recordContract((title: string, body: StoreTest) => {
      suite.it(title, async () => {
        const { store, close } = await open();
        try {
          await body(store);
        } finally {
          await close();
        }
      });
    });
  });
}
