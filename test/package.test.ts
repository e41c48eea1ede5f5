import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { root } from '../scripts/files.mjs';
import config from '../tsconfig.json' with { type: 'json' };

const entries = Object.entries(manifest.exports).filter(
  (pair): pair is [string, { types: string; default: string }] => typeof pair[1] === 'object',
);
const sourceOf = (built: string) => built.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts');

/** Entries that are of use only with a package of somebody else, whose types are part of theirs. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  './adapters/telemetry-otel': ['@opentelemetry/api'],
  './adapters/model-ai-sdk': ['@ai-sdk/provider'],
  './adapters/mcp-client': ['@modelcontextprotocol/client', '@modelcontextprotocol/client/stdio'],
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

describe('the package', () => {
  it('is ESM, needs Node 20.19 and ships its types with every entry [R2-REPO-PACKAGE]', () => {
    expect(manifest.type).toBe('module');
    expect(manifest.engines.node).toBe('>=20.19');
    for (const [, target] of entries) expect(target.types).toBe(target.default.replace(/\.js$/, '.d.ts'));
  });

  it.each(entries)(
    'has a source for its entry %s and lists the names there one by one [R2-REPO-PACKAGE]',
    (_, target) => {
      const source = join(root, sourceOf(target.default));
      expect(existsSync(source), `${source} is missing`).toBe(true);
      expect(readFileSync(source, 'utf8')).not.toMatch(/^export \*/m);
    },
  );

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

  it('asks its users to install a driver or telemetry only when they use it', () => {
    for (const name of Object.keys(manifest.peerDependencies))
      expect(manifest.peerDependenciesMeta).toHaveProperty([name, 'optional'], true);
    expect(Object.keys(manifest.dependencies).sort()).toEqual(['@cfworker/json-schema', 'commander', 'yaml']);
  });

  it('brings the driver for a Node without SQLite by itself, and does without where there is none to be had [F-N3]', () => {
    expect(Object.keys(manifest.optionalDependencies)).toEqual(['libsql']);
  });

  it.each(entries)(
    'has types for its entry %s that need no package which is installed only by who uses a part of it [R8-REST-TYPES]',
    (entry, target) => {
      expect(packagesIn(join(root, target.types))).toEqual(NEEDED[entry] ?? []);
    },
  );

  it('gives its testing kit by name, as published [R2-KIT-PUBLISHED]', () => {
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

  it('has a lock file without the address of any registry', () => {
    expect(readFileSync(join(root, 'package-lock.json'), 'utf8')).not.toContain('"resolved": "http');
  });
});
