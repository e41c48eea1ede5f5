import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import table from '../docs/rooms.json' with { type: 'json' };
import { filesUnder, root } from '../scripts/files.mjs';
import { cycles, doorProblems, importProblems, packagesLoadedBy, type Sources } from './rooms/room-rules.js';
import { factsOf } from './rooms/source-facts.js';

const paths: string[] = filesUnder('packages', /^packages\/\w+\/src\/.*(?<!\.test)\.tsx?$/);
const sources: Sources = new Map(paths.map((path) => [path, factsOf(path, readFileSync(join(root, path), 'utf8'))]));

describe('the sources', () => {
  it('import only what their room may import [R2-REPO-ROOMS] [R2-CORE-NO-DEPS]', () => {
    expect(sources.size).toBeGreaterThan(10);
    expect(importProblems(table, sources)).toEqual([]);
  });

  it('have no import cycle, types included [R2-REPO-ROOMS]', () => {
    expect(cycles(sources)).toEqual([]);
  });

  it('reach clock, timers, randomness, network and environment only through the doors of their room [R2-REPO-DOOR]', () => {
    expect(doorProblems(table, sources)).toEqual([]);
  });

  it.each(Object.entries(table.publishedEntries))(
    'load no undeclared package when %s is imported',
    (entry, { loads }) => {
      expect(packagesLoadedBy(entry, sources)).toEqual(loads);
    },
  );

  it('give the core no builtin but node:crypto, no package and no door [R2-CORE-NO-DEPS]', () => {
    const core = table.rooms.find(({ room }) => room === 'core');
    expect(core).toMatchObject({ mayImport: [], builtins: ['node:crypto'], packages: [], doors: [] });
  });
});

/** A violation planted in memory: the walk has to find it, or it guards nothing. */
function sample(files: Record<string, string>): Sources {
  return new Map(Object.entries(files).map(([path, code]) => [path, factsOf(path, code)]));
}

describe('the walk', () => {
  it.each([
    ['a static import', `import { x } from '../runtime/x.js';`],
    ['a type import', `import type { X } from '../runtime/x.js';`],
    ['an inline type import', `export type Y = import('../runtime/x.js').X;`],
    ['a re-export', `export { x } from '../runtime/x.js';`],
    ['a star export', `export * from '../runtime/x.js';`],
    ['a dynamic import', `export const x = () => import('../runtime/x.js');`],
  ])('finds %s of a forbidden room', (_, code) => {
    const found = importProblems(table, sample({ 'packages/flyball/src/core/a.ts': code }));
    expect(found).toEqual([
      expect.stringContaining(
        'packages/flyball/src/core/a.ts (core) imports packages/flyball/src/runtime/x.ts (runtime)',
      ),
    ]);
  });

  it.each([
    ['packages/flyball/src/core/a.ts', `import { readFileSync } from 'node:fs';`, 'node:fs'],
    ['packages/flyball/src/runtime/a.ts', `import { spawn } from 'node:child_process';`, 'node:child_process'],
    ['packages/flyball/src/runtime/a.ts', `import { request } from 'node:http';`, 'node:http'],
    ['packages/flyball/src/runtime/a.ts', `import type { DatabaseSync } from 'node:sqlite';`, 'imports node:sqlite'],
    ['packages/flyball/src/views/a.ts', `import zod from 'zod/v4';`, 'the package zod'],
    [
      'packages/flyball/src/runtime/a.ts',
      `const require = createRequire(import.meta.url); require('libsql');`,
      'the package libsql',
    ],
    [
      'packages/flyball/src/adapters/engine-memory/a.ts',
      `import '../engine-sqlite/index.js';`,
      'packages/flyball/src/adapters/engine-sqlite/index.ts',
    ],
    ['packages/flyball/src/elsewhere/a.ts', '', 'stands in no room'],
    [
      'packages/studio/src/run/a.tsx',
      `import { x } from '../../../flyball/src/runtime/x.js';`,
      'packages/flyball/src/runtime/x.ts (runtime)',
    ],
    ['packages/studio/src/run/a.ts', `import { hash } from 'node:crypto';`, 'imports node:crypto'],
    ['packages/server/src/a.ts', `import { x } from '../../studio/src/x.js';`, 'packages/studio/src/x.ts (studio)'],
  ])('finds in %s that it must not say %s', (path, code, named) => {
    expect(importProblems(table, sample({ [path]: code }))).toEqual([expect.stringContaining(named)]);
  });

  it.each([
    'Date.now()',
    'new Date()',
    'Math.random()',
    'setTimeout(f, 1)',
    'globalThis.setTimeout(f, 1)',
    'const { env } = process;',
    'process.env.HOME',
    "process.env['HOME']",
    "fetch('http://example.com')",
    'const get = fetch;',
    'AbortSignal.timeout(5)',
    "import { randomBytes } from 'node:crypto';",
    'export const load = (file: string) => import(file);',
    "console.log('hello')",
  ])('finds the second door `%s`', (code) => {
    expect(doorProblems(table, sample({ 'packages/flyball/src/runtime/a.ts': code }))).toHaveLength(1);
  });

  it.each([
    '// Date.now() would not replay',
    "const text = 'process.env.HOME';",
    'const at = new Date(clock.now());',
    'clock.setTimeout(f, 1); const o = { fetch: 1 };',
    'interface Source { fetch(url: string): Promise<void>; at: Date }',
    'export type Fetch = typeof fetch;',
    'function ask(fetch: () => void) { fetch(); }',
  ])('lets `%s` pass', (code) => {
    expect(doorProblems(table, sample({ 'packages/flyball/src/runtime/a.ts': code }))).toEqual([]);
  });

  it('finds a cycle that exists only in types', () => {
    const found = cycles(
      sample({
        'packages/flyball/src/core/a.ts': `import type { B } from './b.js'; export type A = B;`,
        'packages/flyball/src/core/b.ts': `import type { A } from './a.js'; export type B = A;`,
      }),
    );
    expect(found).toEqual([
      'packages/flyball/src/core/a.ts → packages/flyball/src/core/b.ts → packages/flyball/src/core/a.ts',
    ]);
  });

  it('finds a cycle through files with markup in them', () => {
    const found = cycles(
      sample({
        'packages/studio/src/a.tsx': `import { B } from './b.js'; export const A = () => <B />;`,
        'packages/studio/src/b.tsx': `import { A } from './a.js'; export const B = () => <A />;`,
      }),
    );
    expect(found).toEqual(['packages/studio/src/a.tsx → packages/studio/src/b.tsx → packages/studio/src/a.tsx']);
  });

  it('follows static imports to the packages they load, and neither lazy nor type imports', () => {
    const loaded = packagesLoadedBy(
      'packages/flyball/src/index.ts',
      sample({
        'packages/flyball/src/index.ts': `import './runtime/a.js'; import type { Z } from 'zod';`,
        'packages/flyball/src/runtime/a.ts': `import Ajv from 'ajv/dist/2020.js'; export const later = () => import('libsql');`,
      }),
    );
    expect(loaded).toEqual(['ajv']);
  });
});
