import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import { posix } from 'node:path';
import { FlyballError } from '../core/errors.js';
import { absolutePath, checkPath, type PathRoot, type PathRules, rootOf } from '../tools/rules/paths.js';
import { codeOf, type HeldFolder, type Holding, holdFolder, swapped } from './files-held.js';

/**
 * The way to every file, for reading and for writing:
 * 1. The path is judged by its letters.
 * 2. Links are resolved, and what comes out is judged by the same rules.
 * 3. The resolved path is walked from its root without following links, so what was judged is what is opened.
 */
export interface FileAccess {
  readonly rules: PathRules;
  readonly hardLinks: 'refuse' | 'allow';
  /** Larger files are neither read nor replaced: nobody could undo it. */
  readonly maxBytes: number;
  readonly holding: Holding;
}

export interface Target {
  /** As it was asked for. */
  readonly path: string;
  readonly real: string;
  readonly root: string;
  /** Folders between root and file, and those of them that do not exist yet. */
  readonly folders: readonly string[];
  readonly missing: readonly string[];
  /** `.` for a root itself. */
  readonly name: string;
}

export async function targetOf(access: FileAccess, path: string, how: 'read' | 'write'): Promise<Target> {
  const verdict = checkPath(access.rules, path, how);
  if (!verdict.ok) throw denied(verdict.why, path);
  const rules = await resolvedRules(access.rules);
  const { existing, missing } = await resolveLinks(absolutePath(access.rules, path), path);
  const real = posix.join(existing, ...missing);
  if (!checkPath(rules, real, how).ok)
    throw denied(`"${path}" leads through a link to where the rules do not allow it.`, path);
  const root = rootOf(rules, existing)?.path; // of those that are there
  if (root === undefined)
    throw failed(
      `None of the allowed folders that could hold "${path}" exists: ${access.rules.roots.map((each) => each.path).join(', ')}.`,
      path,
    );
  const names = real
    .slice(root.length)
    .split('/')
    .filter((name) => name !== '');
  const name = names.pop() ?? '.';
  return { path, real, root, folders: names, missing: missing.slice(0, -1), name };
}

export async function resolvedRules(rules: PathRules): Promise<PathRules> {
  return { ...rules, roots: (await Promise.all(rules.roots.map(resolvedRoot))).flat() };
}

async function resolvedRoot(root: PathRoot): Promise<readonly PathRoot[]> {
  try {
    return [{ ...root, path: await realpath(root.path) }];
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ELOOP' || code === 'ENOTDIR') return []; // there is no way in
    if (code !== 'ENOENT') throw error;
    // a folder to write to that is not there holds nothing; what must not be written must not be made either, on any way
    return root.write ? [] : await madeAt(root);
  }
}

async function madeAt(root: PathRoot): Promise<readonly PathRoot[]> {
  try {
    return [{ ...root, path: await placeToBe(root.path) }];
  } catch (error) {
    if (['ELOOP', 'ENOTDIR'].includes(codeOf(error) ?? '')) return [];
    throw error;
  }
}

const MOST_LINKS = 40;

/** Where a file would lie that is made under this name, behind links that lead nowhere too. */
async function placeToBe(path: string): Promise<string> {
  let place = path;
  for (let links = 0; links < MOST_LINKS; links++) {
    const { existing, missing, link } = await longestExisting(place);
    if (link === undefined) return posix.join(existing, ...missing);
    place = posix.join(posix.resolve(existing, link), ...missing.slice(1));
  }
  return place; // a circle: nothing can be made behind it
}

/** The longest part of a path that exists, without links, the names that follow it, and where the first of them leads. */
async function longestExisting(
  absolute: string,
): Promise<{ readonly existing: string; readonly missing: readonly string[]; readonly link?: string }> {
  const missing: string[] = [];
  for (let part = absolute; ; part = posix.dirname(part)) {
    try {
      const existing = await realpath(part);
      const link = missing[0] === undefined ? undefined : await linkAt(posix.join(existing, missing[0]));
      return { existing, missing, ...(link === undefined ? {} : { link }) };
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      missing.unshift(posix.basename(part));
    }
  }
}

async function resolveLinks(
  absolute: string,
  path: string,
): Promise<{ readonly existing: string; readonly missing: readonly string[] }> {
  const found = await longestExisting(absolute).catch((error: unknown) => {
    const code = codeOf(error);
    if (code === 'ENOTDIR') throw failed(`"${path}" goes through a file as if it were a folder.`, path);
    throw code === 'ELOOP' ? denied(`"${path}" leads into a circle of links.`, path) : error;
  });
  // writing through a link that leads nowhere would create its target, wherever that is
  if (found.link !== undefined) throw denied(`"${path}" goes through a link that leads nowhere.`, path);
  return found;
}

async function linkAt(path: string): Promise<string | undefined> {
  return readlink(path).catch(() => undefined);
}

export async function withFolder<T>(
  access: FileAccess,
  target: Target,
  use: (folder: HeldFolder) => Promise<T>,
  make = false,
): Promise<T> {
  const { root, folders: names } = target;
  const folder = await holdFolder({ base: root, names, make, holding: access.holding });
  try {
    return await use(folder);
  } finally {
    await folder.close();
  }
}

/** Undefined where there is nothing under this name. Whatever is no plain file is refused before it is opened. */
export async function openFile(
  access: FileAccess,
  folder: HeldFolder,
  name: string,
): Promise<{ readonly handle: FileHandle; readonly stats: Stats } | undefined> {
  const seen = await lstatOrNothing(folder.at(name));
  if (seen === undefined) return undefined;
  const real = posix.join(folder.real, name);
  requirePlain(access, seen, name);
  // O_NONBLOCK: a FIFO swapped in now would otherwise hold the thread until somebody writes to it
  const handle = await open(folder.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: unknown) => {
      throw codeOf(error) === 'ELOOP' ? swapped(real) : error;
    },
  );
  try {
    const stats = await handle.stat();
    requirePlain(access, stats, name);
    if (stats.ino !== seen.ino || stats.dev !== seen.dev) throw swapped(real);
    await folder.assertHeld();
    return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

export async function lstatOrNothing(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function requirePlain(access: FileAccess, stats: Stats, name: string): void {
  if (stats.isSymbolicLink()) throw swapped(name);
  if (stats.isDirectory()) throw failed(`"${name}" is a folder; list_files shows what is in it.`, name);
  if (!stats.isFile()) throw denied(`"${name}" is not a regular file but a pipe, a socket or a device.`, name);
  if (stats.nlink > 1 && access.hardLinks === 'refuse') {
    throw denied(
      `"${name}" has ${stats.nlink} names (hard links), and the others may lie outside the allowed folders.`,
      name,
    );
  }
  if (stats.size > access.maxBytes) {
    throw failed(`"${name}" has ${stats.size} bytes; at most ${access.maxBytes} are handled.`, name);
  }
}

export function denied(why: string, path: string): FlyballError {
  return new FlyballError('DENIED', why, { detail: { path } });
}

export function failed(why: string, path: string): FlyballError {
  return new FlyballError('EFFECT_FAILED', why, { detail: { path } });
}
