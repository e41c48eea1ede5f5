import { mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Project, project, SECRET } from '../../../../test/security/project.js';
import { type HeldFolder, type Holding, holdFolder, holdingHere } from './files-held.js';

async function held(place: Project, holding: Holding, names: readonly string[]): Promise<HeldFolder> {
  const folder = await holdFolder({ base: place.root, names, holding });
  onTestFinished(() => folder.close());
  return folder;
}

/** The folder goes and a link that leads out takes its name. */
function swap(place: Project): void {
  renameSync(place.path('door'), place.path('was-door'));
  symlinkSync(place.base, place.path('door'));
}

describe('a held folder', () => {
  it.runIf(holdingHere() === 'by-descriptor')('stays the folder it was, whatever becomes of its path', async () => {
    const place = project();
    place.put('door/secret.txt', 'inside');
    const folder = await held(place, 'by-descriptor', ['door']);
    swap(place);
    expect(readFileSync(place.path('door/secret.txt'), 'utf8')).toBe(SECRET);
    expect(await readFile(folder.at('secret.txt'), 'utf8')).toBe('inside');
  });

  it.each<Holding>(['by-descriptor', 'by-path'])('is never reached through a link (%s)', async (holding) => {
    const place = project();
    place.link('door', place.base);
    await expect(held(place, holding, ['door'])).rejects.toThrow(/became a link/);
    await expect(held(place, holding, ['door', 'project'])).rejects.toThrow(/became a link/);
  });

  it('notices a swap where it cannot be held by a descriptor', async () => {
    const place = project();
    mkdirSync(place.path('door'));
    const folder = await held(place, 'by-path', ['door']);
    await expect(folder.assertHeld()).resolves.toBeUndefined();
    swap(place);
    await expect(folder.assertHeld()).rejects.toThrow(/became a link/);
  });

  it('makes what is missing only where it is told to', async () => {
    const place = project();
    await expect(held(place, 'by-path', ['a', 'b'])).rejects.toThrow(/ENOENT/);
    const made = await holdFolder({ base: place.root, names: ['a', 'b'], make: true, holding: holdingHere() });
    onTestFinished(() => made.close());
    expect(made.real).toBe(place.path('a/b'));
  });
});
