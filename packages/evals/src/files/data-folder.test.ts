import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { domainSource } from '../domains/domain-registry.js';
import { dataFolder } from './data-folder.js';

describe('a data folder', () => {
  let place: string;
  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), 'data-folder-'));
    mkdirSync(join(place, 'data/tasks'), { recursive: true });
    writeFileSync(join(place, 'secret.txt'), 'secret');
    writeFileSync(join(place, 'data/a.json'), '{"é": 1}');
    for (const name of ['\u{1f600}.json', 'b.json', 'B.json', '\uff5e.json']) {
      writeFileSync(join(place, 'data/tasks', name), '');
    }
  });
  afterEach(() => rmSync(place, { recursive: true }));

  it('reads its files and lists its folders by code point [R5-DATA-FOLDER]', async () => {
    const data = dataFolder(join(place, 'data'));
    expect(data.place).toBe(join(place, 'data'));
    expect(await data.read('a.json')).toBe('{"é": 1}');
    expect(await data.list('tasks')).toEqual(['B.json', 'b.json', '\uff5e.json', '\u{1f600}.json']);
  });

  it('has nothing where there is nothing, and fails where it cannot read [R5-DATA-FOLDER]', async () => {
    const data = dataFolder(join(place, 'data'));
    expect(await data.read('b.json')).toBeUndefined();
    expect(await data.list('documents')).toEqual([]);
    expect(await dataFolder(join(place, 'lost')).read('a.json')).toBeUndefined();
    await expect(data.read('tasks')).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
  });

  it.each(['../secret.txt', 'tasks/../../secret.txt', '/etc/hosts', 'link.txt', 'out/secret.txt'])(
    'refuses %s, which leads out of it [R5-DATA-FOLDER]',
    async (path) => {
      symlinkSync(join(place, 'secret.txt'), join(place, 'data/link.txt'));
      symlinkSync(place, join(place, 'data/out'));
      await expect(dataFolder(join(place, 'data')).read(path)).rejects.toMatchObject({ code: 'DENIED' });
      await expect(dataFolder(join(place, 'data')).list(path)).rejects.toMatchObject({ code: 'DENIED' });
    },
  );

  it('may itself be reached by a link, and hold links that stay inside [R5-DATA-FOLDER]', async () => {
    symlinkSync(join(place, 'data'), join(place, 'alias'));
    symlinkSync(join(place, 'data/a.json'), join(place, 'data/tasks/same.json'));
    expect(await dataFolder(join(place, 'alias')).read('tasks/same.json')).toBe('{"é": 1}');
  });

  it('lets a domain that lacks its files say what to do [R5-DATA-FOLDER]', async () => {
    const loading = domainSource('mock').load(dataFolder(join(place, 'data')));
    await expect(loading).rejects.toThrow(/There is no domains\/mock\/.* in .*flyball evals fetch tau2.*FLYBALL_TAU2/);
    mkdirSync(join(place, 'data/domains/mock'), { recursive: true });
    writeFileSync(join(place, 'data/domains/mock/tools.json'), '{"assistant": ');
    const broken = domainSource('mock').load(dataFolder(join(place, 'data')));
    await expect(broken).rejects.toThrow(/tools.json is not valid JSON: Expecting value: line 1 column 15 \(char 14\)/);
    expect(() => domainSource('lost')).toThrow(/no domain 'lost'. Available domains: .*mock/);
  });
});
