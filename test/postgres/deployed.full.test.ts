import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { root } from '../../scripts/files.mjs';
import { patient } from '../patience.js';
import { freePort, freshSchema, sharedServer, whyNoServer } from './server.js';

const why =
  whyNoServer() ?? (spawnSync('bwrap', ['--version']).status === 0 ? undefined : 'bubblewrap is not installed');
if (why !== undefined) process.stdout.write(`Skipped the commands of the compose file: ${why}.\n`);

interface Service {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}
const { services } = parse(readFileSync(join(root, 'docs/deploy/compose.yaml'), 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<'api' | 'worker', Service>>;
};
const MAIN = join(root, 'packages/flyball/dist/cli/main.js');

/** There is no Docker here: what a container does to the process is done by bubblewrap. Nothing but /tmp can be written. */
const IN_CONTAINER = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'];

describe.skipIf(why !== undefined)('what the compose file starts', () => {
  let server: Awaited<ReturnType<typeof sharedServer>>;
  const image = mkdtempSync(join(root, '.cache/image-'));
  beforeAll(async () => {
    server = await sharedServer();
    writeFileSync(
      join(image, 'agents.mjs'),
      'export const agents = { echo: async (_run, input) => ({ stop: "done", value: input }) };\n',
    );
  });
  afterAll(async () => {
    rmSync(image, { recursive: true });
    await server.remove();
  });

  /** As its service, with the files of the image in the working directory. */
  function started(words: readonly string[], environment: Readonly<Record<string, string>>): ChildProcess {
    const given = words.slice(2); // node and the program
    const child = spawn('bwrap', [...IN_CONTAINER, '--die-with-parent', process.execPath, MAIN, ...given], {
      cwd: image,
      env: { PATH: process.env['PATH'] ?? '', HOME: tmpdir(), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  }

  async function ended(child: ChildProcess): Promise<{ readonly code: number | null; readonly said: string }> {
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        said += String(chunk);
      });
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, said };
  }

  it.each(['api', 'worker'] as const)(
    '%s: refuses to start without a key, starts with one, writes nowhere, and drains at SIGTERM [R10-WORK-DEPLOY-RUNS]',
    async (name) => {
      const port = await freePort();
      const { command, environment } = services[name];
      const db = `${server.url}?schema=${freshSchema()}`;
      const own = {
        ...environment,
        PGPASSWORD: '',
        FLYBALL_DB: db,
        FLYBALL_PORT: String(port),
        FLYBALL_SHUTDOWN_DELAY: '0',
      };
      const refused = await ended(started(command, own));
      expect(refused).toMatchObject({ code: 2, said: expect.stringContaining('no API key') });
      const key = await ended(started(['node', MAIN, 'keys', 'create', '--name', 'admin', '--scope', 'admin'], own));
      expect(key.code, key.said).toBe(0);
      const child = started(command, own);
      const end = ended(child);
      const ready = () =>
        fetch(`http://127.0.0.1:${port}/ready`).then(
          ({ status }) => status,
          () => 0,
        );
      await expect.poll(ready, { interval: 100, timeout: patient(20_000) }).toBe(200);
      const inside = spawnSync('pgrep', ['-P', String(child.pid)], { encoding: 'utf8' }).stdout.trim();
      process.kill(Number(inside), 'SIGTERM'); // the first process of the container
      expect(await end).toMatchObject({ code: 0, said: expect.stringContaining('server stopped') });
      expect(await ready()).toBe(0);
    },
  );
});
