import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limited } from '../../packages/evals/src/files/fetch/taken-files.js';
import { fetchTau2, type Manifest } from '../../packages/evals/src/files/index.js';
import { parseJson } from '../../packages/evals/src/tau2/python/json.js';
import type { PyDict } from '../../packages/evals/src/tau2/python/value.js';
import { pythonOfSchemas, pythonOfTools } from '../evals/python-of-tools.js';
import { tau2, withTau2 } from '../evals/tau2-data.js';
import { flyball } from './in-process.js';
import { entry, tarGz } from './tar-of.js';

let folder: string;
let to: string;
const servers: Server[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flyball-fetch-'));
  to = join(folder, 'deep/tau2');
});
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(folder, { recursive: true, force: true });
});

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/tau2.tar.gz`;
}

const serve = (bytes: Buffer): Promise<string> => serving((_, answer) => void answer.end(bytes));

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const LONG = `${'a_document_with_a_name_that_no_header_holds_'.repeat(3)}.json`;
const ROOT = 'tau2-bench-0123456';
const BANK = 'data/tau2/domains/banking_knowledge';

/** A small benchmark of our own: the same places, other content. */
function smallBenchmark(): Map<string, string> {
  const bank =
    'class KnowledgeTools:\n    @is_tool(ToolType.WRITE)\n    def pay(self, much: float):\n        """Pay."""\n';
  return new Map([
    [`${ROOT}/LICENSE`, 'Anybody may.'],
    [`${ROOT}/${BANK}/documents/one.json`, '{"id": "one"}'],
    [`${ROOT}/${BANK}/documents/${LONG}`, '{"id": "long"}'],
    [`${ROOT}/${BANK}/tasks.json`, 'stale'],
    [`${ROOT}/data/tau2/domains/mock/policy.md`, 'Be kind.'],
    [`${ROOT}/src/tau2/domains/banking_knowledge/tools.py`, `${bank}\n\nclass KnowledgeUserTools:\n    pass\n`],
    [`${ROOT}/src/tau2/domains/banking_knowledge/kits.py`, 'class Kit(KnowledgeTools):\n    pass\n'],
    [`${ROOT}/src/tau2/domains/mock/tools.py`, 'class MockTools:\n    pass\n\nclass MockUserTools:\n    pass\n'],
    [`${ROOT}/src/tau2/other.py`, 'this is ( not Python'],
  ]);
}

const manifest: Manifest = {
  revision: '0123456',
  url: 'http://127.0.0.1:9/',
  folders: [
    {
      from: `${BANK}/documents`,
      to: 'domains/banking_knowledge/documents',
      ending: '.json',
      files: 2,
      sha256: sha256(`${sha256('{"id": "long"}')}  ${LONG}\n${sha256('{"id": "one"}')}  one.json\n`),
    },
  ],
  files: { 'NOTICE.txt': sha256('Anybody may.'), 'domains/mock/policy.md': sha256('Be kind.') },
  made: {},
};

const fetched = async (files: Iterable<readonly [string, string]>, how: Partial<Manifest> = {}) =>
  fetchTau2({ from: await serve(tarGz(files)), to, manifest: { ...manifest, ...how } });

describe('fetchTau2', () => {
  it('takes the files that are wanted, checks them and makes the tool files from the sources [R5-DATA-FETCH]', async () => {
    const seen: number[] = [];
    const from = await serve(tarGz(smallBenchmark()));
    const report = await fetchTau2({ from, to, manifest, onBytes: (got) => seen.push(got) });
    expect(report).toMatchObject({ to, revision: '0123456', files: 6, wasThere: false });
    expect(seen.at(-1)).toBeGreaterThan(0);
    expect(
      readdirSync(to, { recursive: true, withFileTypes: true })
        .filter((one) => one.isFile())
        .map((one) => one.name)
        .sort(),
    ).toEqual(['NOTICE.txt', LONG, 'one.json', 'policy.md', 'tools.json', 'tools.json']);
    const tools = JSON.parse(readFileSync(join(to, 'domains/banking_knowledge/tools.json'), 'utf8')) as object;
    expect(tools).toMatchObject({ agent_toolkits: { Kit: { tool_order: ['pay'], mutates_state: { pay: true } } } });
    expect(readFileSync(join(to, 'domains/mock/tools.json'), 'utf8')).toContain(sha256('Be kind.'));
    expect(readdirSync(join(folder, 'deep'))).toEqual(['tau2']); // nothing half done beside it
  });

  it('reads an archive that lies on the disk [R5-DATA-FETCH]', async () => {
    const from = join(folder, 'there.tar.gz');
    writeFileSync(from, tarGz(smallBenchmark()));
    expect((await fetchTau2({ from, to, manifest })).files).toBe(6);
    await expect(fetchTau2({ from: `${from}.not`, to: `${to}2`, manifest })).rejects.toThrow(/cannot be read.*ENOENT/);
  });

  it('does nothing where everything is there, and leaves another folder alone [R5-DATA-FETCH]', async () => {
    await fetched(smallBenchmark());
    const again = await fetchTau2({ from: 'http://127.0.0.1:9/', to, manifest });
    expect(again).toMatchObject({ wasThere: true, files: 6 });
    writeFileSync(join(to, 'domains/mock/policy.md'), 'Be rude.');
    await expect(fetched(smallBenchmark())).rejects.toThrow(
      /not revision 0123456: domains\/mock\/policy.md holds something else/,
    );
    expect(readFileSync(join(to, 'domains/mock/policy.md'), 'utf8')).toBe('Be rude.');
    const mine = join(folder, 'mine');
    mkdirSync(mine);
    expect((await fetchTau2({ from: await serve(tarGz(smallBenchmark())), to: mine, manifest })).files).toBe(6); // empty
    rmSync(mine, { recursive: true });
    mkdirSync(mine);
    writeFileSync(join(mine, 'diary.txt'), 'dear');
    await expect(fetchTau2({ to: mine, manifest })).rejects.toThrow(/remove that one first/);
    await expect(fetchTau2({ to: join(mine, 'diary.txt'), manifest })).rejects.toThrow(/is a file/);
  });

  it.each([
    [
      'a changed document',
      (files: Map<string, string>) => files.set(`${ROOT}/${BANK}/documents/one.json`, '{}'),
      /documents holds other files/,
    ],
    [
      'a document too many',
      (files: Map<string, string>) => files.set(`${ROOT}/${BANK}/documents/two.json`, '{}'),
      /holds 3 files instead of 2/,
    ],
    ['a missing licence', (files: Map<string, string>) => files.delete(`${ROOT}/LICENSE`), /NOTICE.txt is missing/],
    [
      'another policy',
      (files: Map<string, string>) => files.set(`${ROOT}/data/tau2/domains/mock/policy.md`, 'no'),
      /policy.md is missing/,
    ],
    [
      'no sources',
      (files: Map<string, string>) => files.delete(`${ROOT}/src/tau2/domains/mock/tools.py`),
      /no Python files/,
    ],
  ])('refuses an archive with %s and writes nothing [R5-DATA-FETCH]', async (_, change, message) => {
    const files = smallBenchmark();
    change(files);
    await expect(fetched(files)).rejects.toThrow(message);
    expect(existsSync(to)).toBe(false);
  });

  it('refuses tools that are not those of the revision [R5-DATA-FETCH]', async () => {
    const made = { 'domains/mock/tools.json': sha256('other') };
    await expect(fetched(smallBenchmark(), { made })).rejects.toThrow(/domains\/mock\/tools.json holds something else/);
  });

  it.each([`${ROOT}/../../escaped.json`, '/etc/cron.d/evil', `${ROOT}\\..\\x`])(
    'refuses an archive that names %s [R5-DATA-FETCH]',
    async (path) => {
      await expect(fetched(new Map([...smallBenchmark(), [path, 'x']]))).rejects.toThrow(/leads out of it/);
      expect(existsSync(to)).toBe(false);
    },
  );

  it('refuses an archive that never ends, or holds more than the benchmark ever did [R5-DATA-FETCH]', async () => {
    const many = Array.from({ length: 10_001 }, (_, at) => [`${ROOT}/${BANK}/documents/${at}.json`, '{}'] as const);
    await expect(fetched(many)).rejects.toThrow(/more than the benchmark ever did/);
    const endless = async function* () {
      for (;;) yield Buffer.alloc(1000);
    };
    const taken = async () => {
      for await (const _ of limited(endless(), 5000));
    };
    await expect(taken()).rejects.toThrow(/more than the benchmark ever did/);
  });

  it('passes over links, and names of theirs lead nowhere [R5-DATA-FETCH]', async () => {
    const link = entry(`${ROOT}/${BANK}/documents/link.json`, '', '2', '/etc/passwd');
    const files = [...smallBenchmark()].map(([path, content]) => [path, content] as const);
    const whole = Buffer.concat([link, gunzipSync(tarGz(files))]);
    const from = await serve(gzipSync(whole));
    expect((await fetchTau2({ from, to, manifest })).files).toBe(6);
  });

  it.each([
    ['is cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length - 40), /archive is incomplete/],
    ['is no gzip', () => Buffer.from('<html>not found</html>'), /is not a tar\.gz/],
    ['is no tar', () => gzipSync(Buffer.alloc(2048, 'x')), /not a tar archive/],
    ['has a damaged header', (bytes: Buffer) => gzipSync(damaged(gunzipSync(bytes))), /another sum than it says/],
  ])('tells an archive that %s [R5-DATA-FETCH]', async (_, spoil, message) => {
    const from = await serve(spoil(tarGz(smallBenchmark())));
    await expect(fetchTau2({ from, to, manifest })).rejects.toThrow(message);
    expect(existsSync(to)).toBe(false);
  });
});

describe('flyball evals fetch', () => {
  it('says what to do without a way to the network [R5-DATA-FETCH]', async () => {
    const { code, error, out } = await flyball([
      'evals',
      'fetch',
      'tau2',
      '--to',
      to,
      '--from',
      'http://127.0.0.1:9/x',
      '--json',
    ]);
    expect(code).toBe(1);
    expect(error).toMatch(/cannot be reached: .*--from FILE.*--data or FLYBALL_TAU2/s);
    expect(JSON.parse(out)).toMatchObject({ kind: 'error', code: 'EFFECT_FAILED', retryable: true });
    const missing = await serving((_, answer) => void answer.writeHead(404).end());
    expect(await flyball(['evals', 'fetch', 'tau2', '--to', to, '--from', missing])).toMatchObject({
      code: 2,
      error: expect.stringContaining('answers with status 404'),
    });
    expect((await flyball(['evals', 'fetch', 'tau3'])).error).toContain('Available: tau2');
  });

  it('refuses another revision than the pinned one, naming what differs [R5-DATA-FETCH]', async () => {
    const from = await serve(tarGz(smallBenchmark()));
    const { code, error } = await flyball(['evals', 'fetch', 'tau2', '--to', to, '--from', from]);
    expect(code).toBe(2);
    expect(error).toMatch(/not revision a2c0247.*NOTICE-tau2-LICENSE.txt is missing.*and \d+ more/s);
    expect(existsSync(to)).toBe(false);
  });

  it('leaves nothing behind when it is stopped [R5-DATA-FETCH]', async () => {
    const bytes = tarGz(smallBenchmark());
    const from = await serving((_, answer) => {
      answer.write(bytes.subarray(0, 200));
      setImmediate(() => process.emit('SIGINT'));
    });
    const { code, error } = await flyball(['evals', 'fetch', 'tau2', '--to', to, '--from', from]);
    expect(code).toBe(130);
    expect(error).toContain('Nothing was written');
    expect(existsSync(join(folder, 'deep'))).toBe(false);
  });
});

withTau2('the pinned revision', () => {
  it('comes out of the archive file by file, tools.json too, and is used from there [R5-DATA-FETCH] [R5-DATA-FOLDER]', async () => {
    const data = tau2().data;
    const files = new Map(pinnedArchive(data));
    const from = await serve(tarGz(files));
    const { code, out, error } = await flyball(['evals', 'fetch', 'tau2', '--to', to, '--from', from]);
    expect(error).toBe('');
    expect(code).toBe(0);
    expect(out).toMatch(/Fetched revision a2c0247 .*826 files/);
    const unlike = pathsIn(data).filter((path) => !readFileSync(join(to, path)).equals(readFileSync(join(data, path))));
    expect(unlike).toEqual([]);
    expect(pathsIn(to)).toHaveLength(pathsIn(data).length);
    const listed = await flyball(['evals', 'list', '--json'], { FLYBALL_TAU2: to });
    const { domains } = JSON.parse(listed.out) as { domains: { name: string; tasks: number }[] };
    expect(domains.map(({ name, tasks }) => [name, tasks])).toContainEqual(['banking_knowledge', 97]);
    const again = await flyball(['evals', 'fetch', 'tau2', '--to', to, '--from', 'http://127.0.0.1:9/']);
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('already') });
  });
});

function pathsIn(data: string): readonly string[] {
  return readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name).slice(data.length + 1));
}

/** The data where the revision has them, and Python files with the same tools. */
function* pinnedArchive(data: string): Generator<readonly [string, string | Uint8Array]> {
  const submissions = 'web/leaderboard/public/submissions';
  const elsewhere: Readonly<Record<string, string>> = {
    'NOTICE-tau2-LICENSE.txt': 'LICENSE',
    'leaderboard/schema.json': `${submissions}/schema.json`,
    'leaderboard/example_submission.json': `${submissions}/A_EXAMPLE/submission.json`,
  };
  yield [`${ROOT}/`, ''];
  for (const path of pathsIn(data))
    if (!path.endsWith('/tools.json'))
      yield [`${ROOT}/${elsewhere[path] ?? `data/tau2/${path}`}`, readFileSync(join(data, path))];
  for (const [domain, sources] of [
    ['banking_knowledge', pythonOfTools],
    ['mock', pythonOfSchemas],
  ] as const) {
    const tools = parseJson(readFileSync(join(data, `domains/${domain}/tools.json`), 'utf8')) as PyDict;
    for (const [name, text] of sources(tools)) yield [`${ROOT}/src/tau2/domains/${domain}/${name}`, text];
  }
}

/** One letter of the second entry's name is another. */
function damaged(tar: Buffer): Buffer {
  const at = tar.indexOf(`${ROOT}/LICENSE`);
  tar[at] = 0x75;
  return tar;
}
