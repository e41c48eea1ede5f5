import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { append, bodies, claimed, entry, message } from '../../testing/contracts/engine-fixture.js';
import { availableDrivers, type TemporaryFile, temporaryFile } from './available-drivers.test-data.js';
import { openDatabase } from './driver.js';

/** The files as a process that dies now would leave them, put beside them under another name. */
function crashImage(from: TemporaryFile, to: TemporaryFile): void {
  for (const end of ['', '-wal', '.tip']) {
    if (existsSync(from.path + end)) copyFileSync(from.path + end, to.path + end);
  }
}

function overwrite(path: string, position: number, bytes: Buffer): void {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, position);
  closeSync(file);
}

describe.each(await availableDrivers())('a damaged file on %s', (driver) => {
  let file: TemporaryFile;
  let image: TemporaryFile;

  beforeEach(() => {
    file = temporaryFile(driver);
    image = temporaryFile(driver);
  });
  afterEach(() => {
    file.remove();
    image.remove();
  });

  /** A run with `entries` entries, each in a commit of its own; answers the size of the log before the last commit. */
  async function crashAfter(entries: number): Promise<number> {
    const engine = await file.open();
    const claim = await claimed(engine, 'a');
    let size = 0;
    for (let seq = 1; seq < entries; seq += 1) {
      size = statSync(`${file.path}-wal`).size;
      await append(engine, claim, seq);
    }
    crashImage(file, image);
    await engine.close();
    return size;
  }

  it('has everything that was confirmed before a crash', async () => {
    await crashAfter(20);
    const engine = await image.open();
    expect(await bodies(engine, 'a')).toHaveLength(20);
    await engine.close();
  });

  it('is refused when the log has lost commits, with the number of lost records [R2-SHOW-TORN-TAIL]', async () => {
    const size = await crashAfter(20);
    truncateSync(`${image.path}-wal`, size);
    const refused = await image.open().catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'JOURNAL_TRUNCATED',
      message: expect.stringContaining('(journal entries: 1)'),
    });
    expect((refused as Error).message).toContain('acceptLoss: true');
    await expect(image.open()).rejects.toMatchObject({ code: 'JOURNAL_TRUNCATED' }); // opening it repaired nothing
  });

  it('goes on without the lost records once that is accepted, and is sound from there on', async () => {
    const size = await crashAfter(20);
    truncateSync(`${image.path}-wal`, size - 10_000); // cuts into earlier commits too
    const accepted = await image.open({ acceptLoss: true });
    const left = (await bodies(accepted, 'a')).length;
    expect(left).toBeLessThan(19);
    await accepted.close();
    const engine = await image.open();
    expect(await bodies(engine, 'a')).toHaveLength(left);
    await engine.close();
  });

  it('is refused when a commit in the log is torn, not only cut', async () => {
    const size = await crashAfter(20);
    overwrite(`${image.path}-wal`, size + 24 + 100, Buffer.alloc(64, 0xff));
    await expect(image.open()).rejects.toMatchObject({ code: 'JOURNAL_TRUNCATED' });
  });

  it('is refused when the whole log is gone', async () => {
    await crashAfter(5);
    rmSync(`${image.path}-wal`);
    await expect(image.open()).rejects.toMatchObject({ code: expect.stringMatching(/^JOURNAL_(TRUNCATED|CORRUPT)$/) });
  });

  it('recovers from the torn tail of a transaction that was never committed [R2-SHOW-TORN-TAIL] [V10.7] [V10.acceptance]', async () => {
    await crashAfter(20);
    const log = readFileSync(`${image.path}-wal`);
    writeFileSync(`${image.path}-wal`, Buffer.concat([log, log.subarray(32, 32 + 3_000)])); // a frame, begun and cut off
    const engine = await image.open();
    expect(await bodies(engine, 'a')).toHaveLength(20);
    await engine.close();
  });

  it('misses messages, runs and store records as it misses entries', async () => {
    const engine = await file.open();
    const claim = await claimed(engine, 'a');
    const size = statSync(`${file.path}-wal`).size;
    await engine.post('a', message('m'));
    await claimed(engine, 'b', { first: { entries: [] } });
    const at = { tenant: 't', owner: 'o', collection: 'c', key: 'k' };
    await engine.store.propose(at, { id: 'p', over: 0, value: 1, now: 1 });
    await engine.store.commit(at, 'p', 1);
    crashImage(file, image);
    await engine.release(claim, { status: 'done', now: 1 });
    await engine.close();
    truncateSync(`${image.path}-wal`, size);
    await expect(image.open()).rejects.toThrow(/\(messages: 1, runs: 1, store records: 1\)/);
  });

  it('is refused when it was emptied or deleted, before SQLite can delete the log beside it', async () => {
    await crashAfter(5);
    const log = statSync(`${image.path}-wal`).size;
    truncateSync(image.path, 0);
    await expect(image.open()).rejects.toMatchObject({ code: 'JOURNAL_TRUNCATED' });
    rmSync(image.path);
    await expect(image.open()).rejects.toMatchObject({ code: 'JOURNAL_TRUNCATED' });
    expect(statSync(`${image.path}-wal`).size).toBe(log);
    await (await image.open({ acceptLoss: true })).close();
    await (await image.open()).close();
  });

  it('is refused as corrupt when it is cut short', async () => {
    const engine = await file.open();
    const claim = await claimed(engine, 'a');
    await engine.append(claim, { entries: [entry(1, { body: 'x'.repeat(50_000) })] });
    await engine.close();
    crashImage(file, image);
    truncateSync(image.path, statSync(image.path).size - 20_000);
    const refused = await image.open().catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'JOURNAL_CORRUPT', message: expect.stringContaining('Restore a backup') });
  });

  it('is refused as corrupt when it is no database at all, and stays as it is', async () => {
    const text = 'these are my notes, not a database. '.repeat(100);
    writeFileSync(file.path, text);
    await expect(file.open()).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
    expect(readFileSync(file.path, 'utf8')).toBe(text);
  });

  it('answers JOURNAL_CORRUPT when a page that is read turns out to be damaged', async () => {
    const engine = await file.open();
    const claim = await claimed(engine, 'a');
    for (let seq = 1; seq < 200; seq += 1)
      await engine.append(claim, { entries: [entry(seq, { body: 'y'.repeat(8_000) })] });
    await engine.close();
    crashImage(file, image);
    const size = statSync(image.path).size;
    const page = 16_384;
    for (let n = 40; n < size / page - 10; n += 1) overwrite(image.path, n * page, Buffer.alloc(100, 0xff));
    const opened = await image.open();
    await expect(opened.read('a', { generation: 0 })).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
    await opened.close();
  });

  it.each(['', '-wal'])(
    'confirms nothing once it was removed or replaced while open: runs.db%s [F-C13]',
    async (end) => {
      const engine = await file.open();
      const claim = await claimed(engine, 'a');
      await append(engine, claim, 1);
      copyFileSync(file.path + end, `${file.path}.other`);
      rmSync(file.path + end);
      const gone = await append(engine, claim, 2).catch((error: unknown) => error);
      expect(gone).toMatchObject({ code: 'STORAGE_FAILED', message: expect.stringContaining('removed or replaced') });
      renameSync(`${file.path}.other`, file.path + end);
      await expect(engine.release(claim, { status: 'done', now: 1 })).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
      await engine.close();
    },
  );

  it.each([
    ['to nothing', 0],
    ['in the middle', 0.5],
    ['at its end', 0.99],
  ])('confirms nothing once its log was cut while open: %s [R7-APPROVE-LOG]', async (_where, part) => {
    const engine = await file.open();
    const claim = await claimed(engine, 'a');
    for (let seq = 1; seq < 9; seq += 1) await append(engine, claim, seq);
    const whole = statSync(`${file.path}-wal`).size;
    truncateSync(`${file.path}-wal`, Math.floor(whole * part));
    for (const seq of [9, 10])
      expect(await append(engine, claim, seq).catch((error: unknown) => error)).toMatchObject({
        code: 'STORAGE_FAILED',
        message: expect.stringContaining('was cut while it was open'),
      });
    await engine.close();
    crashImage(file, image);
    // what is left can be opened by whoever accepts the loss, and by nobody else
    await expect(image.open()).rejects.toMatchObject({ code: 'JOURNAL_TRUNCATED' });
    await (await image.open({ acceptLoss: true })).close();
  });

  it('raises no alarm when another process empties the log into the database [R7-APPROVE-LOG]', async () => {
    const engine = await file.open();
    const claim = await claimed(engine, 'a');
    const other = await openDatabase(file.path, driver);
    for (let seq = 1; seq < 20; seq += 1) {
      await append(engine, claim, seq);
      if (seq % 3 === 0) other.all('PRAGMA wal_checkpoint(TRUNCATE)');
      if (seq % 5 === 0) other.all('PRAGMA wal_checkpoint(RESTART)');
    }
    other.close();
    await engine.close();
    const again = await file.open();
    expect(await bodies(again, 'a')).toHaveLength(20);
    await again.close();
  });

  it('is refused when it was copied without its log while in use, and not when it was closed before [F-C13]', async () => {
    const engine = await file.open();
    await claimed(engine, 'a');
    copyFileSync(file.path, image.path);
    await engine.close();
    const refused = await image.open().catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'JOURNAL_TRUNCATED', message: expect.stringContaining('runs.db-wal') });
    await (await image.open({ acceptLoss: true })).close();
    rmSync(`${image.path}.tip`);
    copyFileSync(file.path, image.path);
    const copy = await image.open();
    expect(await bodies(copy, 'a')).toHaveLength(1);
    await copy.close();
  });

  it('names a tip that is damaged, wherever a bit is flipped, and goes on once that is accepted [R7-TRIAL-B6]', async () => {
    await crashAfter(5);
    const tip = readFileSync(`${image.path}.tip`);
    for (let at = 0; at < tip.length; at += 61) {
      const flipped = Buffer.from(tip);
      flipped.writeUInt8((tip[at] ?? 0) ^ (1 << (at % 8)), at);
      writeFileSync(`${image.path}.tip`, flipped);
      await expect(image.open(), `byte ${at}`).rejects.toMatchObject({
        code: 'JOURNAL_CORRUPT',
        message: expect.stringContaining(`${image.path}.tip is damaged`),
      });
    }
    writeFileSync(`${image.path}.tip`, tip.subarray(0, tip.length / 2));
    await expect(image.open()).rejects.toThrow('.tip is damaged');
    await (await image.open({ acceptLoss: true })).close();
    const engine = await image.open();
    expect(await bodies(engine, 'a')).toHaveLength(5);
    await engine.close();
  });

  /** What a process is warned of while it opens the file. */
  async function warnings(): Promise<string> {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const engine = await image.open();
    const said = warned.mock.calls.map(([text]) => String(text)).join('\n');
    warned.mockRestore();
    expect((await bodies(engine, 'a')).length).toBeGreaterThan(0);
    await engine.close();
    return said;
  }

  it.each(['removed', 'emptied'])(
    'opens where the tip was %s, and says that a loss cannot be noticed [R7-TRIAL-B6]',
    async (how) => {
      const size = await crashAfter(5);
      if (how === 'removed') rmSync(`${image.path}.tip`);
      else writeFileSync(`${image.path}.tip`, '');
      truncateSync(`${image.path}-wal`, size); // and so nobody can tell that an entry is gone
      const said = await warnings();
      expect(said).toContain(`${image.path}.tip is missing`);
      expect(await warnings()).toBe(''); // from here on there is one
      rmSync(`${image.path}.tip`);
      expect(await warnings()).toBe(''); // it was closed, so it is whole by itself
    },
  );

  it('raises no alarm after a transaction that was rolled back', async () => {
    let crashes = false;
    const hooks = {
      beforeCommit: () => {
        if (crashes) throw new Error('crash');
      },
    };
    const engine = await file.open({ hooks });
    const claim = await claimed(engine, 'a');
    crashes = true;
    await expect(append(engine, claim, 1)).rejects.toThrow('crash');
    crashes = false;
    await engine.post('a', message('m')); // a later commit writes the tip
    await engine.close();
    await (await file.open()).close();
  });
});
