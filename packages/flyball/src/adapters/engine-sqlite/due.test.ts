import { describe, expect, it } from 'vitest';
import { availableDrivers, temporaryFile } from './available-drivers.test-data.js';
import { openDatabase } from './driver.js';
import { NEXT, OVERDUE, OWNED, OWNERS, READY } from './due.js';

describe.each(await availableDrivers())('looking for due runs on %s', (driver) => {
  it('goes by index, so that waking one run does not scan those that wait [R2-SHOW-SUSPENDED-WAKE]', async () => {
    const file = temporaryFile(driver);
    await (await file.open()).close();
    const database = await openDatabase(file.path, driver);
    const planOf = (sql: string, ...values: (string | number)[]) =>
      database
        .all(`EXPLAIN QUERY PLAN ${sql}`, ...values)
        .map(({ detail }) => String(detail))
        .join('; ');
    const plans = [
      planOf(READY, '["a"]', 10),
      planOf(OVERDUE, 1, '["a"]', 10),
      planOf(NEXT, 1),
      planOf(OWNERS),
      planOf(OWNED, 'owner', '["a"]', 10),
    ];
    database.close();
    file.remove();
    expect(plans[0]).toMatch(/SEARCH runs USING INDEX runs_due \(ready=\?/);
    expect(plans[1]).toMatch(/SEARCH runs USING INDEX runs_due \(ready=\? AND due_at<\?\)/);
    expect(plans[2]).toMatch(/SEARCH runs USING (COVERING )?INDEX runs_due \(ready=\? AND due_at>\?\)/);
    expect(plans[3]).toMatch(/USING COVERING INDEX runs_owned/);
    expect(plans[4]).toMatch(/SEARCH runs USING INDEX runs_owned \(owner=\?\)/);
    for (const plan of plans) expect(plan).not.toMatch(/SCAN runs(?! USING COVERING INDEX runs_owned)|TEMP B-TREE/);
  });
});
