import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FlyballError } from 'flyball';
import { describe, expect, it, onTestFinished } from 'vitest';
import { claimBy, entry, newRun } from './runs.js';
import { asAdmin, freshSchema, open, startServer, whyNoServer } from './server.js';

const why =
  whyNoServer() ??
  (process.env['FLYBALL_POSTGRES_URL'] === undefined ? undefined : 'this test needs a server of its own') ??
  (process.getuid?.() === 0 ? undefined : 'only root may mount a small disk');
if (why !== undefined) process.stdout.write(`Skipped the full disk of PostgreSQL: ${why}.\n`);

describe.skipIf(why !== undefined)('the disk of PostgreSQL', () => {
  it('is full: that is said, nothing is half written, and it goes on when there is room [R10-PG-BAD-INPUT]', async (test) => {
    const server = await startServer();
    onTestFinished(() => server.remove());
    const disk = join(server.folder, 'disk');
    mkdirSync(disk);
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', disk]).status !== 0)
      return test.skip('mount was refused');
    onTestFinished(() => void spawnSync('umount', ['-l', disk]));
    const user = Number(spawnSync('id', ['-u', 'postgres'], { encoding: 'utf8' }).stdout);
    chownSync(disk, user, 0);
    mkdirSync(join(disk, 'tables'));
    chownSync(join(disk, 'tables'), user, 0);
    writeFileSync(join(disk, 'filler'), Buffer.alloc(6_000_000));
    await asAdmin(server.url, `CREATE TABLESPACE small LOCATION '${join(disk, 'tables')}'`);
    await asAdmin(server.url, 'ALTER DATABASE postgres SET default_tablespace = small');

    const engine = await open(server.url, { schema: freshSchema() });
    await engine.create(newRun('a'));
    const claim = await claimBy(engine, 'a', 'me');
    const large = (seq: number) => entry(seq, { body: Array.from({ length: 6_000 }, () => Math.random()).join() });
    let seq = 1;
    const error = await (async () => {
      for (; seq < 1_000; seq++) await engine.append(claim, { entries: [large(seq)] });
    })().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(FlyballError);
    expect(error).toMatchObject({ code: 'STORAGE_FULL', retryable: true });
    expect(await engine.read('a', { generation: 0 })).toHaveLength(seq);
    rmSync(join(disk, 'filler'));
    await engine.append(claim, { entries: [large(seq)] });
    expect(await engine.read('a', { generation: 0 })).toHaveLength(seq + 1);
    await engine.close();
  });
});
