import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FlyballError } from 'flyball';
import { describe, expect, it, onTestFinished } from 'vitest';
import { claimBy, entry, newRun } from './runs.js';
import { asAdmin, freshSchema, open, startServer, type TestServer, whyNoServer } from './server.js';

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

  it('has no room for its log, and the server stops: that is said, nothing that was confirmed is lost, and it goes on when there is room and it is started again [R10-PG-BAD-INPUT]', async (test) => {
    const server = await startServer({ max_wal_size: '32MB', min_wal_size: '32MB' });
    onTestFinished(() => server.remove());
    const engine = await open(server.url, { schema: freshSchema(), patienceMs: 2_000 });
    onTestFinished(() => engine.close());
    await engine.create(newRun('a'));
    const disk = smallLog(server);
    if (disk === undefined) return test.skip('mount was refused');
    onTestFinished(() => void spawnSync('umount', ['-l', disk]));
    const claim = await claimBy(engine, 'a', 'me');
    const large = (seq: number) => entry(seq, { body: Array.from({ length: 6_000 }, () => Math.random()).join() });
    let seq = 1;
    let last = large(seq);
    const error = await (async () => {
      for (; seq < 1_000; seq++) {
        last = large(seq);
        await engine.append(claim, { entries: [last] });
      }
    })().catch((reason: unknown) => reason);
    // it may have been written: what the server had no room for is the log, which it reads when it starts
    expect(error).toMatchObject({ code: 'STORAGE_UNCERTAIN', detail: { runId: 'a' } });
    expect((error as Error).message).toMatch(
      /stopped because its disk is full .*No space left.* start PostgreSQL again/,
    );
    await expect(engine.create(newRun('b'))).rejects.toMatchObject({ code: 'STORAGE_BUSY', retryable: true });
    rmSync(join(disk, 'filler'));
    server.start();
    expect([seq, seq + 1]).toContain((await engine.read('a', { generation: 0 })).length);
    await engine.append(claim, { entries: [last] });
    await engine.append(claim, { entries: [large(seq + 1)] });
    await engine.create(newRun('b'));
    const all = await engine.read('a', { generation: 0 });
    expect([all.length, all[seq]?.body]).toEqual([seq + 2, last.body]);
  });
});

const LEFT_KB = 4_096;

/** Moves the log of a server to a disk with room for a quarter of a segment more; undefined where nothing can be mounted. */
function smallLog(server: TestServer): string | undefined {
  const data = join(server.folder, 'data');
  const disk = join(server.folder, 'log-disk');
  mkdirSync(disk);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', disk]).status !== 0) return undefined;
  server.run('pg_ctl', '-D', data, '-m', 'fast', '-w', 'stop');
  const moved = `cp -a ${data}/pg_wal ${disk}/ && rm -rf ${data}/pg_wal && ln -s ${disk}/pg_wal ${data}/pg_wal && chown postgres ${disk}`;
  if (spawnSync('sh', ['-c', moved]).status !== 0) throw new Error('The log could not be moved.');
  const free = spawnSync('df', ['-k', '--output=avail', disk], { encoding: 'utf8' }).stdout.split('\n')[1];
  writeFileSync(join(disk, 'filler'), Buffer.alloc((Number(free) - LEFT_KB) * 1_024));
  server.start();
  return disk;
}
