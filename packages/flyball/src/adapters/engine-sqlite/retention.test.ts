import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contentId } from '../../core/codec.js';
import { possibleReferences } from '../../core/references.js';
import { claimed, entry, START } from '../../testing/contracts/engine-fixture.js';
import { availableDrivers, type TemporaryFile, temporaryFile } from './available-drivers.test-data.js';
import { checkDatabase } from './check.js';
import type { SqliteEngine } from './engine.js';

const tombstone = { agent: 'a', tenant: 't', status: 'done', createdAt: 0, endedAt: START, digests: [], head: '' };

describe.each(await availableDrivers())('retention on %s', (driver) => {
  let file: TemporaryFile;
  beforeEach(() => {
    file = temporaryFile(driver);
  });
  afterEach(() => file.remove());

  /** A finished run that says one of five things, which other runs say too. */
  async function write(engine: SqliteEngine, n: number): Promise<string> {
    const words = `what ${n % 5} is said again and again `.repeat(10);
    const link = { id: contentId(`link ${n % 5}`), parent: undefined, header: '{}', blob: contentId(words) };
    const claim = await claimed(engine, `run-${n}`);
    await engine.append(claim, {
      entries: [entry(1, { body: JSON.stringify({ type: 'note', tip: link.id, text: `\u0000b${contentId(words)}` }) })],
      blobs: [[contentId(words), words]],
      links: [link],
    });
    await engine.release(claim, { status: 'done', now: START });
    return `run-${n}`;
  }

  it('takes no content from runs that are written while it collects, by this process or another [R8-OPS-PRUNE]', async () => {
    const [server, operator] = [await file.open(), await file.open()];
    const written: string[] = [];
    let isWriting = true;
    const writing = (async () => {
      for (let n = 0; isWriting && n < 2_000; n++) written.push(await write(server, n));
    })();
    for (let rounds = 0; rounds < 15; rounds++) {
      for (const of of written.splice(0, Math.max(0, written.length - 1)))
        await operator.remove(of, { at: START, by: 'operator', action: 'prune', of, tombstone });
      await operator.collect(possibleReferences);
    }
    isWriting = false;
    await writing;
    await server.close();
    await operator.close();
    const { damage, runs } = await checkDatabase({ path: file.path, driver });
    expect(damage).toEqual([]);
    expect(runs).toBeGreaterThan(0);
  });

  it('keeps numbers rising, so that a lost end of the file is still noticed [R8-OPS-PRUNE]', async () => {
    const engine = await file.open();
    for (let n = 0; n < 4; n++) await write(engine, n);
    for (const n of [3, 2, 0])
      await engine.remove(`run-${n}`, { at: START, by: 'o', action: 'prune', of: `run-${n}`, tombstone });
    await write(engine, 7);
    await engine.close();
    const again = await file.open();
    expect((await again.list({})).runs.map(({ id }) => id)).toEqual(['run-7', 'run-1']);
    await again.compact({ vacuum: true });
    await again.close();
    expect((await checkDatabase({ path: file.path, driver })).damage).toEqual([]);
  });
});
