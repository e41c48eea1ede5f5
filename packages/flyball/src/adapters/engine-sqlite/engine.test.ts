import { describe, it } from 'vitest';
import type { EngineDamage } from '../../testing/contracts/engine-fixture.js';
import { engineContract } from '../../testing/engine-contract.js';
import { storeContract } from '../../testing/store-contract.js';
import { availableDrivers, temporaryFile } from './available-drivers.test-data.js';
import { openDatabase } from './driver.js';

/** The statement that does it. */
function damaging(damage: EngineDamage): string {
  if (damage.what === 'worker') {
    const { id, as = '{', until } = damage;
    const change = until === undefined ? `worker = '${as}'` : `until = ${until}`;
    return `UPDATE workers SET ${change} WHERE id = '${id}'`;
  }
  const ofRun = `run = (SELECT n FROM runs WHERE id = '${damage.run}')`;
  switch (damage.what) {
    case 'entry':
      return `UPDATE events SET body = '{}' WHERE ${ofRun} AND gen = ${damage.generation} AND seq = ${damage.seq}`;
    case 'missing-entry':
      return `DELETE FROM events WHERE ${ofRun} AND gen = ${damage.generation} AND seq = ${damage.seq}`;
    case 'record':
      return `UPDATE runs SET tenant = 'other' WHERE id = '${damage.run}'`;
    case 'owner':
      return `UPDATE runs SET owner = '{' WHERE id = '${damage.run}'`;
    case 'fork':
      return `UPDATE runs SET fork = '{"run":"${damage.of}","generation":0,"seq":0}' WHERE id = '${damage.run}'`;
    case 'message':
      return `UPDATE inbox SET body = '9' WHERE ${ofRun} AND id = '${damage.id}'`;
  }
}

for (const driver of await availableDrivers()) {
  const open = async () => {
    const file = temporaryFile(driver);
    const engine = await file.open();
    return {
      engine,
      reopen: () => file.open(),
      async damage(damage: EngineDamage) {
        const database = await openDatabase(file.path, driver);
        database.exec(damaging(damage));
        database.close();
      },
      async close() {
        await engine.close();
        file.remove();
      },
    };
  };
  const shows = '[R2-ENGINE-SQLITE] [R2-ENGINE-DRIVERS] [R2-LEASE] [R10-PG-QUARANTINE]';
  engineContract({ describe, it }, `${driver} ${shows}`, open, { damages: true });

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
