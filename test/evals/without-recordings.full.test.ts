import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { filesUnder, root } from '../../scripts/files.mjs';

const FILES = filesUnder('test', /\.ts$/).concat(filesUnder('src', /\.test\.ts$/));
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

/** The tests that load this file, directly or through others. */
function testsThatLoad(file: string): readonly string[] {
  const loading = new Set([file]);
  for (let before = 0; before < loading.size; ) {
    before = loading.size;
    for (const path of FILES) if (importsOf(path).some((imported) => loading.has(imported))) loading.add(path);
  }
  return [...loading].filter((path) => path.endsWith('.test.ts'));
}

function importsOf(path: string): readonly string[] {
  const found = textOf(path).matchAll(/from '(\.[^']+)\.js'/g);
  return [...found].map(([, to = '']) => `${normalize(join(dirname(path), to))}.ts`);
}

it('collects every test that needs the recordings, and skips it with the reason, where they are not [F-T1]', () => {
  const files = testsThatLoad('test/evals/tau2-data.ts').filter((path) => !/\.(slow|full)\./.test(path));
  expect(files.length).toBeGreaterThan(10); // the search for them still finds any
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const environment = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_OPTIONS|CI)/.test(name));
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [vitest, 'run', '--no-color', '--reporter=default', '--testNamePattern', 'the recorded', ...files],
    {
      cwd: root,
      encoding: 'utf8',
      env: { ...Object.fromEntries(environment), FLYBALL_RECORDINGS: join(root, 'nothing/here') },
    },
  );
  expect(stderr).not.toContain('Failed Suites');
  expect(stdout).toContain('Skipped: The tau2 data and recordings are not in');
  expect(status, stderr).toBe(0);
});

it('lets nothing else know where the recordings are [F-T1]', () => {
  const named = FILES.filter((path) => /['"`][^'"`]*\bshared\/tau2/.test(textOf(path)));
  expect(named).toEqual(['test/evals/tau2-data.ts']);
});
