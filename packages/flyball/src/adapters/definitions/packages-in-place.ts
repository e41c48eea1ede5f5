import { readFile, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Where something is loaded by the name of a package: also by a `require` of another name, hence any call. */
const BARE = /(?:\bfrom|\bimport|\()\s*(?:\(\s*)?(['"`])((?:@[\w.~-]+\/)?[\w~][\w.~-]*(?:\/[^'"`\n$]*)?)\1/g;

export function bareSpecifiers(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(BARE)].map(([, , name = '']) => name));
}

/**
 * What a package that is worked on in this very project runs, where a module names it: the files that the project exports
 * under its own name, or the folder of a package behind a link in node_modules, as workspaces have them. Installed
 * packages are kept with node_modules as a whole.
 */
export async function filesOfPackage(file: string, specifier: string, root: string): Promise<readonly string[]> {
  const [, name = '', below = ''] = /^((?:@[^/]+\/)?[^/]+)(\/.*)?$/.exec(specifier) ?? [];
  const own = await ownManifest(file, root);
  if (own?.name === name) return targetsOf(own.exports, `.${below}`).map((target) => resolve(own.folder, target));
  for (const folder of createRequire(pathToFileURL(file)).resolve.paths(name) ?? []) {
    const linked = await realpath(join(folder, name)).catch(() => undefined);
    if (linked === undefined) continue;
    const isWorkedOn = isInside(root, linked) && !relative(root, linked).split(sep).includes('node_modules');
    return isWorkedOn && linked !== root ? [linked] : [];
  }
  return [];
}

interface Manifest {
  readonly folder: string;
  readonly name: unknown;
  readonly exports: unknown;
}

/** A package may import itself by its name where its nearest manifest has `exports`. */
async function ownManifest(file: string, root: string): Promise<Manifest | undefined> {
  for (let folder = dirname(file); isInside(root, folder) && folder !== dirname(folder); folder = dirname(folder)) {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    try {
      const { name, exports } = Object(JSON.parse(text)) as { readonly name?: unknown; readonly exports?: unknown };
      return { folder, name, exports };
    } catch {
      return undefined; // Node refuses to load anything below it
    }
  }
  return undefined;
}

/** Every file that some condition leads to: which of them holds is known only when it is loaded. */
function targetsOf(exported: unknown, subpath: string): readonly string[] {
  const isMap = Object.keys(Object(exported) as object).some((key) => key.startsWith('.'));
  if (!isMap) return subpath === '.' ? leavesOf(exported) : [];
  return Object.entries(exported as Readonly<Record<string, unknown>>).flatMap(([key, target]) => {
    const [start = '', end] = key.split('*');
    if (end === undefined) return key === subpath ? leavesOf(target) : [];
    if (!subpath.startsWith(start) || !subpath.endsWith(end) || subpath.length < start.length + end.length) return [];
    const star = subpath.slice(start.length, subpath.length - end.length);
    return leavesOf(target).map((leaf) => leaf.replaceAll('*', star));
  });
}

function leavesOf(target: unknown): readonly string[] {
  if (typeof target === 'string') return [target];
  return typeof target === 'object' && target !== null ? Object.values(target).flatMap(leavesOf) : [];
}

export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}
