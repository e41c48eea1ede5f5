import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SandboxJob, SandboxResult } from '../../ports/sandbox.js';
import { bubblewrapSandbox } from './bubblewrap-sandbox.js';
import { detectBubblewrap } from './detect.js';

const found = await detectBubblewrap();
if (!found.available) process.stdout.write(`Skipped what a job leaves behind: ${found.why}.\n`);

function project(): string {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-left-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function run(folder: string, stage: readonly string[], more: Partial<SandboxJob> = {}): Promise<SandboxResult> {
  const sandbox = await bubblewrapSandbox();
  const job: SandboxJob = { stages: [stage], cwd: folder, mounts: [{ path: folder, access: 'read-write' }], ...more };
  return sandbox.run(job, { signal: new AbortController().signal });
}
const sh = (folder: string, line: string, more: Partial<SandboxJob> = {}) => run(folder, ['sh', '-c', line], more);
const gitDirectoryOf = (folder: string): string | undefined => {
  try {
    const told = execFileSync('git', ['rev-parse', '--absolute-git-dir'], {
      cwd: folder,
      stdio: 'pipe',
      encoding: 'utf8',
    });
    return told.trim();
  } catch {
    return undefined;
  }
};

const PLANT =
  'mkdir -p $D/objects $D/refs && echo "ref: refs/heads/main" > $D/HEAD && printf "[core]\\n\\tfsmonitor = touch /tmp/x\\n" > $D/config';

describe.skipIf(!found.available)('what a job in the sandbox leaves behind', () => {
  it.each([
    ['in its folder', 'D=.git', '.'],
    ['further down', 'D=a/b/.git', 'a/b'],
    ['made under another name and renamed', 'D=x', '.', 'mv x .git'],
    ['as a bare repository', 'D=hidden', 'hidden'],
    ['as the folder itself', 'D=.', '.'],
  ])(
    'is no Git repository %s: it is set aside, and the job says so [F-S4] [R8-SECURITY-PLANTED]',
    async (_, where, at, then = 'true') => {
      const folder = project();
      const { end } = await sh(folder, `${where}; ${PLANT} && ${then}`);
      expect(end).toMatchObject({ how: 'planted', aside: [expect.any(String)] });
      expect(gitDirectoryOf(join(folder, at))).toBeUndefined();
    },
  );

  it('is no file .git that leads git elsewhere [F-S4]', async () => {
    const folder = project();
    const { end } = await sh(folder, `D=store; ${PLANT}; echo "gitdir: store" > .git`);
    expect(end).toMatchObject({ how: 'planted', aside: [expect.any(String), expect.any(String)] });
    expect(gitDirectoryOf(folder)).toBeUndefined();
  });

  it('is no change to a repository that was there, wherever it is [F-S4]', async () => {
    const folder = project();
    mkdirSync(join(folder, 'deep/er'), { recursive: true });
    execFileSync('git', ['init', '-q'], { cwd: join(folder, 'deep/er') });
    const config = readFileSync(join(folder, 'deep/er/.git/config'), 'utf8');
    const tries = [
      'echo "[core] fsmonitor=x" >> deep/er/.git/config',
      'echo x > deep/er/.git/hooks/post-checkout',
      'mv deep/er/.git deep/er/old && mkdir deep/er/.git',
      'mv deep deeper && mkdir -p deep/er/.git',
      'rm -rf deep/er/.git',
    ];
    for (const line of tries) {
      const { end } = await sh(folder, line);
      expect([line, end]).not.toEqual([line, { how: 'exit', code: 0 }]);
    }
    expect(readFileSync(join(folder, 'deep/er/.git/config'), 'utf8')).toBe(config);
    expect(readdirSync(join(folder, 'deep/er/.git/hooks'))).not.toContain('post-checkout');
  });

  it('may be a repository where the job is git itself, and other work is left alone [F-S4]', async () => {
    const folder = project();
    expect((await run(folder, ['git', 'init', '-q', 'made'])).end).toEqual({ how: 'exit', code: 0 });
    expect(gitDirectoryOf(join(folder, 'made'))).toBe(join(folder, 'made/.git'));
    expect((await sh(folder, 'echo 1 > made/a && mkdir b && echo 2 > b/HEAD')).end).toEqual({ how: 'exit', code: 0 });
    expect(gitDirectoryOf(join(folder, 'made'))).toBe(join(folder, 'made/.git'));
  });

  it.each([
    ['one file', 'dd if=/dev/zero of=big bs=1M count=200 2>/dev/null'],
    [
      'many files',
      'i=0; while [ $i -lt 200 ]; do dd if=/dev/zero of=f$i bs=1M count=1 2>/dev/null; i=$((i+1)); done; sleep 20',
    ],
    [
      'a folder of its own',
      'mkdir -p a/b; cd a/b; for i in 1 2 3 4; do head -c 15000000 /dev/zero > f$i; done; sleep 20',
    ],
  ])('is not more than it may write, in %s [F-S4] [R8-SECURITY-QUOTA]', async (_, line) => {
    const folder = project();
    const { end } = await sh(folder, line, { limits: { diskMb: 20 } });
    expect(end).toEqual({ how: 'limit', limit: 'diskMb', allowed: 20 });
    const kilobytes = Number(execFileSync('du', ['-sk', folder], { encoding: 'utf8' }).split('\t')[0]);
    expect(kilobytes).toBeLessThan(200 * 1024);
  });

  it('does not count what was there before [F-S4]', async () => {
    const folder = project();
    writeFileSync(join(folder, 'old'), Buffer.alloc(30_000_000));
    const { end } = await sh(folder, 'head -c 5000000 /dev/zero > new && sleep 1.5', { limits: { diskMb: 20 } });
    expect(end).toEqual({ how: 'exit', code: 0 });
  });

  it.skipIf(process.getuid?.() !== 0)('is no file of root’s in the folder of somebody else [F-S4]', async () => {
    const folder = project();
    chownSync(folder, 65534, 65534);
    chmodSync(folder, 0o777); // root without its capabilities is like anybody else
    writeFileSync(join(folder, 'roots'), 'mine');
    await sh(folder, 'mkdir d && echo x > d/f && ln -s /etc/passwd d/l');
    expect(['d', 'd/f'].map((path) => statSync(join(folder, path)).uid)).toEqual([65534, 65534]);
    expect(statSync(join(folder, 'roots')).uid).toBe(0);
    expect(statSync('/etc/passwd').uid).toBe(0);
    expect(existsSync(join(folder, 'd/l'))).toBe(true);
  });
});
