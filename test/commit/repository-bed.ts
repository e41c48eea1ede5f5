import { hash } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { onTestFinished } from 'vitest';
import { putRepository } from '../programs/repository-agent.js';

/** The repository of repository-agent.ts in a folder of its own. */
export interface Bed {
  readonly base: string;
  readonly root: string;
  readonly undoFolder: string;
  get(path: string): string;
  tree(): Tree;
}

/** Every file and folder below a root: mode, and hash of the bytes of a file. */
export type Tree = Readonly<Record<string, string>>;

export function repositoryBed(): Bed {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'flyball-repository-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, 'shop');
  mkdirSync(root);
  putRepository(root);
  return {
    base,
    root,
    undoFolder: join(base, 'undo'),
    get: (path) => readFileSync(join(root, path), 'utf8'),
    tree: () => treeOf(root),
  };
}

export function treeOf(root: string): Tree {
  const found: [string, string][] = [];
  const walk = (folder: string): void => {
    for (const name of readdirSync(folder).sort()) {
      const path = join(folder, name);
      const stats = lstatSync(path);
      const mode = (stats.mode & 0o7777).toString(8);
      const content = stats.isFile() ? ` ${hash('sha256', readFileSync(path))}` : '/';
      found.push([relative(root, path), `${mode}${content}`]);
      if (stats.isDirectory()) walk(path);
    }
  };
  walk(root);
  return Object.fromEntries(found);
}
