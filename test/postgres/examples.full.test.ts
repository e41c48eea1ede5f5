import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { patient } from '../patience.js';
import { sharedServer, whyNoServer } from './server.js';

const why = whyNoServer();
if (why !== undefined) process.stdout.write(`Skipped the programs of the documentation on PostgreSQL: ${why}.\n`);

/** A program of the documentation as it was built, and what it ended with. */
function start(name: string, env: Readonly<Record<string, string>>) {
  const path = join(root, `packages/flyball/dist-examples/machines/${name}.js`);
  const child = spawn(process.execPath, [path], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ended: endOf(child) };
}

async function endOf(child: ChildProcess): Promise<string> {
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [code] = await once(child, 'close');
  return `${code}: ${said}`;
}

describe.skipIf(why !== undefined)('a program of the documentation on PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof sharedServer>>;
  beforeAll(async () => {
    server = await sharedServer();
  });
  afterAll(() => server.remove());

  it('runs as it stands [R19-MACHINES-PROGRAMS]', { timeout: patient(60_000) }, async () => {
    expect(await start('postgres', { DATABASE_URL: server.url }).ended).toMatch(/^0: [\s\S]*value: 'Hello, Ada\.'/);
  });

  it('starts a run in one process that another one finishes [R19-MACHINES-PROGRAMS]', {
    timeout: patient(60_000),
  }, async () => {
    const env = { DATABASE_URL: `${server.url}?schema=roles` };
    const api = start('roles', { ...env, ROLE: 'api' });
    const worker = start('roles', env);
    expect(await api.ended).toMatch(/^0: [\s\S]*value: 'Hello, Ada\.'/);
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toBe('0: ');
  });
});
