import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { patient } from '../../../../test/patience.js';
import { project, SECRET } from '../../../../test/security/project.js';
import { pathRules } from '../tools/rules/paths.js';
import { filesTools } from './files.js';

describe('files', () => {
  it('reads text with the lines it stands on, and goes on where it stopped [R3-FILES-OPS]', async () => {
    const { put, call, tool } = project();
    put('a.txt', 'one\ntwo\nthree\n');
    expect(await call('read_file', { path: 'a.txt' })).toEqual({
      path: 'a.txt',
      text: 'one\ntwo\nthree',
      from: 1,
      to: 3,
      of: 3,
      encoding: 'utf-8',
    });
    const part = await call('read_file', { path: 'a.txt', from: 2, lines: 1 });
    expect(tool('read_file').present?.(part)).toBe('a.txt, lines 2 to 2 of 3. Continue with from: 3.\ntwo');
    await expect(call('read_file', { path: 'a.txt', from: 4 })).rejects.toThrow(/only 3 lines/);
    await expect(call('read_file', { path: 'none' })).rejects.toThrow(/no file "none"/);
    await expect(call('read_file', { path: '.' })).rejects.toThrow(/is a folder/);
    await expect(call('read_file', { path: 'a.txt/b' })).rejects.toThrow(/goes through a file/);
  });

  it('shows at most as much at once as a model can use, and cuts one endless line', async () => {
    const { put, call } = project();
    put('long.txt', `${'x'.repeat(60_000)}\n`.repeat(3));
    expect(await call('read_file', { path: 'long.txt' })).toMatchObject({ from: 1, to: 1, of: 3 });
    put('line.txt', 'y'.repeat(200_000));
    expect((await call<{ text: string }>('read_file', { path: 'line.txt' })).text).toMatch(/^y{100000}… \(line cut\)$/);
  });

  it('refuses what is no text or too large, and says what it is', async () => {
    const { put, call } = project({ maxBytes: 1000 });
    put('logo.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0]));
    put('huge.txt', 'x'.repeat(1001));
    await expect(call('read_file', { path: 'logo.png' })).rejects.toThrow(/is not text: 6 bytes of a PNG image/);
    await expect(call('read_file', { path: 'huge.txt' })).rejects.toThrow(/1001 bytes; at most 1000/);
    await expect(call('write_file', { path: 'huge.txt', content: 'small' })).rejects.toThrow(/1001 bytes/);
    await expect(call('write_file', { path: 'b.txt', content: 'x'.repeat(1001) })).rejects.toThrow(/at most 1000/);
  });

  it('writes whole files, makes folders on the way, and says what changed [R3-FILES-OPS]', async () => {
    const { get, put, call, tool } = project();
    const created = await call('write_file', { path: 'src/deep/a.txt', content: 'one\ntwo\n' });
    expect(get('src/deep/a.txt')).toBe('one\ntwo\n');
    expect(tool('write_file').present?.(created)).toBe('Created src/deep/a.txt (+2 −0 lines).');
    put('b.txt', 'one\ntwo\nthree\n');
    expect(await call('write_file', { path: 'b.txt', content: 'one\n2\n' })).toMatchObject({
      did: 'replaced',
      lines: { added: 1, removed: 2 },
    });
  });

  it('edits in place and keeps encoding and mode [R3-FILES-OPS]', async () => {
    const { put, path, call } = project();
    put('run.sh', Buffer.from('\ufeff#!/bin/sh\necho hällo\n', 'utf16le'));
    chmodSync(path('run.sh'), 0o750);
    await call('edit_file', { path: 'run.sh', edits: [{ old: 'hällo', new: 'wörld' }] });
    expect((await call<{ text: string }>('read_file', { path: 'run.sh' })).text).toBe('#!/bin/sh\necho wörld');
    expect(statSync(path('run.sh')).mode & 0o777).toBe(0o750);
    await expect(call('edit_file', { path: 'none', edits: [{ old: 'a', new: 'b' }] })).rejects.toThrow(
      /no file "none"/,
    );
  });

  it('keeps the owner of a file, and never the right to become somebody else', async (test) => {
    if (process.getuid?.() !== 0) return test.skip('only root can give files away');
    const { put, path, call } = project();
    put('a.sh', 'old\n');
    chownSync(path('a.sh'), 1234, 1234);
    chmodSync(path('a.sh'), 0o4755);
    await call('edit_file', { path: 'a.sh', edits: [{ old: 'old', new: 'new' }] });
    const { uid, gid, mode } = statSync(path('a.sh'));
    expect([uid, gid, mode & 0o7777]).toEqual([1234, 1234, 0o755]);
  });

  it('works on files with several names only where it is told to', async () => {
    const { hardLink, get, base, call } = project({ hardLinks: 'allow' });
    hardLink('mine.txt', 'secret.txt');
    await call('write_file', { path: 'mine.txt', content: 'x' });
    expect(get('mine.txt')).toBe('x');
    expect(readFileSync(join(base, 'secret.txt'), 'utf8')).toBe(SECRET); // replaced by name: the other one stays
  });

  it('changes nothing when one of several edits does not fit', async () => {
    const { put, get, call } = project();
    put('a.txt', 'one\ntwo\n');
    const edits = [
      { old: 'one', new: '1' },
      { old: 'three', new: '3' },
    ];
    await expect(call('edit_file', { path: 'a.txt', edits })).rejects.toThrow(/Edit 2/);
    expect(get('a.txt')).toBe('one\ntwo\n');
  });

  it('moves and deletes files, and never over another one', async () => {
    const { put, get, path, call } = project();
    put('a.txt', 'a');
    put('b.txt', 'b');
    await expect(call('move_file', { path: 'a.txt', to: 'b.txt' })).rejects.toThrow(/exists already/);
    await call('move_file', { path: 'a.txt', to: 'new/c.txt' });
    expect(get('new/c.txt')).toBe('a');
    await call('delete_file', { path: 'b.txt' });
    expect(existsSync(path('a.txt')) || existsSync(path('b.txt'))).toBe(false);
    await expect(call('delete_file', { path: 'new' })).rejects.toThrow(/is a folder/);
    await expect(call('delete_file', { path: 'b.txt' })).rejects.toThrow(/no file/);
  });

  it('lists a folder, or what matches a glob below it, and says what it left out [R3-FILES-OPS]', async () => {
    const { put, link, call, tool } = project();
    put('a.ts', '');
    put('src/b.ts', '');
    put('src/deep/c.ts', '');
    put('src/deep/c.md', '');
    put('node_modules/x/index.ts', '');
    link('elsewhere', '/etc');
    const listed = await call('list_files', {});
    expect(tool('list_files').present?.(listed)).toBe('.: 4 entries\na.ts\nelsewhere (link)\nnode_modules/\nsrc/');
    expect(await call('list_files', { glob: '**/*.ts' })).toEqual({
      path: '.',
      entries: ['a.ts', 'src/b.ts', 'src/deep/c.ts'].map((path) => ({ path, kind: 'file' })),
      leftOut: ['folders named node_modules'],
    });
    expect(await call('list_files', { path: 'src', glob: '**/*.ts', depth: 1 })).toMatchObject({
      entries: [{ path: 'b.ts' }],
    });
    expect(await call('list_files', { path: 'node_modules/x' })).toMatchObject({ entries: [{ path: 'index.ts' }] });
    await expect(call('list_files', { path: 'none' })).rejects.toThrow(/no folder "none"/);
    await expect(call('list_files', { glob: '{a,b}'.repeat(10) })).rejects.toThrow(/not a glob/);
  });

  it('stops a listing at its bound and says so', async () => {
    const { put, call } = project();
    for (let n = 0; n < 501; n++) put(`f${n}`, '');
    const listed = await call<{ entries: unknown[]; leftOut: string[] }>('list_files', {});
    expect(listed.entries).toHaveLength(500);
    expect(listed.leftOut).toEqual(['everything after 500 matches']);
  });

  it('searches literally, by pattern, without case, in the files of a glob [R3-FILES-OPS]', async () => {
    const { put, call, tool } = project();
    put('a.ts', 'const x = f(1);\nconst y = F(2);\n');
    put('src/b.ts', 'f(1)\r\nlast f(9)\r\n');
    put('c.md', 'f(1)');
    put('logo.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0]));
    const literal = await call('search_files', { query: 'f(1)', glob: '**/*.ts' });
    expect(tool('search_files').present?.(literal)).toBe(
      '2 matches in 2 files.\na.ts:1: const x = f(1);\nsrc/b.ts:1: f(1)',
    );
    expect(await call('search_files', { query: 'F(', ignoreCase: true, glob: 'a.ts' })).toMatchObject({
      matches: [{ line: 1 }, { line: 2 }],
    });
    expect(await call('search_files', { query: 'f\\(\\d\\)$', pattern: true, path: 'src' })).toMatchObject({
      matches: [
        { path: 'b.ts', line: 1 },
        { path: 'b.ts', line: 2 },
      ],
    });
    await expect(call('search_files', { query: '(', pattern: true })).rejects.toThrow(/Unterminated group/);
  });

  it('stops a search at its bounds and says so', async () => {
    const { put, call } = project();
    put('a.txt', 'x\n'.repeat(60));
    for (const name of ['b', 'c', 'd', 'e']) put(`${name}.txt`, 'x\n'.repeat(45));
    const found = await call<{ matches: { path: string }[]; leftOut: string[] }>('search_files', { query: 'x' });
    expect(found.matches.filter(({ path }) => path === 'a.txt')).toHaveLength(50);
    expect(found.matches).toHaveLength(200);
    expect(found.leftOut).toEqual(['everything after 200 matches']);
  });

  it('ends a pattern with the call that asked for it', async () => {
    const { put, tool } = project();
    put('a.txt', `${'a'.repeat(60)}!`);
    const stop = new AbortController();
    const searching = tool('search_files').execute(
      { query: '^(a+)+$', pattern: true },
      { key: 'k', signal: stop.signal },
    );
    setImmediate(() => stop.abort(new Error('cancelled')));
    await expect(searching).rejects.toThrow('cancelled');
  });

  it('ends a pattern that would backtrack for years, while the process goes on', async () => {
    const { put, call } = project({ searchMs: patient(150) });
    put('a.txt', `${'a'.repeat(60)}!`);
    let turns = 0;
    const ticking = setInterval(() => turns++, 5);
    await expect(call('search_files', { query: '^(a+)+$', pattern: true })).rejects.toThrow(
      /took longer than [0-9.]+ ms\. Repetitions inside repetitions/,
    );
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(2);
  });

  it('replaces a file in one step: a reader sees the old text or the new one [R3-FILES-ATOMIC]', async () => {
    const { put, get, root, path, call } = project();
    const [old, fresh] = ['a'.repeat(300_000), 'b'.repeat(300_000)];
    put('a.txt', old);
    const inode = statSync(path('a.txt')).ino;
    const seen = new Set<string>();
    const writing = call('write_file', { path: 'a.txt', content: fresh });
    let isWriting = true;
    void writing.finally(() => {
      isWriting = false;
    });
    while (isWriting) {
      seen.add(get('a.txt'));
      await new Promise((resolve) => setImmediate(resolve));
    }
    seen.add(get('a.txt'));
    for (const text of seen) expect(text === old || text === fresh).toBe(true);
    expect(statSync(path('a.txt')).ino).not.toBe(inode); // renamed into place, not written over
    expect(readdirSync(root).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('lets no two edits side by side lose each other', async () => {
    const { put, get, call } = project();
    put('a.txt', Array.from({ length: 20 }, (_, n) => `line ${n};\n`).join(''));
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        call('edit_file', { path: 'a.txt', edits: [{ old: `line ${n};`, new: `done ${n};` }] }),
      ),
    );
    expect(get('a.txt')).toBe(Array.from({ length: 20 }, (_, n) => `done ${n};\n`).join(''));
  });

  it('offers only reading where nothing may be written', () => {
    const rules = pathRules({ roots: [{ path: '/usr/share', write: false }] });
    expect(filesTools({ allow: rules }).map(({ name }) => name)).toEqual(['read_file', 'list_files', 'search_files']);
  });

  it('says what a call touches, and reserves what it may change', () => {
    const { tool, path } = project();
    expect(tool('read_file').touches?.({ path: 'a' })).toEqual({ reads: [path('a')] });
    expect(tool('write_file').touches?.({ path: 'x/../a', content: '1\n2' })).toEqual({
      writes: [{ path: path('a'), lines: 2 }],
    });
    const edits = [
      { old: 'a\nb', new: 'c' },
      { old: 'x', new: '', occurrences: 3 },
    ];
    expect(tool('edit_file').reserve?.({ path: 'a', edits })).toEqual({ filesChanged: 1, linesChanged: 5 });
    expect(tool('edit_file').touches?.({ path: 'a', edits })).toEqual({
      reads: [path('a')],
      writes: [{ path: path('a'), lines: 5 }],
    });
    // a model's arguments are counted before they are checked
    expect(tool('edit_file').reserve?.({ edits: [null, { old: 7, occurrences: Number.NaN }] })).toMatchObject({
      linesChanged: 0,
    });
    expect(tool('write_file').reserve?.(undefined)).toMatchObject({ linesChanged: 0 });
  });

  it('stands on private data when it reads, unless it is told that there is none', () => {
    expect(project().tool('search_files').legs).toEqual(['private-data']);
    expect(project({ legs: [] }).tool('read_file').legs).toEqual([]);
    expect(project().tool('write_file').legs).toBeUndefined();
  });

  it('refuses settings that mean nothing', () => {
    expect(() => filesTools({ allow: 'relative' })).toThrow(/not absolute/);
    expect(() => filesTools({ allow: '/tmp', maxBytes: 0 })).toThrow(/maxBytes/);
  });
});
