import { mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { vectorFolder } from './vector-folder.js';
import { workspaceFolder } from './workspace-folder.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flyball-vectors-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const vector = (...values: readonly number[]): Float32Array => Float32Array.from(values);

describe('a folder of vectors', () => {
  it('gives back what was put, to another process too, for that embedder only [R5-RET-DENSE]', async () => {
    await vectorFolder(folder).put(
      'hash/v1',
      new Map([
        ['a', vector(0.1, -2)],
        ['b', vector(3, 4)],
      ]),
    );
    const later = vectorFolder(folder);
    expect(await later.get('hash/v1', ['b', 'x', 'a'])).toEqual([vector(3, 4), undefined, vector(0.1, -2)]);
    expect(await later.get('hash/v2', ['a'])).toEqual([undefined]);
    await later.put('hash/v1', new Map([['c', vector(5, 6)]]));
    expect(await vectorFolder(folder).get('hash/v1', ['a', 'c'])).toEqual([vector(0.1, -2), vector(5, 6)]);
  });

  it('keeps embedders apart whose ids look alike as file names', async () => {
    const cache = vectorFolder(folder);
    await cache.put('a/b', new Map([['x', vector(1)]]));
    await cache.put('a b', new Map([['x', vector(2)]]));
    const later = vectorFolder(folder);
    expect(await later.get('a/b', ['x'])).toEqual([vector(1)]);
    expect(await later.get('a b', ['x'])).toEqual([vector(2)]);
  });

  it('takes a file that was cut or is not its own for absent', async () => {
    await vectorFolder(folder).put('hash/v1', new Map([['a', vector(1, 2)]]));
    const [place = ''] = await readdir(folder);
    const [name = ''] = await readdir(join(folder, place));
    await truncate(join(folder, place, name), 60);
    await writeFile(join(folder, place, 'other.vectors'), 'no header at all');
    expect(await vectorFolder(folder).get('hash/v1', ['a'])).toEqual([undefined]);
  });
});

describe('a workspace', () => {
  it('holds its files, with one time for all, until it is closed [R5-DOMAIN-TERMINAL]', async () => {
    const make = workspaceFolder(folder);
    const [one, two] = await Promise.all([make(new Map([['a.md', 'A']])), make(new Map([['a.md', 'B']]))]);
    expect(one.path).not.toBe(two.path);
    expect((await stat(join(one.path, 'a.md'))).mtime.toISOString()).toBe('2025-01-01T00:00:00.000Z');
    await one.close();
    await one.close();
    expect(await readdir(folder)).toHaveLength(1);
    expect(await readdir(two.path)).toEqual(['a.md']);
  });

  it.each(['../x', 'a/b', '..', ''])('refuses the name %j for a file', async (name) => {
    await expect(workspaceFolder(folder)(new Map([[name, 'x']]))).rejects.toThrow(/not a valid name for a file/);
    expect(() => workspaceFolder('relative')).toThrow(/absolute/);
  });
});
