import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import workspace from '../package.json' with { type: 'json' };
import { root } from '../scripts/files.mjs';
import { allEntries, manifestOf, PUBLISHED } from '../scripts/packages.mjs';
import config from '../tsconfig.json' with { type: 'json' };

const entries = allEntries().map((each) => [each.entry, each] as const);
const manifests = PUBLISHED.map((folder) => [folder, manifestOf(folder)] as const);

/** Entries that are of use only with a package of somebody else, whose types are part of theirs. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  'flyball/adapters/telemetry-otel': ['@opentelemetry/api'],
  'flyball/adapters/model-ai-sdk': ['@ai-sdk/provider'],
  'flyball/command': ['commander'],
  'flyball/internal': ['commander'],
};

/** What a declaration file, and all that it imports, takes from packages. */
function packagesIn(file: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const text = readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '');
  const named = [...text.matchAll(/\b(?:from|import) '([^']+)'|\bimport\('([^']+)'\)/g)];
  const found = named.flatMap(([, from, type = '']) => {
    const name = from ?? type;
    if (name.startsWith('.')) return packagesIn(join(dirname(file), name.replace(/\.js$/, '.d.ts')), seen);
    return name.startsWith('node:') ? [] : [name];
  });
  return [...new Set(found)].sort();
}

describe('the packages', () => {
  it.each(manifests)(
    '%s is ESM, needs Node 20.19 and ships its types with every entry [R2-REPO-PACKAGE]',
    (_, manifest) => {
      expect(manifest.type).toBe('module');
      expect(manifest.engines.node).toBe('>=20.19');
      for (const target of Object.values(manifest.exports))
        if (typeof target !== 'string') expect(target.types).toBe(target.default.replace(/\.js$/, '.d.ts'));
    },
  );

  it('are workspaces of one repository with one version [R9-HOUSE-PACKAGES]', () => {
    expect(workspace).toMatchObject({ private: true, workspaces: ['packages/*'] });
    const versions = new Set(manifests.map(([, { version }]) => version));
    expect(versions.size).toBe(1);
    for (const [, { dependencies = {} }] of manifests)
      for (const [name, range] of Object.entries(dependencies))
        if (/^(@flyball\/|flyball$)/.test(name)) expect(versions).toContain(range);
  });

  it('build on each other in one direction: evals, postgres and restate on flyball, server on evals and flyball [R9-HOUSE-PACKAGES]', () => {
    const ours = (folder: string) =>
      Object.keys(manifestOf(folder).dependencies ?? {}).filter((name) => /^(@flyball\/|flyball$)/.test(name));
    expect(PUBLISHED.map((folder) => [folder, ours(folder).sort()])).toEqual([
      ['flyball', []],
      ['evals', ['flyball']],
      ['server', ['@flyball/evals', 'flyball']],
      ['postgres', ['flyball']],
      ['restate', ['flyball']],
    ]);
  });

  it.each(entries)('have a source for %s and list the names there one by one [R2-REPO-PACKAGE]', (_, { source }) => {
    expect(existsSync(join(root, source)), `${source} is missing`).toBe(true);
    expect(readFileSync(join(root, source), 'utf8')).not.toMatch(/^export \*/m);
  });

  it.each(entries)('are compiled here from the source of %s [R9-HOUSE-PACKAGES]', (entry, { source }) => {
    const paths: Readonly<Record<string, readonly string[]>> = config.compilerOptions.paths;
    const adapter = /^flyball\/adapters\/(.+)$/.exec(entry)?.[1];
    const path = adapter === undefined ? paths[entry] : paths['flyball/adapters/*'];
    expect(path?.[0]?.replace('*', adapter ?? '')).toBe(`./${source}`);
  });

  it('compiles under the strictest flags [R2-REPO-PACKAGE]', () => {
    const { strict, noUncheckedIndexedAccess, exactOptionalPropertyTypes, noPropertyAccessFromIndexSignature } =
      config.compilerOptions;
    expect([strict, noUncheckedIndexedAccess, exactOptionalPropertyTypes, noPropertyAccessFromIndexSignature]).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  it('ask their users to install a driver or telemetry only when they use it', () => {
    for (const [, { peerDependencies = {}, peerDependenciesMeta = {} }] of manifests)
      for (const name of Object.keys(peerDependencies))
        expect(peerDependenciesMeta).toHaveProperty([name, 'optional'], true);
    const { dependencies } = manifestOf('flyball');
    expect(Object.keys(dependencies ?? {}).sort()).toEqual(['commander']);
  });

  it('bring what the server needs with the server, and nothing of it with flyball [R9-HOUSE-PACKAGES]', () => {
    const { dependencies = {}, peerDependencies } = manifestOf('server');
    expect(Object.keys(dependencies)).toEqual(expect.arrayContaining(['hono', '@hono/node-server', 'jose', 'croner']));
    expect(peerDependencies).toBeUndefined();
    expect(Object.keys(manifestOf('flyball').peerDependencies ?? {})).not.toContain('hono');
  });

  it('bring the driver for a Node without SQLite by themselves, and do without where there is none to be had [F-N3]', () => {
    expect(Object.keys(manifestOf('flyball').optionalDependencies ?? {})).toEqual(['libsql']);
  });

  it.each(entries)(
    'have types for %s that need no package which is installed only by who uses a part of it [R8-REST-TYPES]',
    (entry, { types }) => {
      const ours = /^(@flyball\/|flyball(\/|$))/;
      expect(packagesIn(join(root, types)).filter((name) => !ours.test(name))).toEqual(NEEDED[entry] ?? []);
    },
  );

  it('give their testing kit by name, as published [R2-KIT-PUBLISHED]', () => {
    // the package resolves its own name through its exports, so this is the built file that a user gets
    const program = `
      const kit = await import('flyball/testing');
      process.stdout.write(JSON.stringify(Object.keys(kit).sort()));
    `;
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(JSON.parse(printed)).toEqual(
      expect.arrayContaining([
        'crashingEngine',
        'engineContract',
        'ledgerServer',
        'neverReached',
        'recordedModel',
        'scriptedModel',
        'seededRandom',
        'storeContract',
        'virtualClock',
      ]),
    );
  });

  it('have a lock file without the address of any registry', () => {
    expect(readFileSync(join(root, 'package-lock.json'), 'utf8')).not.toContain('"resolved": "http');
  });
});
