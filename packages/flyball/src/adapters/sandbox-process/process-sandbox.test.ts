import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sandboxContract } from '../../../../../test/security/sandbox-contract.js';
import { processSandbox } from './index.js';
import { findPrlimit } from './resource-limits.js';

sandboxContract('the process sandbox', () => processSandbox());

const signal = new AbortController().signal;
const here = { cwd: tmpdir(), mounts: [] };

describe('the process sandbox', () => {
  it('says that it is none [R3-SANDBOX-SAID]', () => {
    const { files, network } = processSandbox().describe();
    expect(files).toEqual({ confined: false, by: expect.stringContaining('what its user may') });
    expect(network.confined).toBe(false);
    expect(processSandbox({ note: 'bubblewrap is missing' }).describe().note).toBe('bubblewrap is missing');
  });

  it('ends daemons that left their process group [R3-SHELL-KILL]', async () => {
    const script = 'setsid sh -c "setsid sleep 3601 & sleep 3601" & sleep 3601';
    const job = { ...here, stages: [['sh', '-c', script]], limits: { wallMs: 500 } };
    expect((await processSandbox().run(job, { signal })).end).toMatchObject({ how: 'limit' });
    expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toMatch(/^sleep 3601/m);
  });

  it.skipIf(findPrlimit() === undefined)('limits the memory of each process where prlimit is there', async () => {
    const stages = [['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=2000M', 'count=1']];
    const { stages: ends, stderr } = await processSandbox().run(
      { ...here, stages, limits: { memoryMb: 50 } },
      { signal },
    );
    expect(ends[0]).toEqual({ how: 'exit', code: 1 });
    expect(stderr.head).toContain('memory exhausted');
    expect(processSandbox().describe().memory).toEqual({ confined: true, by: expect.stringContaining('each process') });
  });

  it('leaves enough memory for Node to start', async () => {
    const job = { ...here, stages: [[process.execPath, '-p', '6 * 7']] };
    expect((await processSandbox().run(job, { signal })).stdout.head).toBe('42\n');
  });

  it('keeps descriptors that this process inherited from its programs', () => {
    const folder = mkdtempSync(join(tmpdir(), 'flyball-descriptors-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [secret, program] = [join(folder, 'secret'), join(folder, 'program.mjs')];
    const sandbox = JSON.stringify(new URL('./index.ts', import.meta.url).href);
    writeFileSync(secret, 'secret');
    writeFileSync(
      program,
      `const { processSandbox } = await import(${sandbox});
       const job = { stages: [['sh', '-c', 'readlink /proc/self/fd/200']], cwd: '/', mounts: [] };
       console.log((await processSandbox().run(job, { signal: AbortSignal.timeout(9000) })).stdout.head);`,
    );
    const root = fileURLToPath(new URL('../../..', import.meta.url));
    const words = ['-c', 'exec 200< "$0"; exec "$@"', secret, process.execPath, '--import', 'tsx', program];
    expect(execFileSync('bash', words, { cwd: root, encoding: 'utf8' }).trim()).toBe('/dev/null');
  });
});
