import { execFileSync } from 'node:child_process';
import {
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderArchive } from '../../packages/flyball/src/adapters/archive-folder/folder-archive.js';
import { listed } from '../../packages/flyball/src/adapters/archive-s3/listing.js';
import { s3Archive } from '../../packages/flyball/src/adapters/archive-s3/s3-archive.js';
import { MOST_ARCHIVE_BYTES } from '../../packages/flyball/src/ports/archive.js';

async function all(keys: AsyncIterable<string>): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const key of keys) found.push(key);
  return found;
}

it.each([
  ['a password', 'http://user:SECRET@host:9000'],
  ['a password, and cannot be read', 'http://user:SECRET@ho st'],
  ['a password and no scheme', 'user:SECRET@host'],
])('the endpoint of S3 with %s is refused, and not shown [R10-WORK-DB-SLIPS]', (_what, endpoint) => {
  const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' };
  const refused = () => s3Archive({ bucket: 'runs', endpoint, credentials });
  expect(refused).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  expect(refused).toThrow(/^The S3 endpoint \(AWS_ENDPOINT_URL_S3\)(?!.*SECRET)/);
});

describe('an archive on a server that does what it likes', () => {
  type Answer = (request: IncomingMessage, response: ServerResponse) => void;
  let answer: Answer;
  let requests = 0;
  const seenElsewhere: string[] = [];
  const server = createServer((request, response) => {
    requests += 1;
    request.resume().on('end', () => answer(request, response));
  });
  const elsewhere = createServer((request, response) => {
    seenElsewhere.push(request.url ?? '');
    response.end();
  });
  const endless = () => createReadStream('/dev/zero', { highWaterMark: 1024 * 1024 }).on('error', () => undefined);
  const addressOf = (one: typeof server) => `http://127.0.0.1:${(one.address() as AddressInfo).port}`;
  const archive = () =>
    s3Archive({
      bucket: 'runs',
      prefix: 'p',
      endpoint: addressOf(server),
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: 'token' },
    });
  const says = (page: string): Answer => {
    return (_, response) => void response.end(`<ListBucketResult>${page}</ListBucketResult>`);
  };

  beforeEach(async () => {
    requests = 0;
    seenElsewhere.length = 0;
    for (const one of [server, elsewhere]) await new Promise<void>((done) => one.listen(0, '127.0.0.1', done));
  });
  afterEach(async () => {
    for (const one of [server, elsewhere]) {
      one.closeAllConnections();
      await new Promise((done) => one.close(done));
    }
  });

  it.each([301, 302, 303, 307, 308])('follows no redirect (%i) [R10-ARCHIVE-HOSTILE]', async (status) => {
    answer = (request, response) => {
      response.writeHead(status, { location: `${addressOf(elsewhere)}${request.url}` }).end();
    };
    const says = { code: 'CONFIG_INVALID', message: expect.stringContaining('redirects to 127.0.0.1:') };
    await expect(archive().put('acme/a.jsonl.gz', new Uint8Array([1]))).rejects.toMatchObject(says);
    await expect(archive().get('acme/a.jsonl.gz')).rejects.toMatchObject(says);
    await expect(all(archive().list(''))).rejects.toThrow('Redirects are not followed');
    expect(seenElsewhere).toEqual([]);
  });

  it.each([
    ['no token and the same keys', '<Key>p/acme/a.jsonl.gz</Key>', 'says the same again', 2],
    ['the same token', '<NextContinuationToken>t</NextContinuationToken>', 'says the same again', 2],
    ['neither token nor keys', '', 'does not say where it goes on', 1],
    [
      'a token that fills memory',
      `<NextContinuationToken>${'t'.repeat(9_000)}</NextContinuationToken>`,
      'does not say',
      1,
    ],
  ])('ends a listing that goes on with %s [R10-ARCHIVE-HOSTILE]', async (_, page, why, asked) => {
    answer = says(`<IsTruncated>true</IsTruncated>${page}`);
    await expect(all(archive().list(''))).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      message: expect.stringContaining(why),
    });
    expect(requests).toBe(asked);
  });

  it('ends a listing that never does [R10-ARCHIVE-HOSTILE]', async () => {
    let pages = 0;
    const endless = async () => {
      pages += 1;
      const token = `<NextContinuationToken>${pages}</NextContinuationToken>`;
      return new TextEncoder().encode(`<IsTruncated>true</IsTruncated>${token}`);
    };
    await expect(all(listed('s3://runs/', endless))).rejects.toThrow('has more than 1000000 keys');
    expect(pages).toBe(1_001);
  });

  const pageOf = (content: string, page: number) =>
    new TextEncoder().encode(
      `${content}<IsTruncated>true</IsTruncated><NextContinuationToken>${page}</NextContinuationToken>`,
    );

  it.each([
    ['of one byte each', 'k'.repeat(1_025)],
    ['of several bytes each', 'ü'.repeat(513)],
  ])('takes no key that is longer than S3 has, in characters %s [R19-ARCHIVE-LISTING]', async (_, key) => {
    const pages = async () => pageOf(`<Key>a</Key><Key>${key}</Key>`, 1);
    await expect(all(listed('s3://runs/', pages))).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      message: expect.stringContaining('has a key of more than 1024 bytes'),
    });
    expect(await all(listed('s3://runs/', async () => new TextEncoder().encode(`<Key>${key.slice(1)}</Key>`)))).toEqual(
      [key.slice(1)],
    );
  });

  it('takes no more than a listing can have in all, in keys and beside them [R19-ARCHIVE-LISTING]', async () => {
    const longKeys = `<Key>${'k'.repeat(1_024)}</Key>`.repeat(4_096);
    let pages = 0;
    const pageWith = (content: string) => async () => {
      pages += 1;
      return pageOf(content, pages);
    };
    const keys = pageWith(longKeys);
    let listedBytes = 0;
    const read = async () => {
      for await (const key of listed('s3://runs/', keys)) listedBytes += key.length;
    };
    await expect(read()).rejects.toThrow('has keys of more than 134217728 bytes in all');
    expect(listedBytes).toBe(134_217_728);
    pages = 0;
    const short = pageWith('');
    // real pages of this length would take seconds to read
    const padded = async () => Object.defineProperty(await short(), 'byteLength', { value: 15 * 1024 * 1024 });
    await expect(all(listed('s3://runs/', padded))).rejects.toThrow('is longer than 2147483648 bytes');
    expect(pages).toBe(137);
  });

  it('keeps nothing of a page but its keys [R19-ARCHIVE-LISTING]', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const padding = Buffer.alloc(4 * 1024 * 1024, ' ');
    let pages = 0;
    const padded = async () => {
      pages += 1;
      const key = `<Key>acme/run_with_a_long_name_${pages}.jsonl.gz</Key>`;
      return pages === 50 ? Buffer.from(key) : Buffer.concat([pageOf(key, pages), padding]);
    };
    const used = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = used();
    const keys = await all(listed('s3://runs/', padded));
    expect(used() - before).toBeLessThan(40 * 1024 * 1024); // all pages have 200 MiB
    expect(keys).toHaveLength(50);
  });

  it('goes through the pages of a listing, and keeps to the keys that it asked for [R10-ARCHIVE-HOSTILE]', async () => {
    answer = (request, response) => {
      const { searchParams } = new URL(request.url ?? '', 'http://s3');
      const page = Number(searchParams.get('continuation-token') ?? 0) + 1;
      const keys = [`p/acme/${page}.jsonl.gz`, '../../etc/passwd.jsonl.gz'].map((key) => `<Key>${key}</Key>`).join('');
      const more = `<IsTruncated>${page < 3}</IsTruncated><NextContinuationToken>${page}</NextContinuationToken>`;
      says(`${keys}${more}`)(request, response);
    };
    expect(await all(archive().list('acme/'))).toEqual(['acme/1.jsonl.gz', 'acme/2.jsonl.gz', 'acme/3.jsonl.gz']);
  });

  it('receives no object that is too long [R10-ARCHIVE-HOSTILE]', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': String(MOST_ARCHIVE_BYTES + 1) });
      endless().pipe(response);
    };
    await expect(archive().get('acme/a.jsonl.gz')).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      message: expect.stringContaining(`more than ${MOST_ARCHIVE_BYTES} bytes`),
    });
  });

  it('receives no listing and no refusal that does not end [R10-ARCHIVE-HOSTILE]', async () => {
    const zeros =
      (status: number): Answer =>
      (_request, response) => {
        response.writeHead(status);
        endless().pipe(response);
      };
    answer = zeros(200);
    await expect(all(archive().list(''))).rejects.toThrow(`more than ${16 * 1024 * 1024} bytes`);
    answer = zeros(400);
    await expect(archive().get('acme/a.jsonl.gz')).rejects.toThrow('refuses the request (400)');
  });
});

describe('an archive in a folder that others can write to', () => {
  const KEY = 'acme/a.jsonl.gz';
  let folder = '';
  let root = '';
  let outside = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'flyball-archive-'));
    [root, outside] = [join(folder, 'archive'), join(folder, 'outside')];
    for (const each of [root, outside]) mkdirSync(each);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const refused = { code: 'STORAGE_FAILED', message: expect.stringContaining('Links are not followed') };
  const bytes = new Uint8Array([1, 2, 3]);

  it('follows no link of a tenant: nothing is read or written outside [R10-ARCHIVE-HOSTILE]', async () => {
    symlinkSync(outside, join(root, 'acme'));
    writeFileSync(join(outside, 'a.jsonl.gz'), 'theirs');
    const archive = folderArchive(root);
    await expect(archive.put('acme/b.jsonl.gz', bytes)).rejects.toMatchObject(refused);
    await expect(archive.get(KEY)).rejects.toMatchObject(refused);
    expect(readdirSync(outside)).toEqual(['a.jsonl.gz']);
    expect(await all(archive.list(''))).toEqual(['acme']); // it is listed, so that somebody looks
  });

  it('follows no link of a file, there or not [R10-ARCHIVE-HOSTILE]', async () => {
    mkdirSync(join(root, 'acme'));
    writeFileSync(join(outside, 'secret'), 'theirs');
    symlinkSync(join(outside, 'secret'), join(root, KEY));
    symlinkSync(join(outside, 'new'), join(root, 'acme', 'b.jsonl.gz'));
    const archive = folderArchive(root);
    await expect(archive.get(KEY)).rejects.toMatchObject(refused);
    await expect(archive.get('acme/b.jsonl.gz')).rejects.toMatchObject(refused);
    await archive.put('acme/b.jsonl.gz', bytes); // takes the place of the link
    expect(readdirSync(outside)).toEqual(['secret']);
    expect(await archive.get('acme/b.jsonl.gz')).toEqual(bytes);
  });

  it('goes where a link leads that somebody named as the archive [R10-ARCHIVE-HOSTILE]', async () => {
    symlinkSync(root, join(folder, 'link'));
    const archive = folderArchive(join(folder, 'link'));
    await archive.put(KEY, bytes);
    expect(await archive.get(KEY)).toEqual(bytes);
    expect(await all(archive.list(''))).toEqual([KEY]);
  });

  it('reads no file that is too long, no pipe and no folder [R10-ARCHIVE-HOSTILE]', async () => {
    mkdirSync(join(root, 'acme'));
    writeFileSync(join(root, KEY), '');
    truncateSync(join(root, KEY), MOST_ARCHIVE_BYTES + 1);
    execFileSync('mkfifo', [join(root, 'acme', 'pipe.jsonl.gz')]);
    mkdirSync(join(root, 'acme', 'folder.jsonl.gz'));
    const archive = folderArchive(root);
    await expect(archive.get(KEY)).rejects.toThrow(`is larger than ${MOST_ARCHIVE_BYTES} bytes`);
    await expect(archive.get('acme/pipe.jsonl.gz')).rejects.toThrow('is not a file');
    await expect(archive.get('acme/folder.jsonl.gz')).rejects.toThrow('is not a file');
  });

  it('uses no key that leads out of it [R10-ARCHIVE-HOSTILE]', async () => {
    writeFileSync(join(outside, 'a.jsonl.gz'), 'theirs');
    for (const key of ['../outside/a.jsonl.gz', '/outside/a.jsonl.gz', 'acme/../../outside/a.jsonl.gz', 'acme//a'])
      await expect(folderArchive(root).get(key)).rejects.toThrow('has no name of an archive');
  });

  it('makes folders that nobody else can read [R10-ARCHIVE-HOSTILE]', async () => {
    const made = join(folder, 'made', 'archive');
    await folderArchive(made).put(KEY, bytes);
    const modes = [join(folder, 'made'), made, join(made, 'acme'), join(made, KEY)].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o700, 0o700, 0o600]);
  });
});
