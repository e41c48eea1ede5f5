import { readdir, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import type { ToolEntry } from '../../tools/registry.js';
import { exportedTools } from './exported-tools.js';
import { JAVASCRIPT, loadModule, placed, TYPESCRIPT } from './load-module.js';

/** Declarations, tests, and what begins with `.` or `_` are no files of tools. */
const ASIDE = /^[._]|\.d\.[cm]?ts$|\.(test|spec)\.[cm]?[jt]s$/;

/** The tools of all modules directly in a folder, in the order of the file names. */
export async function toolsFromFolder(folder: string): Promise<readonly ToolEntry[]> {
  const entries: ToolEntry[] = [];
  for (const file of await moduleFiles(resolve(folder))) {
    const exported = exportedTools(await loadModule(file), file);
    for (const tool of exported) entries.push({ tool, tags: tool.tags ?? [], origin: { kind: 'folder', file } });
  }
  return entries;
}

async function moduleFiles(folder: string): Promise<readonly string[]> {
  const names = await listing(folder);
  const kept = names.filter((name) => !ASIDE.test(name) && [...JAVASCRIPT, ...TYPESCRIPT].includes(extname(name)));
  const files = kept
    .filter((name) => !hasOutput(name, names))
    .sort()
    .map((name) => join(folder, name));
  const kinds = await Promise.all(files.map((file) => stat(file).catch((error: unknown) => placedLater(file, error))));
  return files.filter((_, index) => kinds[index]?.isFile());
}

/** A source that stands beside its output would bring every tool twice. */
function hasOutput(name: string, names: readonly string[]): boolean {
  return TYPESCRIPT.includes(extname(name)) && names.includes(name.replace(/ts$/, 'js'));
}

async function listing(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: unknown) => {
    throw placed(`The folder of tools ${folder} cannot be read`, error);
  });
}

function placedLater(file: string, error: unknown): never {
  throw placed(file, error);
}
