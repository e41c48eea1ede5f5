import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import {
  budget,
  createRuntime,
  done,
  memoryEngine,
  memoryStore,
  type Outcome,
  type Run,
  type Runtime,
  systemClock,
} from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { archivedRun, archiveRuns, restoreRun } from '../../packages/flyball/src/operation/archive.js';
import type { ArchiveStore } from '../../packages/flyball/src/ports/archive.js';
import { temporaryArchive } from './archive-stores.js';

describe('an archive of runs', () => {
  let runtime: Runtime;
  let archive: ReturnType<typeof temporaryArchive>;
  let engine = memoryEngine();
  const parts = () => ({ engine, store: memoryStore(), runtime, clock: systemClock() });
  const file = () => join(archive.folder, 'runs', 'acme', readdirSync(join(archive.folder, 'runs', 'acme'))[0] ?? '');
  const take = async (store: ArchiveStore, ...ids: readonly string[]) => {
    const records = await Promise.all(ids.map((id) => runtime.get(id)));
    return archiveRuns(parts(), store, { records, by: 'ops' });
  };
  const put = (id: string, store: ArchiveStore = archive) =>
    restoreRun({ engine, store, clock: systemClock() }, { id, tenant: 'acme', by: 'ops' });

  beforeEach(async () => {
    engine = memoryEngine();
    archive = temporaryArchive();
    runtime = createRuntime({
      engine,
      agents: {
        agent: async (run) => done(await run.step('long', run.id, () => `${run.id} `.repeat(9_000), 'idempotent')),
      },
    });
    for (const id of ['a', '../b'])
      await (await runtime.start('agent', null, { id, tenant: 'acme', budget: budget() })).outcome();
  });
  afterEach(async () => {
    await runtime.close();
    archive.remove();
  });

  it('holds what the database had, which can be read there and put back once [R10-ARCHIVE-ROUNDTRIP]', async () => {
    const before = { record: await runtime.get('a'), entries: await runtime.entries('a') };
    expect(await take(archive, 'a', '../b')).toMatchObject({ removed: ['a', '../b'], kept: [] });
    await expect(runtime.get('a')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    expect(await all(archive.list(''))).toEqual(['acme/%2E%2E%2Fb.jsonl.gz', 'acme/a.jsonl.gz']);
    expect((await archivedRun(engine, archive, { id: 'a' })).run.entries).toHaveLength(before.entries.length);
    await put('a');
    await expect(put('a')).rejects.toMatchObject({ code: 'RUN_EXISTS' });
    expect({ record: await runtime.get('a'), entries: await runtime.entries('a') }).toEqual(before);
    expect((await engine.operations('a')).map(({ action, archive: at }) => [action, at?.key])).toEqual([
      ['archive', 'acme/a.jsonl.gz'],
      ['restore', 'acme/a.jsonl.gz'],
    ]);
    await expect(runtime.start('agent', null, { id: '../b', budget: budget() })).rejects.toMatchObject({
      code: 'RUN_EXISTS',
    });
  });

  it('leaves a run in the database whose file nobody could read back [R19-ARCHIVE-BOMB]', async () => {
    const many = ','.repeat(10_000_000);
    const options = { id: 'many', tenant: 'acme', budget: budget() };
    await (await runtime.start('agent', many, options)).outcome();
    expect((await take(archive, 'many')).kept).toMatchObject([
      { why: expect.stringContaining('it has more than 10000000 values. The run was kept') },
    ]);
    expect(await runtime.get('many')).toMatchObject({ status: 'done' });
  });

  it.each([
    ['cut', (bytes: Buffer) => bytes.subarray(0, bytes.length - 40)],
    ['flipped', (bytes: Buffer) => Buffer.from(bytes.map((byte, at) => (at === 60 ? byte ^ 4 : byte)))],
    ['edited', (bytes: Buffer) => gzipSync(gunzipSync(bytes).toString().replace('long', 'lung'))],
    [
      'without its last entry',
      (bytes: Buffer) =>
        gzipSync(
          gunzipSync(bytes)
            .toString()
            .replace(/\["e".*\n(?!\["e")/, ''),
        ),
    ],
    ['written anew with a digest that fits', (bytes: Buffer) => rewritten(bytes)],
  ])('refuses a file that was %s, and puts nothing of it back [R10-ARCHIVE-CHECKSUMS]', async (_how, damage) => {
    await take(archive, 'a');
    writeFileSync(file(), damage(readFileSync(file())));
    await expect(put('a')).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT', detail: { key: 'acme/a.jsonl.gz' } });
    await expect(archivedRun(engine, archive, { id: 'a' })).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
    expect(await engine.get('a')).toBeUndefined();
  });

  it('keeps a run whose file does not come back as it was written, or that is there already [R10-ARCHIVE-CHECKSUMS]', async () => {
    const forgetful: ArchiveStore = { ...archive, put: async () => undefined };
    expect((await take(forgetful, 'a')).kept).toMatchObject([{ id: 'a', why: expect.stringContaining('was kept') }]);
    await take(archive, 'a');
    writeFileSync(join(archive.folder, 'runs', 'acme', '%2E%2E%2Fb.jsonl.gz'), readFileSync(file()));
    expect((await take(archive, '../b')).kept).toMatchObject([
      { why: expect.stringContaining('Nothing was overwritten') },
    ]);
    expect((await runtime.get('../b')).status).toBe('done');
  });

  it('keeps what is held, forked or open, and asks for the parent of a fork first [R10-ARCHIVE-ROUNDTRIP]', async () => {
    await engine.hold('a', { hold: true, by: 'counsel', at: 1 });
    expect((await take(archive, 'a')).kept).toHaveLength(1);
    await engine.hold('a', { hold: false, by: 'counsel', at: 1 });
    await (await runtime.fork('a', { at: 0, id: 'fork', by: 'ann' })).outcome();
    expect((await take(archive, 'a')).kept).toMatchObject([{ why: expect.stringContaining('its fork fork needs it') }]);
    expect((await take(archive, 'fork', 'a')).removed).toEqual(['fork', 'a']);
    await expect(put('fork')).rejects.toThrow('Restore that run first');
    await put('a');
    await put('fork');
    expect((await runtime.entries('fork')).length).toBeGreaterThan(0);
  });
});

it('takes and gives back what runs hold: images, odd texts, generations, failures, forks [R10-ARCHIVE-ROUNDTRIP]', async () => {
  const engine = memoryEngine();
  const image = (bytes: number) =>
    ({
      type: 'image',
      mediaType: 'image/png',
      name: 'a%\u001f.png',
      data: Buffer.alloc(bytes, 7).toString('base64'),
    }) as const;
  const model = scriptedModel(
    { eye: () => `\u0000\ud800${'seen '.repeat(60)}` },
    { capabilities: { media: ['image/*'] } },
  );
  const agents = {
    agent: async (run: Run, input: number): Promise<Outcome<unknown>> => {
      const parts = [{ type: 'text' as const, text: 'which?' }, image(9), image(900)];
      const { text } = await run.ask({ name: 'eye', model, setup: 'Look. '.repeat(input * 50) }, parts);
      await run.step('long', text, () => `\u0001\ud800${text}`, 'pure');
      if (input < 3) return run.continueWith(input + 1);
      throw Object.assign(new Error('it broke'), { code: 'E_BROKEN' });
    },
  };
  const runtime = createRuntime({ engine, agents });
  const archive = temporaryArchive();
  await (await runtime.start('agent', 1, { id: 'a', subject: 'ä\nb', tenant: 'T/..', budget: budget() })).outcome();
  await (await runtime.fork('a', { at: 0, id: 'b', by: '' })).outcome();
  const records = await Promise.all(['b', 'a'].map((id) => runtime.get(id)));
  const entries = await Promise.all(['b', 'a'].map((id) => runtime.entries(id)));
  expect(records).toMatchObject([{ fork: { run: 'a' } }, { generation: 2, status: 'failed' }]);
  const parts = { engine, store: memoryStore(), runtime, clock: systemClock() };
  expect(await archiveRuns(parts, archive, { records, by: 'ops' })).toMatchObject({ removed: ['b', 'a'], kept: [] });
  for (const id of ['a', 'b']) await restoreRun({ engine, store: archive, clock: systemClock() }, { id, by: 'ops' });
  expect(await Promise.all(['b', 'a'].map((id) => runtime.get(id)))).toEqual(records);
  expect(await Promise.all(['b', 'a'].map((id) => runtime.entries(id)))).toEqual(entries);
  await runtime.close();
  archive.remove();
});

async function all(keys: AsyncIterable<string>): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const key of keys) found.push(key);
  return found;
}

/** As somebody would who knows the format: what the operations log says of it is another digest. */
function rewritten(bytes: Buffer): Buffer {
  const lines = gunzipSync(bytes).toString().trimEnd().split('\n').slice(0, -1);
  const text = `${lines.join('\n').replaceAll('long', 'lung')}\n`;
  const sha256 = createHash('sha256').update(text).digest('hex');
  return gzipSync(`${text}${JSON.stringify({ end: { lines: lines.length, sha256 } })}\n`);
}
