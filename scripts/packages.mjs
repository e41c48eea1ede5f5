/** The packages of this repository, in the order in which they build on each other, and what people import from them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './files.mjs';

/**
 * What each package takes along from the repository when it is packed; everything else is in its own folder.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const DOCUMENTS = {
  flyball: ['README.md', 'LICENSE', 'docs'],
  evals: [
    'LICENSE',
    'docs/evals.md',
    'docs/simulation-and-judging.md',
    'docs/laboratory.md',
    'docs/laboratory.json',
    'docs/pictures/laboratory',
  ],
  server: ['LICENSE', 'docs/server.md', 'docs/studio.md', 'docs/access.md', 'docs/deploy'],
  postgres: ['LICENSE', 'docs/postgres.md'],
  restate: ['LICENSE', 'docs/restate.md'],
};

/** Packages that are taken into ours when it is packed: of each we use a small part, and no type of theirs is part of ours. */
export const TAKEN_IN = ['@cfworker/json-schema', 'yaml'];

/** Folders below `packages` that are published. */
export const PUBLISHED = Object.keys(DOCUMENTS);

/**
 * @typedef {object} Manifest
 * @property {string} name
 * @property {string} version
 * @property {string} type
 * @property {{ readonly node: string }} engines
 * @property {readonly string[]} files
 * @property {Readonly<Record<string, string | { readonly types: string, readonly default: string }>>} exports
 * @property {Readonly<Record<string, string>>} [dependencies]
 * @property {Readonly<Record<string, string>>} [optionalDependencies]
 * @property {Readonly<Record<string, string>>} [peerDependencies]
 * @property {Readonly<Record<string, { readonly optional: boolean }>>} [peerDependenciesMeta]
 */

/** @param {string} folder @returns {Manifest} */
export function manifestOf(folder) {
  return JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'));
}

/**
 * `source` and `types` are paths from the root.
 * @typedef {{ readonly folder: string, readonly key: string, readonly entry: string, readonly source: string, readonly types: string }} Entry
 */

/** Everything that can be imported, ours alone included. @returns {readonly Entry[]} */
export function allEntries() {
  return PUBLISHED.flatMap((folder) => {
    const { name, exports } = manifestOf(folder);
    return Object.entries(exports).flatMap(([key, target]) => {
      if (typeof target === 'string') return [];
      const path = join('packages', folder, target.default.replace('./dist/', 'src/').replace(/\.js$/, ''));
      const source = [`${path}.ts`, `${path}/index.ts`].find((file) => existsSync(join(root, file))) ?? `${path}.ts`;
      return [{ folder, key, entry: join(name, key), source, types: join('packages', folder, target.types) }];
    });
  });
}

/** What people import from: `internal` is between our own packages. @returns {readonly Entry[]} */
export function publicEntries() {
  return allEntries().filter(({ key }) => key !== './internal');
}
