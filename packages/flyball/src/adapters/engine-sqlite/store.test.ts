import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { availableDrivers, temporaryFile } from './available-drivers.test-data.js';

describe.each(await availableDrivers())('the store on %s', (driver) => {
  it('leaves no trace of erased contents in its files [R2-STORE-ERASE]', async () => {
    const file = temporaryFile(driver);
    const engine = await file.open();
    const at = { tenant: 't', owner: 'o', collection: 'c', key: 'k' };
    const isOnDisk = () =>
      readdirSync(dirname(file.path)).some((name) =>
        readFileSync(join(dirname(file.path), name)).includes('my secret'),
      );
    await engine.store.propose(at, { id: 'p', over: 0, value: 'my secret', now: 1 });
    await engine.store.commit(at, 'p', 1);
    await engine.store.propose(at, { id: 'q', over: 1, value: 'my secret too', now: 1 });
    expect(isOnDisk()).toBe(true);
    await engine.store.erase(at, 2);
    expect(isOnDisk()).toBe(false);
    await engine.close();
    file.remove();
  });

  it('reads on past records that do not match, however many there are', async () => {
    const file = temporaryFile(driver);
    const engine = await file.open();
    const put = async (key: string, value: unknown) => {
      const at = { tenant: 't', owner: 'o', collection: 'c', key };
      await engine.store.propose(at, { id: 'p', over: 0, value, now: 1 });
      await engine.store.commit(at, 'p', 1);
    };
    await Promise.all(
      Array.from({ length: 450 }, (_, n) => put(`k${String(n).padStart(3, '0')}`, { last: n === 449 })),
    );
    const { records } = await engine.store.query({ tenant: 't', owner: 'o', collection: 'c', where: { last: true } });
    expect(records.map(({ key }) => key)).toEqual(['k449']);
    await engine.close();
    file.remove();
  });
});
