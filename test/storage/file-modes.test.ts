import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { budget, createRuntime, done } from 'flyball';
import { backupDatabase, restoreDatabase, sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { filesTools } from 'flyball/toolbox';
import { pathRules } from 'flyball/tools';
import { describe, expect, it, onTestFinished } from 'vitest';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'flyball-modes-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const before = process.umask(0o022); // the usual one: what others could read must be our own doing
  onTestFinished(() => void process.umask(before));
  return path;
}

describe('files that hold what agents did', () => {
  it('are their owner’s alone: folder, database, log, shared memory, tip, backup and restored copy [F-S7]', async () => {
    const root = folder();
    const path = join(root, '.flyball', 'flyball.db');
    const engine = await sqliteEngine({ path });
    onTestFinished(() => engine.close());
    const runtime = createRuntime({ engine, agents: { a: async () => done(1) } });
    await (await runtime.start('a', { token: 'secret' }, { budget: budget({}) })).outcome();
    await runtime.close();
    const files = readdirSync(join(root, '.flyball'));
    expect(files).toEqual(expect.arrayContaining(['flyball.db', 'flyball.db-wal', 'flyball.db.tip']));
    expect(modeOf(join(root, '.flyball'))).toBe('700');
    expect(files.map((name) => `${name} ${modeOf(join(root, '.flyball', name))}`)).toEqual(
      files.map((name) => `${name} 600`),
    );
    const copy = join(root, 'copy.db');
    await backupDatabase({ from: path, to: copy });
    expect(modeOf(copy)).toBe('600');
    await restoreDatabase({ from: copy, to: join(root, 'again.db') });
    expect(modeOf(join(root, 'again.db'))).toBe('600');
  });

  it.skipIf(!existsSync('/proc/locks'))(
    'keep their locks when the same process opens them again: closing any handle would drop them all [F-S7]',
    async () => {
      const path = join(folder(), 'twice.db');
      const first = await sqliteEngine({ path });
      onTestFinished(() => first.close());
      const inode = `:${statSync(path).ino} `;
      const locks = () =>
        readFileSync('/proc/locks', 'utf8')
          .split('\n')
          .filter((line) => line.includes(inode)).length;
      expect(locks()).toBeGreaterThan(0);
      const second = await sqliteEngine({ path });
      onTestFinished(() => second.close());
      expect(locks()).toBeGreaterThan(0);
    },
  );

  it('are private where a file tool keeps the versions that it replaced [F-S7]', async () => {
    const root = folder();
    const tools = filesTools({ allow: pathRules({ roots: [{ path: root, write: true }] }) });
    const write = tools.find(({ name }) => name === 'write_file');
    const how = { key: 'k', signal: new AbortController().signal };
    await write?.execute({ path: 'a.txt', content: 'one\n' } as never, how);
    expect(modeOf(join(root, '.flyball'))).toBe('700');
  });
});
