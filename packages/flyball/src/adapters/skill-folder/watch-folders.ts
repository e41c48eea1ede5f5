import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { listFiles } from './list-files.js';
import { skillFoldersIn } from './read-skills.js';

/** A folder that is watched, and the one name in it that counts, where not all do. */
export interface Place {
  readonly folder: string;
  readonly only?: string;
}

/** Every folder in which something can change, and those around the roots: a root may come later, or be exchanged. */
export async function placesUnder(roots: readonly string[]): Promise<readonly Place[]> {
  const found: Place[] = [];
  for (const root of roots) {
    found.push({ folder: root }, { folder: dirname(root), only: basename(root) });
    const skills = await skillFoldersIn(root);
    for (const folder of typeof skills === 'string' ? [] : skills) {
      const { folders } = await listFiles(folder).catch(() => ({ folders: [''] })); // gone meanwhile: the next event tells
      found.push(...folders.map((path) => ({ folder: join(folder, path) })));
    }
  }
  return found;
}

/** One watcher for each folder: what all systems do alike. */
export class Watchers {
  private readonly open = new Map<string, FSWatcher>();
  private readonly onEvent: () => void;

  constructor(onEvent: () => void) {
    this.onEvent = onEvent;
  }

  set(places: readonly Place[]): void {
    const wanted = new Map(places.map((place) => [`${place.folder}\n${place.only ?? ''}`, place]));
    for (const [key, watcher] of this.open) {
      if (wanted.has(key)) continue;
      watcher.close();
      this.open.delete(key);
    }
    for (const [key, place] of wanted) if (!this.open.has(key)) this.start(key, place);
  }

  private start(key: string, { folder, only }: Place): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (only === undefined || name === null || name === only) this.onEvent();
      });
      watcher.on('error', () => this.drop(key, watcher));
      this.open.set(key, watcher);
    } catch (error) {
      // a folder that is not there yet appears as a change of the one around it
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  private drop(key: string, watcher: FSWatcher): void {
    watcher.close();
    this.open.delete(key);
    this.onEvent();
  }
}
