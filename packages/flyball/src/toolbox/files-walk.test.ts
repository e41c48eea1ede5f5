import { chmodSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Project, project } from '../../../../test/security/project.js';
import { accessOf } from './files.js';
import { type WalkLimits, walkFiles } from './files-walk.js';

const LIMITS: WalkLimits = { depth: 10, entries: 1000, skip: [] };

async function walked(place: Project, limits: Partial<WalkLimits> = {}, path = '.') {
  const seen: string[] = [];
  const end = await walkFiles(accessOf({ allow: place.root }), path, { ...LIMITS, ...limits }, async (entry) => {
    seen.push(entry.path);
    return 'go-on';
  });
  return { seen, leftOut: end.leftOut };
}

describe('a walk through folders', () => {
  it('goes by name, enters no links and shows nothing that is denied', async () => {
    const place = project();
    place.put('b/2.txt', '');
    place.put('b/1.txt', '');
    place.put('a.txt', '');
    place.put('.flyball/flyball.db', '');
    place.link('c', place.base);
    expect(await walked(place)).toEqual({ seen: ['a.txt', 'b', 'b/1.txt', 'b/2.txt', 'c'], leftOut: [] });
    expect((await walked(place, {}, 'b')).seen).toEqual(['1.txt', '2.txt']);
  });

  it('ends at each of its bounds, and says at which', async () => {
    const place = project();
    place.put('a/b/c/d.txt', '');
    place.put('skipped/x.txt', '');
    expect(await walked(place, { depth: 2, skip: ['skipped'] })).toEqual({
      seen: ['a', 'a/b', 'skipped'],
      leftOut: ['folders deeper than 2', 'folders named skipped'],
    });
    expect((await walked(place, { entries: 3 })).leftOut).toEqual(['everything after 3 entries']);
  });

  it('goes on where a folder is closed to it', async (test) => {
    if (process.getuid?.() === 0) return test.skip('nothing is closed to root');
    const place = project();
    place.put('a/x.txt', '');
    place.put('b.txt', '');
    chmodSync(place.path('a'), 0);
    expect(await walked(place)).toEqual({ seen: ['a', 'b.txt'], leftOut: ['a (EACCES)'] });
    chmodSync(place.path('a'), 0o700);
  });
});
