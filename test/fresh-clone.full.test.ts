import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesUnder, root } from '../scripts/files.mjs';

/** The files of the repository and nothing that was installed or built: what a stranger has after `git clone`. */
describe('in a fresh clone', () => {
  let clone = '';

  beforeAll(() => {
    clone = mkdtempSync(join(tmpdir(), 'flyball-clone-'));
    for (const path of filesUnder('.')) cpSync(join(root, path), join(clone, path));
  });
  afterAll(() => rmSync(clone, { recursive: true, force: true }));

  function npm(...parameters: string[]) {
    // without what the outer npm and vitest put into the environment, as in a new terminal
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(npm_|VITEST|NODE_ENV|CI$|INIT_CWD)/.test(name),
    );
    const { status, stdout, stderr } = spawnSync('npm', parameters, {
      cwd: clone,
      encoding: 'utf8',
      env: Object.fromEntries(inherited),
    });
    return { status, output: stdout + stderr };
  }

  it('`npm start` works as the first command [R2-REPO-FRESH-START]', () => {
    expect(existsSync(join(clone, 'node_modules'))).toBe(false);
    const { status, output } = npm('start', '--', '--check'); // without it the server stays up until somebody stops it
    expect(status, output).toBe(0);
    expect(output).toContain('Flyball studio: http://127.0.0.1:');
    expect(output).toContain('The check passed');
  });

  it('`npm test` works as the first command and passes options on [R2-REPO-FRESH-TEST]', () => {
    for (const made of ['node_modules', 'packages/flyball/dist', '.cache'])
      rmSync(join(clone, made), { recursive: true, force: true });
    const { status, output } = npm('test', '--', 'test/package.test.ts'); // one file: the whole suite would run itself for ever
    expect(status, output).toBe(0);
    expect(output).toContain('test/package.test.ts');
  });
});
