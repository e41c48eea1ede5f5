import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sandboxed, useOf } from 'flyball/patterns';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bubblewrapSandbox, detectBubblewrap } from '../../adapters/sandbox-bubblewrap/index.js';
import { processSandbox } from '../../adapters/sandbox-process/index.js';
import type { Sandbox } from '../../ports/sandbox.js';
import type { ProgramTool, SandboxedOptions } from './sandboxed.js';

const found = await detectBubblewrap();
if (!found.available) process.stdout.write(`Skipped the programs in bubblewrap: ${found.why}.\n`);

const how = { key: 'k', signal: new AbortController().signal };
const shell: ProgramTool<{ script: string }, unknown> = {
  name: 'script',
  description: 'Runs a script. Not for anything else.',
  effect: 'pure',
  output: z.unknown(),
  command: ({ script }) => ({ argv: ['sh', '-c', script] }),
};

it('refuses a sandbox that is none, and none at all [V8.1]', () => {
  expect(() => sandboxed(shell, { sandbox: processSandbox() })).toThrow(
    /needs a sandbox that confines the program\. .* does not: files/,
  );
  expect(() => sandboxed(shell, {} as never)).toThrow('sandboxed (V8) needs a sandbox.');
});

describe.skipIf(!found.available)('a program tool in bubblewrap', () => {
  let sandbox: Sandbox;
  let folder: string;
  beforeAll(async () => {
    sandbox = await bubblewrapSandbox();
    folder = mkdtempSync(join(tmpdir(), 'flyball-sandboxed-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const run = (script: string, options: SandboxedOptions = {}) =>
    sandboxed(shell, { sandbox }, options).execute({ script }, how);

  it('gives back what it wrote, checked [V8.5]', async () => {
    const counts = sandboxed({ ...shell, output: z.object({ n: z.number() }) }, { sandbox });
    expect(await counts.execute({ script: 'echo \'{"n":3}\'' }, how)).toEqual({ n: 3 });
    await expect(counts.execute({ script: 'echo \'{"n":"3"}\'' }, how)).rejects.toThrow('does not fit its output');
    await expect(counts.execute({ script: 'echo three' }, how)).rejects.toThrow('not JSON');
    await expect(run('yes | head -c 400000')).rejects.toMatchObject({ code: 'SANDBOX_LIMIT' });
    expect(counts.legs).toContain('untrusted-content');
    expect(useOf(counts)).toMatchObject({ id: 'V8', params: { tool: 'script', network: 'deny' } });
  });

  it('is ended hard at its limit, which the failure names with grant and usage [V8.4] [V8.6]', async () => {
    await expect(run('while :; do :; done', { wallMs: 500 })).rejects.toMatchObject({
      code: 'SANDBOX_LIMIT',
      message: expect.stringContaining('wallMs (500)') as string,
      detail: { grant: { wallMs: 500, network: 'deny' }, usage: { wallMs: expect.any(Number) as number } },
    });
    await expect(run('exit 3')).rejects.toMatchObject({
      detail: { grant: {}, usage: {}, end: { how: 'exit', code: 3 } },
    });
  });

  it('reads no file, reaches no listener and inherits no variable of the host [V8.1] [V8.7]', async () => {
    process.env['FLYBALL_PLANTED'] = 'planted';
    const heard: string[] = [];
    const server = createServer(() => heard.push('connected'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { readonly port: number };
    const script = `cat ${import.meta.filename} 2>/dev/null | head -1 | grep -q import && echo '"read"' && exit; test -n "$FLYBALL_PLANTED" && echo '"variable"' && exit; (exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo '"network"' && exit; echo '"nothing"'`;
    expect(
      await sandboxed({ ...shell, command: () => ({ argv: ['bash', '-c', script] }) }, { sandbox }).execute(
        { script },
        how,
      ),
    ).toBe('nothing');
    expect(heard).toEqual([]);
    server.close();
    delete process.env['FLYBALL_PLANTED'];
  });

  it('finds nothing of an earlier call, and writes only where it is granted [V8.3]', async () => {
    await run('echo left > /tmp/planted; echo 1');
    expect(await run('test -e /tmp/planted && echo 1 || echo 0')).toBe(0);
    await run(`echo x > out; echo 1`, { mounts: [{ path: folder, access: 'read-write' }] });
    expect(readdirSync(folder)).toEqual(['out']);
    await run(`echo x > other 2>/dev/null; echo 1`, { mounts: [{ path: folder, access: 'read-only' }] });
    expect(readdirSync(folder)).toEqual(['out']);
  });
});
