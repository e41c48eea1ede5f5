import { execFile, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diskBytes, SIZE_LIMIT } from '../bench/measure/disk-bytes.js';
import { filesUnder, root } from '../scripts/files.mjs';
import { PUBLISHED } from '../scripts/packages.mjs';
import { linkProblems } from '../scripts/readme-check.mjs';

const NODE24 = '24.21.0';

/** To build five packages takes longer than hooks do otherwise. */
const BUILDS_MS = 600_000 * Number(process.env['FLYBALL_PATIENCE'] ?? 1);

interface Ran {
  readonly code: number;
  readonly out: string;
}

/** As in a new terminal: nothing of the npm and the vitest that run this. */
const clean = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(npm_|FLYBALL_|NODE_OPTIONS$|NODE_ENV$|VITEST|INIT_CWD$)/.test(name),
  ),
);

async function run(folder: string, words: readonly string[], node?: string): Promise<Ran> {
  const [program = '', ...rest] = words;
  const env = node === undefined ? clean : { ...clean, PATH: `${node}${delimiter}${clean['PATH'] ?? ''}` };
  try {
    const { stdout, stderr } = await promisify(execFile)(program, rest, { cwd: folder, env, maxBuffer: 1 << 26 });
    return { code: 0, out: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: `${stdout}${stderr}` };
  }
}

const QUIET = ['--no-audit', '--no-fund', '--loglevel=error'];

describe('the package as npm packs it', () => {
  let place = '';
  let clone = '';
  let tarball = '';
  const tarballOf = (name: string) =>
    join(place, readdirSync(place).find((file) => file.startsWith(`${name}-`) && file.endsWith('.tgz')) ?? name);

  beforeAll(async () => {
    place = mkdtempSync(join(tmpdir(), 'flyball-package-'));
    clone = join(place, 'clone');
    for (const path of filesUnder('.')) cpSync(join(root, path), join(clone, path));
    cpSync(join(root, 'node_modules'), join(clone, 'node_modules'), { recursive: true, verbatimSymlinks: true });
    for (const name of PUBLISHED) {
      const { code, out } = await run(join(clone, 'packages', name), [
        'npm',
        'pack',
        '--pack-destination',
        place,
        ...QUIET,
      ]);
      expect(code, out).toBe(0);
    }
    tarball = tarballOf('flyball');
    mkdirSync(join(place, 'unpacked'));
    expect(spawnSync('tar', ['-xzf', tarball, '-C', join(place, 'unpacked')]).status).toBe(0);
  }, BUILDS_MS);
  afterAll(() => rmSync(place, { recursive: true, force: true, maxRetries: 5 }));

  it('has the documentation, and no link in it that leads nowhere [F-N4]', () => {
    const shipped = join(place, 'unpacked/package');
    const documents = (readdirSync(shipped, { recursive: true }) as string[]).filter(
      (path) => path.endsWith('.md') && !path.startsWith('dist'),
    );
    expect(documents).toEqual(expect.arrayContaining(['README.md', 'docs/guide.md', 'docs/plans.md', 'docs/cli.md']));
    const read = (path: string): string | undefined => {
      const file = join(shipped, path);
      if (!existsSync(file)) return undefined;
      return path.endsWith('.md') ? readFileSync(file, 'utf8') : '';
    };
    const problems = documents.flatMap((path) => linkProblems({ path, text: read(path) ?? '' }, read));
    expect(problems).toEqual([]);
  });

  it('leaves the documents of the repository as they were [F-N4]', () => {
    for (const path of filesUnder('.', /\.md$/))
      expect(readFileSync(join(clone, path), 'utf8'), path).toBe(readFileSync(join(root, path), 'utf8'));
    expect(existsSync(join(clone, 'packages/flyball/docs'))).toBe(false);
  });

  it('shows an uncaught error without a line of minified code that hides it [R19-UNCAUGHT-LINE]', async () => {
    const folder = join(place, 'uncaught');
    for (const [name, packed] of Object.entries({ flyball: 'flyball', '@flyball/postgres': 'flyball-postgres' })) {
      const into = join(folder, 'node_modules', name);
      mkdirSync(into, { recursive: true });
      expect(spawnSync('tar', ['-xzf', tarballOf(packed), '-C', into, '--strip-components=1']).status).toBe(0);
    }
    for (const name of ['pg', 'commander'])
      symlinkSync(join(clone, 'node_modules', name), join(folder, 'node_modules', name));
    const program = `import { postgresEngine } from '@flyball/postgres';
      await postgresEngine({ url: 'postgres://ada@127.0.0.1:1/runs', patienceMs: 1 });`;
    writeFileSync(join(folder, 'uncaught.mjs'), program);
    const { code, out } = await run(folder, ['node', 'uncaught.mjs']);
    expect([code, out]).toEqual([1, expect.stringContaining('\nFlyballError: PostgreSQL does not respond')]);
    expect(out.split('FlyballError: ')[0]?.length, out).toBeLessThan(500);
  });

  describe.each(['this Node', `Node ${NODE24}`])('installed in an empty folder with %s', (which) => {
    let folder = '';
    let node: string | undefined;

    beforeAll(async () => {
      folder = join(place, which.replaceAll(' ', '-'));
      mkdirSync(folder);
      if (which !== 'this Node') node = await node24(place);
      expect(await run(folder, ['npm', 'init', '-y'], node)).toMatchObject({ code: 0 });
      const { code, out } = await run(folder, ['npm', 'install', tarball, ...QUIET], node);
      expect(code, out).toBe(0);
    });

    it('takes at most 5 MB, the SQLite driver that only Node 20 needs apart [R2-SHOW-INSTALL-SIZE]', () => {
      const modules = join(folder, 'node_modules');
      const ours = ['flyball', 'commander'].map((name) => diskBytes(join(modules, name)));
      expect(ours.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(SIZE_LIMIT);
    });

    it('reads the catalogue of patterns from the JSON that it ships [R17-JSON]', async () => {
      const program = `
        import { deepStrictEqual } from 'node:assert';
        import { catalogueJson, patternSpec } from 'flyball/catalogue';
        import whole from 'flyball/catalogue.json' with { type: 'json' };
        deepStrictEqual(catalogueJson(), whole);
        deepStrictEqual(patternSpec('R4').clauses, whole.patterns.find(({ id }) => id === 'R4').clauses.map(({ text }) => text));`;
      const { code, out } = await run(folder, ['node', '--input-type=module', '-e', program], node);
      expect([code, out]).toEqual([0, '']); // and no warning
      const { code: listed, out: list } = await run(folder, ['npx', 'flyball', 'patterns', 'list', '--json'], node);
      expect(listed, list).toBe(0);
    });

    it('runs the demonstration at once [F-N3]', async (context) => {
      if (which !== 'this Node' && node === undefined) return context.skip(`npm could not fetch ${which}`);
      const { code, out } = await run(folder, ['npx', 'flyball', 'demo'], node);
      expect(code, out).toBe(0);
      expect(out).toContain('the run was resumed once after a crash, and is done');
    });

    it('says what to install for a server, and serves when it is there [R9-HOUSE-COMMANDS] [R10-WORK-DB]', async (context) => {
      if (which !== 'this Node' && node === undefined) return context.skip(`npm could not fetch ${which}`);
      const missing = await run(folder, ['npx', 'flyball', 'keys', 'list'], node);
      expect(missing.code).toBe(9);
      expect(missing.out).toContain('npm install @flyball/server');
      const noServer = await run(folder, ['npx', 'flyball', 'runs', '--db', 'postgres://ada:secret@127.0.0.1/x'], node);
      expect(noServer.code).toBe(9);
      expect(noServer.out).toContain('npm install @flyball/postgres');
      expect(noServer.out).not.toContain('secret');
      const project = join(folder, 'with-server');
      mkdirSync(project);
      expect(await run(project, ['npm', 'init', '-y'], node)).toMatchObject({ code: 0 });
      const all = [tarball, tarballOf('flyball-evals'), tarballOf('flyball-server')];
      const installed = await run(project, ['npm', 'install', ...all, ...QUIET], node);
      expect(installed.code, installed.out).toBe(0);
      const keys = await run(project, ['npx', 'flyball', 'keys', 'list'], node);
      expect(keys.code, keys.out).toBe(0);
      expect((await run(project, ['npx', 'flyball', 'evals', 'list'], node)).out).toContain('energy_desk');
      expect(await studioOf(project, node)).toContain('<title>');
    });

    it('makes a project that installs what it was itself installed from [F-N4]', async (context) => {
      if (which !== 'this Node' && node === undefined) return context.skip(`npm could not fetch ${which}`);
      const made = await run(folder, ['npx', 'flyball', 'init', 'my-agent'], node);
      expect(made.code, made.out).toBe(0);
      const project = join(folder, 'my-agent');
      const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { dependencies: object };
      expect(manifest.dependencies).toEqual({ flyball: `file:${tarball}` });
      const installed = await run(project, ['npm', 'install', ...QUIET], node);
      expect(installed.code, installed.out).toBe(0);
      const tested = await run(project, ['npm', 'test'], node);
      expect(tested.code, tested.out).toBe(0);
    });
  });
});

/** The page that a server of the installed packages gives, with an agent of its own. */
async function studioOf(project: string, node?: string): Promise<string> {
  writeFileSync(
    join(project, 'agents.mjs'),
    "import { done } from 'flyball';\nexport const agents = { hello: async () => done('hello') };\n",
  );
  const env = node === undefined ? clean : { ...clean, PATH: `${node}${delimiter}${clean['PATH'] ?? ''}` };
  const main = join(project, 'node_modules/flyball/dist/cli/main.js');
  const server = spawn('node', [main, 'serve', 'agents.mjs', '--port', '0'], { cwd: project, env, stdio: 'pipe' });
  try {
    let said = '';
    for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => (said += String(text)));
    await expect.poll(() => said).toMatch(/http:\S+\/studio/);
    const answer = await fetch(`${/http:\S+\/studio/.exec(said)?.[0]}/`);
    return await answer.text();
  } finally {
    server.kill('SIGKILL');
  }
}

/** The folder of its program, or undefined where there is no registry to fetch it from. */
async function node24(place: string): Promise<string | undefined> {
  const name = `node-linux-${process.arch}`;
  const kept = join(root, '.cache/node24/node_modules', name, 'bin');
  if (existsSync(join(kept, 'node'))) return kept;
  const prefix = join(place, 'node24');
  const { code, out } = await run(place, ['npm', 'install', '--prefix', prefix, ...QUIET, `${name}@${NODE24}`]);
  if (code === 0) return join(prefix, 'node_modules', name, 'bin');
  process.stdout.write(`Skipped Node ${NODE24} in ${relative(root, import.meta.filename)}: ${out.split('\n')[0]}\n`);
  return undefined;
}
