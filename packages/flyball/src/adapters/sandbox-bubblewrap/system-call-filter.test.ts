import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Mount } from '../../ports/sandbox.js';
import { bubblewrapSandbox, detectBubblewrap } from './index.js';
import { systemCallFilter } from './system-call-filter.js';

const found = await detectBubblewrap();
if (!found.available) process.stdout.write(`Skipped the system-call filter: ${found.why}.\n`);

it('is whole instructions, and there is none for a machine that nobody wrote one for [F-S4]', () => {
  for (const arch of ['x64', 'arm64']) {
    const bytes = systemCallFilter(arch) ?? new Uint8Array();
    expect(bytes.length).toBeGreaterThan(100);
    expect(bytes.length % 8).toBe(0);
  }
  expect(systemCallFilter('mips')).toBeUndefined();
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'flyball-filter-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function python(cwd: string, lines: readonly string[], mounts: readonly Mount[] = []) {
  const sandbox = await bubblewrapSandbox();
  const all = [{ path: cwd, access: 'read-write' as const }, ...mounts];
  const job = { stages: [['python3', '-c', lines.join('\n')]], cwd, mounts: all };
  return sandbox.run(job, { signal: new AbortController().signal });
}

describe.skipIf(!found.available)('a program in the sandbox', () => {
  it.skipIf(process.arch !== 'x64')('cannot reach the keyring of the host [F-S4]', async () => {
    const { stdout } = await python(folder(), [
      'import ctypes',
      'l = ctypes.CDLL(None, use_errno=True)',
      'for call in (248, 249, 250):',
      '  print(l.syscall(call, 0, -3, 0, 0, 0), ctypes.get_errno())',
    ]);
    expect(stdout.head).toBe('-1 1\n-1 1\n-1 1\n');
  });

  it('leaves no file behind that runs as its owner [F-S4]', async () => {
    const cwd = folder();
    const { stdout } = await python(cwd, [
      'import os',
      "open('plain', 'w').close()",
      "os.chmod('plain', 0o755)",
      'for mode in (0o4755, 0o2755):',
      '  for act in (lambda: os.chmod("plain", mode), lambda: os.close(os.open("made", os.O_CREAT | os.O_WRONLY, mode))):',
      '    try:',
      '      act()',
      "      print('done')",
      '    except PermissionError:',
      "      print('refused')",
    ]);
    expect(stdout.head).toBe('refused\n'.repeat(4));
    expect(readdirSync(cwd)).toEqual(['plain']);
    expect(statSync(join(cwd, 'plain')).mode & 0o7777).toBe(0o755);
  });

  it('cannot rename the folder around a file that it may not write, to make both anew [F-W2]', async () => {
    const cwd = folder();
    mkdirSync(join(cwd, 'lib'));
    writeFileSync(join(cwd, 'lib/code.mjs'), 'good');
    const lines = [
      'import os',
      "os.rename('lib', 'old')",
      "os.mkdir('lib')",
      "open('lib/code.mjs', 'w').write('evil')",
    ];
    const { end } = await python(cwd, lines, [{ path: join(cwd, 'lib/code.mjs'), access: 'read-only' }]);
    expect(end).toEqual({ how: 'exit', code: 1 });
    expect(readFileSync(join(cwd, 'lib/code.mjs'), 'utf8')).toBe('good');
  });
});
