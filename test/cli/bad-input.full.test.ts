import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AGENTS, type Desk, type Ended, lastJson, newDesk } from './flyball.js';

let desk: Desk;
beforeEach(() => {
  desk = newDesk();
});
afterEach(() => desk.clear());

/** Two lines on the error stream: what happened, and what to do. No stack. */
function expectTwoLines({ error }: Ended): void {
  const lines = error.trimEnd().split('\n');
  expect(lines, error).toHaveLength(2);
  expect(lines[0]).toMatch(/^flyball: \S/);
  expect(lines[1]).toMatch(/^ {2}\S/);
  expect(error).not.toMatch(/\n\s+at /);
}

describe('bad input', () => {
  it.each([
    ['a text where an object is expected', ['--agent', 'greet', '--input', '"text"'], 'must be an object or null'],
    ['a budget that is no number', ['--agent', 'greet', '--budget', 'costUsd=lots'], 'must be a number, got "lots"'],
    ['an axis that does not exist', ['--agent', 'greet', '--budget', 'cost=1'], 'has no axis "cost"'],
    ['a negative budget', ['--agent', 'greet', '--budget', 'costUsd=-1'], 'at least 0'],
    ['malformed JSON', ['--agent', 'greet', '--input', '{"name":'], 'is not JSON'],
    ['text without quotes', ['--agent', 'greet', '--input', 'hello'], `'"hello"'`],
    ['an input file that is not there', ['--agent', 'greet', '--input', '@gone.json'], 'gone.json cannot be read'],
    ['no choice among several agents', [], 'Choose one with --agent'],
    ['an unknown option', ['--color'], "unknown option '--color'"],
  ])(
    '%s is refused with a sentence and code 2, and starts no run [R2-BAD-TYPE] [R2-CLI-EXIT-CODES]',
    async (_, options, says) => {
      const ended = await desk.flyball('run', AGENTS, ...options);
      expect(ended.code).toBe(2);
      expectTwoLines(ended);
      expect(ended.error).toContain(says);
      expect(lastJson((await desk.flyball('runs', '--json')).out)).toEqual({ runs: [] });
    },
  );

  it('tells the same as JSON [R2-CLI-OUTPUT]', async () => {
    const { out } = await desk.flyball('run', AGENTS, '--agent', 'greet', '--input', '{', '--json');
    expect(lastJson(out)).toMatchObject({ kind: 'error', code: 'INPUT_INVALID', exitCode: 2, retryable: false });
    const unknown = await desk.flyball('show', 'r1', '--json', '--color');
    expect(lastJson(unknown.out)).toMatchObject({ kind: 'error', code: 'USAGE', exitCode: 2 });
  });

  it('shows a stack only when asked [R2-CLI-EXIT-CODES]', async () => {
    const plain = await desk.flyball('run', AGENTS, '--agent', 'greet', '--input', '{');
    expect(plain.error).not.toContain('    at ');
    const debug = await desk.paste(
      `FLYBALL_DEBUG=1; export FLYBALL_DEBUG; flyball run '${AGENTS}' --agent greet --input '{'`,
    );
    expect(debug.error).toContain('    at ');
    expect(debug.code).toBe(2);
  });

  it('names the agents of a file when another is asked for: code 7 [R2-CLI-EXIT-CODES]', async () => {
    const ended = await desk.flyball('run', AGENTS, '--agent', 'nobody');
    expect(ended.code).toBe(7);
    expectTwoLines(ended);
    expect(ended.error).toContain('It exports: greet, chatter');
  });

  it.each([
    ['that is not there', 'gone.mjs', undefined, 'There is no file'],
    ['that exports no agent', 'empty.mjs', 'export const x = 1;', 'does not export an agent'],
    ['whose agent is no function', 'text.mjs', 'export default "agent";', 'is not an agent'],
    ['that does not parse', 'broken.mjs', 'export default (', 'could not be loaded'],
    ['that is no agent file', 'agent.txt', 'hello', 'is not an agent file. Agent files end in .js'],
  ])('a file %s is refused with code 2 [R2-CLI-EXIT-CODES]', async (_, name, content, says) => {
    if (content !== undefined) writeFileSync(join(desk.folder, name), content);
    const ended = await desk.flyball('run', name);
    expect(ended.code).toBe(2);
    expectTwoLines(ended);
    expect(ended.error).toContain(says);
  });

  it('an unknown run id: a sentence, code 7, and no database is made on the way [R2-BAD-RUN-ID]', async () => {
    for (const words of [
      ['show', 'r9'],
      ['resume', 'r9'],
      ['signal', 'r9', 'go'],
      ['approve', 'r9'],
      ['cancel', 'r9'],
      ['pause', 'r9'],
      ['fork', 'r9', '--at', '1'],
      ['export', 'r9'],
    ]) {
      const ended = await desk.flyball(...words);
      expect(ended.code, words[0]).toBe(7);
      expectTwoLines(ended);
      expect(ended.error, words[0]).toContain('There is no run r9');
    }
    expect(existsSync(desk.database)).toBe(false);
    await desk.flyball('run', AGENTS, '--agent', 'form', '--id', 'r1');
    const ended = await desk.flyball('show', 'r9');
    expect(ended.code).toBe(7);
    expect(ended.error).toContain('flyball runs');
  });

  it('an id that exists already: code 8, and the first run is left alone [R2-CLI-EXIT-CODES]', async () => {
    await desk.flyball('run', AGENTS, '--agent', 'form', '--id', 'r1');
    const ended = await desk.flyball('run', AGENTS, '--agent', 'greet', '--id', 'r1', '--input', '{"name":"Ada"}');
    expect(ended.code).toBe(8);
    expectTwoLines(ended);
    expect((await desk.flyball('signal', 'r1', 'form', '{"age":1}')).code).toBe(0);
  });
});

describe('a database that cannot be used', () => {
  it('a journal written by a newer version: code 9, and nothing is changed [R2-BAD-NEWER]', async () => {
    await desk.flyball('run', AGENTS, '--agent', 'form', '--id', 'r1');
    rewrite(desk.database, `UPDATE flyball_meta SET value = 999 WHERE key = 'schema'`);
    const ended = await desk.flyball('signal', 'r1', 'form', '{"age":1}');
    expect(ended.code).toBe(9);
    expectTwoLines(ended);
    expect(ended.error).toMatch(/newer/i);
  });

  it('a file that is no database: code 9, and it is left as it is [R2-CLI-EXIT-CODES]', async () => {
    const file = join(desk.folder, 'notes.db');
    writeFileSync(file, 'these are my notes, and they are long enough to look like a page of something else entirely.');
    const ended = await desk.flyball('runs', '--db', 'notes.db');
    expect(ended.code).toBe(9);
    expectTwoLines(ended);
  });

  it('a read-only folder: code 9, nothing lost [R2-BAD-READ-ONLY]', async (context) => {
    const mounted = readOnlyFolder(join(desk.folder, 'ro'));
    if (mounted === undefined) {
      console.warn('Skipped: neither a read-only mount nor an unprivileged user is to be had here.');
      return context.skip();
    }
    try {
      const ended = await desk.flyball(
        'run',
        AGENTS,
        '--agent',
        'greet',
        '--input',
        '{"name":"Ada"}',
        '--db',
        join(mounted.path, 'x/flyball.db'),
      );
      expect(ended.code).toBe(9);
      expectTwoLines(ended);
      expect(ended.error).toMatch(/cannot be written/);
    } finally {
      mounted.release();
    }
    return undefined;
  });
});

describe('a full disk', () => {
  it('code 9 and what to do; once there is room again the same command works and nothing is lost [R2-BAD-FULL]', async (context) => {
    const disk = join(desk.folder, 'disk');
    mkdirSync(disk);
    if (!mounts(disk, 'size=2m')) {
      console.warn('Skipped: this user may not mount a small disk.');
      return context.skip();
    }
    try {
      const database = ['--db', join(disk, 'flyball.db')];
      expect((await desk.flyball('run', AGENTS, '--agent', 'form', '--id', 'r1', ...database)).code).toBe(3);
      fill(join(disk, 'ballast'));
      const ended = await desk.flyball('signal', 'r1', 'form', '{"age":36}', ...database);
      expect(ended.code).toBe(9);
      expectTwoLines(ended);
      expect(ended.error).toContain('full');
      rmSync(join(disk, 'ballast'));
      const again = await desk.flyball('signal', 'r1', 'form', '{"age":36}', '--json', ...database);
      expect(again.code).toBe(0);
      expect(lastJson(again.out)).toMatchObject({ status: 'done', outcome: { value: { age: 36 } } });
    } finally {
      execFileSync('umount', ['-l', disk]);
    }
    return undefined;
  });
});

function mounts(path: string, options: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Writes until the disk takes nothing more. */
function fill(path: string): void {
  const handle = openSync(path, 'w');
  try {
    for (const size of [64 * 1024, 4096, 512]) {
      try {
        for (;;) writeSync(handle, Buffer.alloc(size));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  } finally {
    closeSync(handle);
  }
}

/** A folder nobody may write to: by its mode, or, for root, by mounting it so. */
function readOnlyFolder(path: string): { readonly path: string; release(): void } | undefined {
  mkdirSync(path);
  if (process.getuid?.() !== 0) {
    chmodSync(path, 0o555);
    return { path, release: () => chmodSync(path, 0o755) };
  }
  return mounts(path, 'ro') ? { path, release: () => void execFileSync('umount', [path]) } : undefined;
}

function rewrite(file: string, sql: string): void {
  const require = createRequire(import.meta.url);
  try {
    const { DatabaseSync } = require('node:sqlite') as {
      DatabaseSync: new (path: string) => { exec(sql: string): void; close(): void };
    };
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_UNKNOWN_BUILTIN_MODULE') throw error;
    const Database = require('libsql') as new (path: string) => { exec(sql: string): void; close(): void };
    const database = new Database(file);
    database.exec(sql);
    database.close();
  }
}
