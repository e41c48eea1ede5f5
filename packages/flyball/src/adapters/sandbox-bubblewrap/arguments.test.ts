import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SANDBOX_LIMITS } from '../../ports/sandbox.js';
import { bubblewrapArguments } from './arguments.js';

it('makes every folder above a file that must not be written a mount, so that none can be renamed away [F-W2]', () => {
  const root = mkdtempSync(join(tmpdir(), 'flyball-arguments-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'lib/deep'), { recursive: true });
  writeFileSync(join(root, 'lib/deep/code.mjs'), '');
  const words = bubblewrapArguments(
    {
      stages: [['true']],
      cwd: root,
      mounts: [
        { path: root, access: 'read-write' },
        { path: join(root, 'lib/deep/code.mjs'), access: 'read-only' },
      ],
    },
    {
      mode: { userNamespace: true, noNestedNamespaces: true },
      limits: SANDBOX_LIMITS,
      fds: { status: 4, passwd: 5, group: 6 },
    },
  );
  const binds = words.flatMap((word, index) =>
    /^--(?:ro-)?bind$/.test(word) && words[index + 1]?.startsWith(root) ? [[word, words[index + 1]]] : [],
  );
  expect(binds).toEqual([
    ['--bind', root],
    ['--bind', join(root, 'lib')],
    ['--bind', join(root, 'lib/deep')],
    ['--ro-bind', join(root, 'lib/deep/code.mjs')],
  ]);
});
