import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Claim } from '../../ports/engine.js';
import { append, bodies, claimed, entry, message, newRun, renewed } from '../../testing/contracts/engine-fixture.js';
import { availableDrivers, type TemporaryFile, temporaryFile } from './available-drivers.test-data.js';
import type { Database } from './database.js';
import { openDatabase } from './driver.js';
import type { SqliteEngine } from './engine.js';

describe.each(await availableDrivers())('group commit on %s', (driver) => {
  let file: TemporaryFile;
  let engine: SqliteEngine;
  let other: Database;
  const commits: number[] = [];
  let before: (n: number) => void = () => undefined;
  let after: (n: number) => void = () => undefined;

  beforeEach(async () => {
    file = temporaryFile(driver);
    const hooks = {
      beforeCommit: (n: number) => before(n),
      afterCommit: (n: number) => {
        commits.push(n);
        after(n);
      },
    };
    engine = await file.open({ busyMs: 300, hooks });
    other = await openDatabase(file.path, driver);
    other.exec('PRAGMA busy_timeout = 0');
    commits.length = 0;
  });
  afterEach(async () => {
    before = () => undefined;
    after = () => undefined;
    await engine.close();
    other.close();
    file.remove();
  });

  const claims = async (...ids: readonly string[]): Promise<readonly Claim[]> => {
    const made: Claim[] = [];
    for (const id of ids) made.push(await claimed(engine, id));
    commits.length = 0;
    return made;
  };

  it('writes everything asked for in one turn, by any run, in one commit [R2-ENGINE-GROUP-COMMIT]', async () => {
    const all = await claims(...Array.from({ length: 64 }, (_, n) => `run-${n}`));
    await Promise.all([
      ...all.map((claim) => append(engine, claim, 1)),
      engine.post('run-0', message('m')),
      renewed(engine, all, 1e15),
    ]);
    expect(commits).toHaveLength(1);
    await Promise.all(all.map((claim) => append(engine, claim, 2)));
    expect(commits).toHaveLength(2);
  });

  it('commits the others of a turn when one of them breaks a constraint', async () => {
    const [a, b, c] = (await claims('a', 'b', 'c')) as [Claim, Claim, Claim];
    const results = await Promise.allSettled([
      append(engine, a, 1),
      engine.append(b, { entries: [entry(1), entry(0)] }), // has written entry 1 when entry 0 turns out to be taken
      append(engine, c, 1),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await bodies(engine, 'b')).toHaveLength(1);
    expect(await bodies(engine, 'c')).toHaveLength(2);
    expect(commits).toHaveLength(1);
  });

  it('refuses a repeated batch whose first copy is damaged, and commits the others of the turn [F-C7]', async () => {
    const [a, b] = (await claims('a', 'b')) as [Claim, Claim];
    await append(engine, a, 1);
    other.exec('UPDATE events SET active = active + 1 WHERE seq = 1');
    const results = await Promise.allSettled([append(engine, a, 1), append(engine, b, 1)]);
    expect(results).toMatchObject([{ reason: { code: 'JOURNAL_CORRUPT' } }, { status: 'fulfilled' }]);
    expect(await bodies(engine, 'b')).toHaveLength(2);
  });

  it('writes nothing of work that fails in the middle for a reason of its own', async () => {
    const [a, b] = (await claims('a', 'b')) as [Claim, Claim];
    const unstorable = { id: 'NUL \u0000', parent: undefined, header: '', content: '' };
    const results = await Promise.allSettled([
      engine.append(a, { entries: [entry(1)], links: [unstorable] }),
      append(engine, b, 1),
    ]);
    expect(results).toMatchObject([{ reason: { code: 'INPUT_INVALID' } }, { status: 'fulfilled' }]);
    expect(await bodies(engine, 'a')).toHaveLength(1);
    expect(await bodies(engine, 'b')).toHaveLength(2);
  });

  it('loses the whole turn, and nothing before it, when it fails before the commit', async () => {
    const [a, b] = (await claims('a', 'b')) as [Claim, Claim];
    before = () => {
      throw new Error('crash before');
    };
    const results = await Promise.allSettled([append(engine, a, 1), append(engine, b, 1)]);
    expect(results.map((result) => (result.status === 'rejected' ? (result.reason as Error).message : ''))).toEqual([
      'crash before',
      'crash before',
    ]);
    before = () => undefined;
    expect(await bodies(engine, 'a')).toHaveLength(1);
    await append(engine, a, 1); // the place is still free
    expect(await bodies(engine, 'a')).toHaveLength(2);
  });

  it('has everything when it fails after the commit, although nobody was told', async () => {
    const [a] = (await claims('a')) as [Claim];
    after = () => {
      throw new Error('crash after');
    };
    await expect(append(engine, a, 1)).rejects.toThrow('crash after');
    after = () => undefined;
    expect(await bodies(engine, 'a')).toHaveLength(2);
  });

  it('waits between turns while another process writes, then goes on [R2-ENGINE-BUSY]', async () => {
    const [a] = (await claims('a')) as [Claim];
    other.exec('BEGIN IMMEDIATE');
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 1);
    const writing = append(engine, a, 1);
    await expect.poll(() => turns).toBeGreaterThan(10);
    const later = append(engine, a, 2);
    await expect.poll(() => turns).toBeGreaterThan(20); // the thread stayed free
    other.exec('ROLLBACK');
    await Promise.all([writing, later]);
    clearInterval(counting);
    expect(await bodies(engine, 'a')).toHaveLength(3);
  });

  it('gives up on a lock in the end, with an error that may be retried [R2-ENGINE-BUSY]', async () => {
    const [a] = (await claims('a')) as [Claim];
    other.exec('BEGIN IMMEDIATE');
    await expect(append(engine, a, 1)).rejects.toMatchObject({ code: 'STORAGE_BUSY', retryable: true });
    other.exec('ROLLBACK');
    await append(engine, a, 1);
    expect(await bodies(engine, 'a')).toHaveLength(2);
  });

  it('writes what was asked for before it is closed, and nothing after', async () => {
    const [a] = (await claims('a')) as [Claim];
    const writing = append(engine, a, 1);
    const closing = engine.close();
    await expect(append(engine, a, 2)).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    await writing;
    await closing;
    await expect(engine.get('a')).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    const again = await file.open();
    expect(await bodies(again, 'a')).toHaveLength(2);
    await again.close();
  });

  it('remembers nothing of a run whose creation was rolled back', async () => {
    const twice = { entries: [entry(0), entry(0)] };
    await expect(engine.create(newRun('a', { first: twice }))).rejects.toMatchObject({ code: 'JOURNAL_CONFLICT' });
    await engine.create(newRun('b', { first: { entries: [] } })); // gets the number that was free again
    await engine.create(newRun('a'));
    expect(await bodies(engine, 'a')).toHaveLength(1);
    expect(await bodies(engine, 'b')).toHaveLength(0);
  });

  it('notices that another process has taken the run, in spite of what it remembers', async () => {
    const [a] = (await claims('a')) as [Claim];
    await append(engine, a, 1);
    other.run("UPDATE runs SET fence = fence + 1 WHERE id = 'a'");
    await expect(append(engine, a, 2)).rejects.toMatchObject({ code: 'JOURNAL_CONFLICT' });
  });
});
