import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Project, project } from '../../../../test/security/project.js';
import { accessOf } from './files.js';
import { targetOf } from './files-access.js';
import { FileChanges } from './files-change.js';
import { holdFolder } from './files-held.js';
import { presentAt, readBounded } from './files-present.js';
import { replaceFile } from './files-replace.js';
import { undoFolder } from './files-undo.js';

const signal = new AbortController().signal;

function changesIn({ root }: Project, after: () => void = () => undefined, keep = 2000): FileChanges {
  const access = accessOf({ allow: root });
  const kept = undoFolder({ base: root, names: ['.flyball', 'undo'], holding: access.holding, keep });
  return new FileChanges(access, {
    load: kept.load,
    save: async (record, contents) => {
      await kept.save(record, contents);
      after();
    },
  });
}

async function write(changes: FileChanges, path: string, content: string | undefined, key = 'key'): Promise<void> {
  const target = await targetOf(changes.access, path, 'write');
  const before = await presentAt(changes.access, target);
  const after = content === undefined ? undefined : Buffer.from(content);
  await changes.make({ target, before, after }, { key, signal }, { told: content ?? null });
}

describe('a change of a file', () => {
  it.each<readonly [string, (project: Project, changes: FileChanges) => Promise<void>]>([
    ['a replaced file', (_, changes) => write(changes, 'a.txt', 'new')],
    ['a new file', (_, changes) => write(changes, 'x/y/new.txt', 'new')],
    ['a deleted file', (_, changes) => write(changes, 'a.txt', undefined)],
    [
      'a moved file',
      async (_, changes) => {
        const from = await targetOf(changes.access, 'a.txt', 'write');
        const to = await targetOf(changes.access, 'moved/b.txt', 'write');
        const present = await presentAt(changes.access, from);
        if (present === undefined) throw new Error('there is nothing to move');
        await changes.move({ from, to, present }, { key: 'key', signal }, { told: 'moved' });
      },
    ],
  ])(
    'is undone to the state before, and undoing it twice changes nothing more: %s [R3-FILES-UNDO]',
    async (_, make) => {
      const place = project();
      place.put('a.txt', 'old');
      chmodSync(place.path('a.txt'), 0o640);
      const changes = changesIn(place);
      await make(place, changes);
      await changes.restore('key', signal);
      const state = (): unknown => [
        place.get('a.txt'),
        statSync(place.path('a.txt')).mode & 0o777,
        readdirSync(place.root).sort(),
      ];
      expect(state()).toEqual(['old', 0o640, ['.flyball', 'a.txt']]);
      await changes.restore('key', signal);
      expect(state()).toEqual(['old', 0o640, ['.flyball', 'a.txt']]);
    },
  );

  it('is left alone by undoing when somebody has changed the file since, and says so [R3-FILES-UNDO]', async () => {
    const place = project();
    place.put('a.txt', 'old');
    const changes = changesIn(place);
    await write(changes, 'a.txt', 'new');
    place.put('a.txt', 'theirs');
    await expect(changes.restore('key', signal)).rejects.toThrow(/changed by somebody else since/);
    expect(place.get('a.txt')).toBe('theirs');
  });

  it('leaves a folder that it made when others have moved in', async () => {
    const place = project();
    const changes = changesIn(place);
    await write(changes, 'made/a.txt', 'new');
    place.put('made/b.txt', 'theirs');
    await changes.restore('key', signal);
    expect(readdirSync(place.path('made'))).toEqual(['b.txt']);
  });

  it('does not overwrite what somebody else wrote after it was read', async () => {
    const place = project();
    place.put('a.txt', 'old');
    const changes = changesIn(place, () => {
      place.put('a.txt', 'them');
      utimesSync(place.path('a.txt'), 1, 1);
    });
    await expect(write(changes, 'a.txt', 'new')).rejects.toThrow(/changed by somebody else in the meantime/);
    await expect(write(changes, 'a.txt', undefined)).resolves.toBeUndefined(); // the second look sees what is there now
    const creating = changesIn(place, () => place.put('b.txt', 'them'));
    await expect(write(creating, 'b.txt', 'new')).rejects.toThrow(/appeared while/);
    expect(place.get('b.txt')).toBe('them');
    expect(readdirSync(place.root).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('is known to have happened, not to have happened, or to be unclear [R3-FILES-UNDO]', async () => {
    const place = project();
    place.put('a.txt', 'old');
    const changes = changesIn(place);
    expect(await changes.verify('never')).toEqual({ happened: 'no' });
    await write(changes, 'a.txt', 'new');
    expect(await changes.verify('key')).toEqual({ happened: 'yes', result: { told: 'new' } });
    place.put('a.txt', 'old');
    expect(await changes.verify('key')).toEqual({ happened: 'no' });
    place.put('a.txt', 'else');
    expect(await changes.verify('key')).toEqual({ happened: 'unknown' });
  });

  it('stops before the point of no return when its run is cancelled', async () => {
    const place = project();
    const cancelled = new AbortController();
    const changes = changesIn(place, () => cancelled.abort(new Error('cancelled')));
    const target = await targetOf(changes.access, 'a.txt', 'write');
    const how = { key: 'key', signal: cancelled.signal };
    await expect(changes.make({ target, before: undefined, after: Buffer.from('x') }, how, null)).rejects.toThrow(
      'cancelled',
    );
    expect(existsSync(place.path('a.txt'))).toBe(false);
  });

  it('takes over the temporary file that a crash of the same effect left behind [R3-FILES-ATOMIC]', async () => {
    const place = project();
    const changes = changesIn(place);
    await write(changes, 'probe.txt', 'x');
    const id = readdirSync(place.path('.flyball/undo'))[0]?.replace('.undo', '') ?? '';
    place.put(`.flyball-${id}.tmp`, 'half written');
    await write(changes, 'a.txt', 'whole');
    expect(place.get('a.txt')).toBe('whole');
    expect(readdirSync(place.root)).not.toContain(`.flyball-${id}.tmp`);
  });

  it('keeps the newest previous versions only', async () => {
    const place = project();
    const changes = changesIn(place, () => undefined, 3);
    mkdirSync(place.path('.flyball/undo'), { recursive: true });
    for (let n = 0; n < 10; n++) {
      const file = place.path(`.flyball/undo/old${n}.undo`);
      writeFileSync(file, '');
      utimesSync(file, n, n);
    }
    await write(changes, 'a.txt', 'x');
    const left = readdirSync(place.path('.flyball/undo'));
    expect(left).toHaveLength(3);
    expect(left).toEqual(expect.arrayContaining(['old8.undo', 'old9.undo']));
  });

  it('whose previous version is gone says that it cannot be undone', async () => {
    const place = project();
    const changes = changesIn(place);
    await write(changes, 'a.txt', 'x');
    rmSync(place.path('.flyball/undo'), { recursive: true });
    await expect(changes.restore('key', signal)).rejects.toThrow(/no longer stored/);
  });

  it('never keeps its record through a link that an agent could have planted', async () => {
    const place = project();
    place.link('.flyball', place.base);
    await expect(write(changesIn(place), 'a.txt', 'x')).rejects.toThrow(/became a link/);
    expect(readdirSync(place.base).sort()).toEqual(['project', 'secret.txt']);
  });

  it('that the disk did not confirm is in doubt, not undone [R3-FILES-ATOMIC]', async () => {
    const place = project();
    const folder = await holdFolder({ base: place.root, names: [], holding: 'by-path' });
    onTestFinished(() => folder.close());
    const failing = { ...folder, sync: () => Promise.reject(new Error('EIO')) };
    const writing = replaceFile(failing, { name: 'a.txt', bytes: Buffer.from('new'), id: 'x' });
    await expect(writing).rejects.toMatchObject({ inDoubt: true, message: expect.stringMatching(/did not confirm/) });
    expect(place.get('a.txt')).toBe('new');
  });

  it('reads no more than its bound of a file that grows', async () => {
    const place = project();
    place.put('a.txt', 'x'.repeat(200_000));
    const handle = await open(place.path('a.txt'));
    onTestFinished(() => handle.close());
    await expect(readBounded(handle, 100_000)).rejects.toThrow(/grew beyond 100000 bytes/);
  });

  it('keeps previous versions elsewhere where it is told to', async () => {
    const place = project();
    const away = project({ undoFolder: join(place.base, 'kept/here') });
    away.put('a.txt', 'old');
    await away.call('write_file', { path: 'a.txt', content: 'new' });
    const [name = ''] = readdirSync(join(place.base, 'kept/here'));
    expect(readFileSync(join(place.base, 'kept/here', name), 'utf8')).toMatch(/\nold$/);
    expect(readdirSync(away.root)).toEqual(['a.txt']);
  });
});
