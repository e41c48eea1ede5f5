import { readdirSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository, wherever the command was given. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const GENERATED = new Set(['node_modules', '.git', '.cache', '.flyball', 'coverage']);

/**
 * All files below a folder of the repository as sorted paths from its root, generated folders left out.
 * A folder that does not exist has none.
 * @param {string} folder
 * @param {RegExp} [named]
 * @returns {string[]}
 */
export function filesUnder(folder, named = /./) {
  const top = join(root, folder);
  if (statSync(top, { throwIfNoEntry: false }) === undefined) return [];
  /** @type {string[]} */
  const found = [];
  for (const entry of readdirSync(top, { withFileTypes: true })) {
    const path = relative(root, join(top, entry.name));
    if (entry.isDirectory()) {
      if (!GENERATED.has(entry.name) && !entry.name.startsWith('dist')) found.push(...filesUnder(path, named));
    } else if (named.test(path)) found.push(path);
  }
  return found.sort();
}
