import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { detectBubblewrap } from '../../packages/flyball/src/adapters/sandbox-bubblewrap/index.js';
import { bubblewrapCases } from './bubblewrap-cases.js';
import { HostCanaries, SECRET_TEXT } from './host-canaries.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const program = fileURLToPath(new URL('./ordinary-user-program.ts', import.meta.url));
const NOBODY = { uid: 65534, gid: 65534 };

/** Why this cannot be tried here; the cases as whoever runs the tests are in sandbox.test.ts. */
async function reasonNotTo(): Promise<string | undefined> {
  const found = await detectBubblewrap();
  if (!found.available) return found.why;
  if (process.getuid?.() !== 0) return 'the tests are run by an ordinary user already';
  try {
    execFileSync(process.execPath, ['--import', 'tsx', '-e', ''], { ...NOBODY, cwd: root, env: {}, stdio: 'pipe' });
    return undefined;
  } catch {
    return 'an ordinary user cannot read this folder';
  }
}

const because = await reasonNotTo();
if (because !== undefined) process.stdout.write(`Skipped bubblewrap as an ordinary user: ${because}.\n`);

describe.skipIf(because !== undefined)('an ordinary user', () => {
  it('has the same sandbox, with limits by prlimit [R3-SANDBOX-BWRAP]', async () => {
    const host = new HostCanaries();
    await host.start();
    for (const path of [host.folder, host.work, host.readOnly, host.outside]) chmodSync(path, 0o777);
    const places = {
      ...{ work: host.work, readOnly: host.readOnly, SECRET: host.secret, OUTSIDE: host.outside },
      ...{ READ_ONLY: host.readOnly, PORT: String(host.port), PID: String(process.pid) },
    };
    try {
      const how = { ...NOBODY, cwd: root, env: {}, encoding: 'utf8' as const };
      const output = execFileSync(process.execPath, ['--import', 'tsx', program, JSON.stringify(places)], how);
      const [first, ...results] = output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);

      expect(first).toMatchObject({
        uid: NOBODY.uid,
        description: { processes: { confined: true, by: expect.stringContaining('prlimit') } },
      });
      expect(results).toHaveLength(bubblewrapCases.length);
      expect(results.filter(({ isTold, because: skipped }) => isTold !== true || skipped !== undefined)).toEqual([]);
      expect(output).not.toContain(SECRET_TEXT);
      expect(host.changes()).toEqual([]);
    } finally {
      host.stop();
    }
  });
});
