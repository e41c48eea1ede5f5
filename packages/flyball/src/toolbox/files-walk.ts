import { opendir } from 'node:fs/promises';
import { posix } from 'node:path';
import { checkPath, type PathRules } from '../tools/rules/paths.js';
import { type FileAccess, failed, resolvedRules, targetOf, withFolder } from './files-access.js';
import { codeOf, type HeldFolder, holdBelow } from './files-held.js';

export type EntryKind = 'file' | 'folder' | 'link' | 'other';

export interface WalkEntry {
  /** Relative to where the walk started. */
  readonly path: string;
  readonly name: string;
  readonly kind: EntryKind;
  readonly folder: HeldFolder;
}

export interface WalkLimits {
  readonly depth: number;
  /** Entries looked at, in all folders together. */
  readonly entries: number;
  /** Folders that are shown and not entered: large, and seldom what is looked for. */
  readonly skip: readonly string[];
}

export interface WalkEnd {
  /** What kept the walk from seeing everything, in words for a model. */
  readonly leftOut: readonly string[];
}

interface Walk {
  readonly access: FileAccess;
  readonly rules: PathRules;
  readonly limits: WalkLimits;
  readonly visit: (entry: WalkEntry) => Promise<'go-on' | 'stop'>;
  readonly leftOut: Set<string>;
  seen: number;
}

/** Visits what lies below a folder, by name, folder by folder, without following links or showing what rules deny. */
export async function walkFiles(
  access: FileAccess,
  path: string,
  limits: WalkLimits,
  visit: Walk['visit'],
): Promise<WalkEnd> {
  const target = await targetOf(access, path, 'read');
  const rules = await resolvedRules(access.rules);
  const walk: Walk = { access, rules, limits, visit, leftOut: new Set(), seen: 0 };
  if (target.missing.length > 0) throw failed(`There is no folder "${path}".`, path);
  await withFolder(access, target, async (parent) => {
    if (target.name === '.') return enter(walk, parent, '', 1);
    const folder = await holdBelow(parent, target.name, access).catch((error: unknown) => {
      throw codeOf(error) === 'ENOENT' ? failed(`There is no folder "${path}".`, path) : error;
    });
    return enter(walk, folder, '', 1).finally(() => folder.close());
  });
  return { leftOut: [...walk.leftOut] };
}

async function enter(walk: Walk, folder: HeldFolder, path: string, depth: number): Promise<'go-on' | 'stop'> {
  for (const { name, kind } of await entriesOf(walk, folder)) {
    const entry = { path: posix.join(path, name), name, kind, folder };
    if ((await walk.visit(entry)) === 'stop') return 'stop';
    if (kind !== 'folder') continue;
    if (depth >= walk.limits.depth) {
      if (depth > 1) walk.leftOut.add(`folders deeper than ${walk.limits.depth}`); // one level is what a listing is
    } else if (walk.limits.skip.includes(name)) walk.leftOut.add(`folders named ${name}`);
    else if ((await enterBelow(walk, entry, depth)) === 'stop') return 'stop';
  }
  return 'go-on';
}

async function enterBelow(walk: Walk, entry: WalkEntry, depth: number): Promise<'go-on' | 'stop'> {
  const below = await holdBelow(entry.folder, entry.name, walk.access).catch((error: unknown) => {
    walk.leftOut.add(`${entry.path} (${codeOf(error) ?? 'unreadable'})`); // gone or closed to us: said, not fatal
    return undefined;
  });
  if (below === undefined) return 'go-on';
  return enter(walk, below, entry.path, depth + 1).finally(() => below.close());
}

async function entriesOf(walk: Walk, folder: HeldFolder): Promise<readonly { name: string; kind: EntryKind }[]> {
  const found: { name: string; kind: EntryKind }[] = [];
  for await (const entry of await opendir(folder.at('.'))) {
    if (walk.seen >= walk.limits.entries) {
      walk.leftOut.add(`everything after ${walk.limits.entries} entries`);
      break;
    }
    walk.seen++;
    if (!checkPath(walk.rules, posix.join(folder.real, entry.name), 'read').ok) continue;
    const kind = entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'other';
    found.push({ name: entry.name, kind });
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}
