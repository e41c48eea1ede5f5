import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { root } from '../scripts/files.mjs';
import config from '../tsconfig.json' with { type: 'json' };

const entries = Object.entries(manifest.exports).filter(
  (pair): pair is [string, { types: string; default: string }] => typeof pair[1] === 'object',
);
const sourceOf = (built: string) => built.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts');

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
