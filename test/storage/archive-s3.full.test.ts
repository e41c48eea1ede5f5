import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { budget, createRuntime, done, memoryEngine, memoryStore, systemClock } from 'flyball';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type S3Options, s3Archive } from '../../packages/flyball/src/adapters/archive-s3/s3-archive.js';
import { archiveRuns, restoreRun } from '../../packages/flyball/src/operation/archive.js';
import { hasPackages, NODE_PEERS } from '../clients/peers.js';
import { freePort } from '../postgres/server.js';

/** It knows keys and does not compute signatures: those are held against the published examples (signature.test.ts). */
const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

describe.skipIf(!hasPackages('s3rver'))('an archive in a bucket of a server that is compatible with S3', () => {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-s3-'));
  let endpoint = '';
  let child: ReturnType<typeof spawn>;
  beforeAll(async () => {
    const port = await freePort();
    endpoint = `http://127.0.0.1:${port}`;
    const program = join(NODE_PEERS, 'node_modules/s3rver/bin/s3rver.js');
    const words = [program, '--directory', folder, '--port', String(port), '--address', '127.0.0.1', '--silent'];
    child = spawn(process.execPath, [...words, '--configure-bucket', 'runs'], { stdio: 'ignore' });
    const answers = () =>
      fetch(endpoint).then(
        () => true,
        () => false,
      );
    while (!(await answers())) await sleep(100);
  });
  afterAll(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const bucket = (given: Partial<S3Options> = {}) =>
    s3Archive({ bucket: 'runs', prefix: 'a/b', endpoint, credentials, ...given });

  it('takes runs, lists them and gives them back [R10-ARCHIVE-S3]', async () => {
    const engine = memoryEngine();
    const runtime = createRuntime({ engine, agents: { agent: async (run) => done(`${run.id} `.repeat(20_000)) } });
    const ids = ['r1', 'späte/Fahrt+&=?%3', 'r2'];
    for (const id of ids) await (await runtime.start('agent', null, { id, budget: budget() })).outcome();
    const entries = await runtime.entries(ids[1] ?? '');
    const parts = { engine, store: memoryStore(), runtime, clock: systemClock() };
    const records = await Promise.all(ids.map((id) => runtime.get(id)));
    const archive = bucket();
    expect((await archiveRuns(parts, archive, { records, by: 'ops' })).removed).toEqual(ids);
    const keys: string[] = [];
    for await (const key of archive.list('default/r')) keys.push(key);
    expect(keys).toEqual(['default/r1.jsonl.gz', 'default/r2.jsonl.gz']);
    for (const id of ids) await restoreRun({ engine, store: archive, clock: systemClock() }, { id, by: 'ops' });
    expect(await runtime.entries(ids[1] ?? '')).toEqual(entries);
    expect(await archive.get('default/nothing')).toBeUndefined();
    await runtime.close();
  });

  it.each([
    ['a wrong key', () => bucket({ credentials: { ...credentials, accessKeyId: 'wrong' } }), /refuses the access key/],
    ['a bucket that is not there', () => bucket({ bucket: 'nowhere' }), /no bucket/],
    ['nobody who answers', () => bucket({ endpoint: 'http://127.0.0.1:1' }), /does not respond/],
  ])('says what is wrong: %s [R10-ARCHIVE-S3]', async (_, open, says) => {
    await expect(open().put('k', new Uint8Array([1]))).rejects.toMatchObject({ message: expect.stringMatching(says) });
  });
});
