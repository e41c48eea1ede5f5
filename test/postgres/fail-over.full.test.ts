import { describe, expect, it, onTestFinished } from 'vitest';
import { expectWhole, written } from './load.js';
import { asAdmin, freshSchema, open, startServer, whyNoServer } from './server.js';
import { STANDBY, startStandby } from './standby.js';

const why =
  whyNoServer() ??
  (process.env['FLYBALL_POSTGRES_URL'] === undefined ? undefined : 'these tests kill their server, and need their own');
if (why !== undefined) process.stdout.write(`Skipped fail-over of PostgreSQL: ${why}.\n`);

describe.skipIf(why !== undefined)('PostgreSQL with a synchronous standby', () => {
  it('loses and doubles nothing when the standby takes over in the middle of commits [R10-PG-REPLICA]', async () => {
    const primary = await startServer({ synchronous_standby_names: STANDBY });
    onTestFinished(() => primary.remove());
    const options = { schema: freshSchema(), replicated: true };
    await expect(open(primary.url, { ...options, patienceMs: 500 })).rejects.toMatchObject({
      code: 'STORAGE_BUSY',
      message: expect.stringContaining('No synchronous standby is connected'),
    });
    const standby = await startStandby(primary);
    onTestFinished(() => standby.stop());
    const states = () => asAdmin(primary.url, 'SELECT sync_state FROM pg_stat_replication');
    await expect.poll(states, { interval: 50 }).toEqual([{ sync_state: 'sync' }]);
    await expect(open(standby.url, options)).rejects.toMatchObject({ code: 'STORAGE_READ_ONLY' });
    const notices: string[] = [];
    const onNotice = (text: string) => void notices.push(text);
    const engine = await open(primary.url, { ...options, url: [primary.url, standby.url], onNotice });
    expect(notices).toEqual([]);
    const counts = await written(engine, { runs: 12, least: 80 }, async () => {
      if ((await engine.read('run-0', { generation: 0 })).length < 20) return false;
      primary.kill();
      standby.promote();
      return true;
    });
    await expectWhole(engine, counts);
    // nobody follows the new primary yet: runs go on, and that is said
    expect(notices).toEqual([expect.stringMatching(/synchronous_standby_names is empty.*another fail-over can lose/)]);
    expect(await asAdmin(standby.url, `SELECT count(*)::int AS n FROM ${options.schema}.events`)).toEqual([
      { n: [...counts.values()].reduce((sum, entries) => sum + entries + 1, 0) },
    ]);
    await engine.close();
  });
});
