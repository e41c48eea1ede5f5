import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { whyNoServer } from '../postgres/server.js';

const why = whyNoServer() ?? (process.env['FLYBALL_POSTGRES_URL'] === undefined ? undefined : 'a server is given');
if (why !== undefined) process.stdout.write(`Skipped faults that cannot be made: ${why}.\n`);

it.skipIf(why !== undefined)(
  'faults that cannot be made here end with 2, and do not pass for faults that did no harm [R10-PG-REAL-FAULTS]',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'flyball-no-ip-'));
    try {
      symlinkSync('/usr/bin/id', join(folder, 'id')); // looks for the user postgres; there is no ip in this folder
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ['--import', 'tsx', join(root, 'test/faults/run.ts'), 'host-killed', '--times', '1'],
        { cwd: root, encoding: 'utf8', env: { ...process.env, PATH: folder } },
      );
      expect(stderr).toBe('');
      expect(stdout).toMatch(/^\| host-killed \| 0: /m);
      expect(status).toBe(2);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
