import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { append, bodies, claimed, entry } from '../../testing/contracts/engine-fixture.js';
import { availableDrivers } from './available-drivers.test-data.js';
import { backupDatabase } from './backup.js';
import { sqliteEngine } from './engine.js';

const mounted: string[] = [];
afterEach(() => {
  // lazily, because libsql lets go of a closed file only when it is collected
  for (const path of mounted.splice(0).reverse()) {
    execFileSync('umount', ['-l', path]);
    rmSync(path, { recursive: true });
  }
});

interface Disk {
  readonly path: string;
  /** The same disk at another place, where nothing can be written. */
  readOnly(): string;
}

/** A small file system of its own; needs root on Linux. Undefined, with the reason on the terminal, where that is refused. */
function smallDisk(kilobytes: number): Disk | undefined {
  const path = mkdtempSync(join(tmpdir(), 'flyball-disk-'));
  const mount = (...parameters: string[]) => execFileSync('mount', parameters, { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    mount('-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', path);
  } catch (error) {
    process.stdout.write(
      `Skipped, no disk of its own: ${error instanceof Error ? error.message.trim() : String(error)}\n`,
    );
    rmSync(path, { recursive: true });
    return undefined;
  }
  mounted.push(path);
  return {
    path,
    readOnly() {
      const view = mkdtempSync(join(tmpdir(), 'flyball-disk-'));
      mount('--bind', path, view);
      mount('-o', 'remount,bind,ro', view);
      mounted.push(view);
      return view;
    },
  };
}

const freeBytes = (path: string): number => {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
};

describe.each(await availableDrivers())('the disk under %s', (driver) => {
  it('is created as deep as the path says', async () => {
    const root = mkdtempSync(join(tmpdir(), 'flyball-disk-'));
    const engine = await sqliteEngine({ path: join(root, 'a/b/runs.db'), driver });
    await claimed(engine, 'a');
    await engine.close();
    rmSync(root, { recursive: true });
  });

  it('may be too small for a backup: the copy is named, and nothing of it stays [R8-REST-NAMED]', async (test) => {
    const disk = smallDisk(64);
    if (disk === undefined) return test.skip('mount was refused');
    const root = mkdtempSync(join(tmpdir(), 'flyball-disk-'));
    const from = join(root, 'runs.db');
    const engine = await sqliteEngine({ path: from, driver });
    await claimed(engine, 'a');
    const to = join(disk.path, 'copy.db');
    await expect(backupDatabase({ from, to, driver })).rejects.toMatchObject({
      code: 'STORAGE_FULL',
      message: expect.stringContaining(`The disk of ${to} is full`),
    });
    expect(readdirSync(disk.path)).toEqual([]);
    await engine.close();
    rmSync(root, { recursive: true });
  });

  it('may be full: what was confirmed stays, and later appends work once there is room [R2-BAD-FULL]', async (test) => {
    const disk = smallDisk(8_192);
    if (disk === undefined) return test.skip('mount was refused');
    const path = join(disk.path, 'runs.db');
    const engine = await sqliteEngine({ path, driver });
    const claim = await claimed(engine, 'a');
    const ballast = join(disk.path, 'ballast');
    writeFileSync(ballast, Buffer.alloc(Math.max(0, freeBytes(disk.path) - 2_000_000)));

    let confirmed = 1;
    let failure: unknown;
    for (let seq = 1; seq < 1_000 && failure === undefined; seq += 1) {
      await engine.append(claim, { entries: [entry(seq, { body: 'z'.repeat(4_000) })] }).then(
        () => (confirmed += 1),
        (error: unknown) => (failure = error),
      );
    }
    expect(failure).toMatchObject({
      code: 'STORAGE_FULL',
      retryable: true,
      message: expect.stringContaining('Free some space'),
    });
    expect(confirmed).toBeGreaterThan(5);
    expect(await bodies(engine, 'a')).toHaveLength(confirmed);

    rmSync(ballast);
    await append(engine, claim, confirmed); // the same place: the failed one left nothing
    await engine.close();
    const again = await sqliteEngine({ path, driver });
    expect(await bodies(again, 'a')).toHaveLength(confirmed + 1);
    await again.close();
  });

  it('may be too full to begin [R2-BAD-FULL]', async (test) => {
    const disk = smallDisk(64);
    if (disk === undefined) return test.skip('mount was refused');
    writeFileSync(join(disk.path, 'ballast'), Buffer.alloc(freeBytes(disk.path)));
    await expect(sqliteEngine({ path: join(disk.path, 'runs.db'), driver })).rejects.toMatchObject({
      code: 'STORAGE_FULL',
    });
  });

  it('may fill up at any moment while a new database is made: the reason is always told [R7-TRIAL-B10]', async (test) => {
    const disk = smallDisk(4_096);
    if (disk === undefined) return test.skip('mount was refused');
    const ends = new Set<string>();
    for (const free of [4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 1_024]) {
      const ballast = join(disk.path, 'ballast');
      writeFileSync(ballast, Buffer.alloc(Math.max(0, freeBytes(disk.path) - free * 1_024)));
      const folder = join(disk.path, `free-${free}`);
      const end = await sqliteEngine({ path: join(folder, 'runs.db'), driver }).then(
        async (engine) => {
          await engine.close();
          return 'opened';
        },
        ({ code, retryable, message }) => `${code} ${retryable === true ? 'retryable' : message}`,
      );
      ends.add(end);
      rmSync(folder, { recursive: true, force: true });
      rmSync(ballast);
    }
    expect([...ends].sort()).toEqual(['STORAGE_FULL retryable', 'opened']);
  });

  it('may be read-only from the start [R2-BAD-READ-ONLY]', async (test) => {
    const disk = smallDisk(2_048);
    if (disk === undefined) return test.skip('mount was refused');
    const path = join(disk.path, 'runs.db');
    const engine = await sqliteEngine({ path, driver });
    await claimed(engine, 'a');
    await engine.close();
    const view = disk.readOnly();
    await expect(sqliteEngine({ path: join(view, 'runs.db'), driver })).rejects.toMatchObject({
      code: 'STORAGE_READ_ONLY',
      message: expect.stringContaining('write access'),
    });
    await expect(sqliteEngine({ path: join(view, 'new/runs.db'), driver })).rejects.toMatchObject({
      code: 'STORAGE_READ_ONLY',
    });
    const again = await sqliteEngine({ path, driver });
    expect(await bodies(again, 'a')).toHaveLength(1);
    await again.close();
  });

  it.skipIf(process.getuid?.() === 0)('may hold a file this user cannot write', async () => {
    const root = mkdtempSync(join(tmpdir(), 'flyball-disk-'));
    const path = join(root, 'runs.db');
    await (await sqliteEngine({ path, driver })).close();
    chmodSync(path, 0o444);
    await expect(sqliteEngine({ path, driver })).rejects.toMatchObject({ code: 'STORAGE_READ_ONLY' });
    rmSync(root, { recursive: true });
  });
});
