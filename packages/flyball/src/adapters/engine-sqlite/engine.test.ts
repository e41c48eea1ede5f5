import { describe, it } from 'vitest';
import { engineContract } from '../../testing/engine-contract.js';
import { storeContract } from '../../testing/store-contract.js';
import { availableDrivers, temporaryFile } from './available-drivers.test-data.js';

for (const driver of await availableDrivers()) {
  engineContract({ describe, it }, `${driver} [R2-ENGINE-SQLITE] [R2-ENGINE-DRIVERS] [R2-LEASE]`, async () => {
    const file = temporaryFile(driver);
    const engine = await file.open();
    return {
      engine,
      reopen: () => file.open(),
      async close() {
        await engine.close();
        file.remove();
      },
    };
  });

  storeContract({ describe, it }, `${driver} [R2-STORE-RECORDS] [R2-STORE-PROPOSE] [R2-STORE-OWNER]`, async () => {
    const file = temporaryFile(driver);
    const engine = await file.open();
    return {
      store: engine.store,
      async close() {
        await engine.close();
        file.remove();
      },
    };
  });
}
