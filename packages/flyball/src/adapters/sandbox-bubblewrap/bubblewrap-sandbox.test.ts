import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandboxContract } from '../../../../../test/security/sandbox-contract.js';
import type { Sandbox, SandboxJob } from '../../ports/sandbox.js';
import { bubblewrapSandbox, detectBubblewrap, localSandbox } from './index.js';

const found = await detectBubblewrap();
if (!found.available) process.stdout.write(`Skipped bubblewrap: ${found.why}.\n`);
else sandboxContract('bubblewrap', () => bubblewrapSandbox());

const signal = new AbortController().signal;

describe('detection', () => {
  it('says what to do where bubblewrap is not there [R3-SANDBOX-SAID]', async () => {
    const path = '/no/such/bwrap';
    expect(await detectBubblewrap({ path })).toEqual({ available: false, why: expect.stringContaining('install') });
    await expect(bubblewrapSandbox({ path })).rejects.toMatchObject({ code: 'SANDBOX_MISSING' });
    const { name, describe: say } = await localSandbox({ path });
    expect(name).toBe('process');
    expect(say().note).toContain('bubblewrap is not installed');
  });

  it('says why where it is there and cannot work', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'flyball-bwrap-'));
    const path = join(folder, 'bwrap');
    writeFileSync(path, '#!/bin/sh\necho "setting up uid map: Permission denied" >&2\nexit 1\n', { mode: 0o755 });
    const why = expect.stringContaining('cannot make a sandbox here: setting up uid map: Permission denied');
    expect(await detectBubblewrap({ path })).toEqual({ available: false, why });
    rmSync(folder, { recursive: true });
  });
});

describe.skipIf(!found.available)('bubblewrap', () => {
  let sandbox: Sandbox;
  let folder: string;
  beforeAll(async () => {
    sandbox = await bubblewrapSandbox();
    folder = mkdtempSync(join(tmpdir(), 'flyball-bwrap-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const run = (words: readonly string[], more: Partial<SandboxJob> = {}, inside = sandbox) =>
    inside.run({ stages: [words], cwd: folder, mounts: [{ path: folder, access: 'read-only' }], ...more }, { signal });

  it('says what it confines and by what [R3-SANDBOX-SAID]', async () => {
    expect(sandbox.describe()).toMatchObject({ files: { confined: true }, network: { confined: true } });
    const { memory, cpu } = (await bubblewrapSandbox({ limitsBy: 'prlimit' })).describe();
    expect(memory.by).toContain('prlimit was asked for');
    expect(cpu.by).toContain('each process by itself');
  });

  it('is what localSandbox takes where it works', async () => {
    expect((await localSandbox()).name).toBe('bubblewrap');
  });

  it('holds memory and CPU time by prlimit where there is no control group [R3-SANDBOX-BWRAP]', async () => {
    const plain = await bubblewrapSandbox({ limitsBy: 'prlimit' });
    const stages = [['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=2000M', 'count=1']];
    const big = await run([], { stages, limits: { memoryMb: 64 } }, plain);
    expect(big.stderr.head).toContain('memory exhausted');
    const long = await run(['sh', '-c', 'while :; do :; done'], { limits: { cpuS: 1, wallMs: 600_000 } }, plain);
    expect(long.end).toEqual({ how: 'limit', limit: 'cpuS', allowed: 1 });
  });

  it('gives the network of the host only when it is asked for', async () => {
    const devices = async (network: 'none' | 'host') => (await run(['cat', '/proc/net/dev'], { network })).stdout.head;
    expect((await devices('none')).match(/^ *\w+:/gm)).toEqual(['    lo:']);
    expect(await devices('host')).toContain('lo:');
    expect((await run(['cat', '/etc/hosts'], { network: 'host' })).end).toEqual({ how: 'exit', code: 0 });
    expect((await run(['cat', '/etc/hosts'])).end).toEqual({ how: 'exit', code: 1 });
  });

  it('writes where a mount is read-write, also inside one that is not', async () => {
    const inner = mkdtempSync(join(folder, 'inner-'));
    const mounts = [
      { path: inner, access: 'read-write' as const },
      { path: folder, access: 'read-only' as const },
    ];
    expect((await run(['touch', join(inner, 'x')], { mounts })).end).toEqual({ how: 'exit', code: 0 });
    expect((await run(['touch', join(folder, 'x')], { mounts })).stderr.head).toContain('Read-only file system');
  });

  it('does not show variables of the job to other users of the machine', async () => {
    const script = 'tr "\\0" " " < /proc/1/cmdline; echo; echo $TOKEN';
    const { stdout } = await run(['sh', '-c', script], { env: { TOKEN: 'hunter2' } });
    const [commandLine, value] = stdout.head.split('\n');
    expect(value).toBe('hunter2');
    expect(commandLine).not.toContain('hunter2');
  });

  it('tells its user a name, and measures what was used', async () => {
    const { stdout, usage } = await run(['whoami']);
    expect(stdout.head).toBe('sandbox\n');
    if (sandbox.describe().memory.by.startsWith('cgroup'))
      expect(usage).toMatchObject({ cpuMs: expect.any(Number), peakMemoryBytes: expect.any(Number) });
  });

  it.each(['/', '/proc', '/proc/self', '/sys/fs', '/dev', '/tmp/../etc', '/no/such/folder'])(
    'refuses to mount %s',
    async (path) => {
      await expect(run(['true'], { mounts: [{ path, access: 'read-only' }], cwd: '/tmp' })).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining(path),
      });
    },
  );
});
