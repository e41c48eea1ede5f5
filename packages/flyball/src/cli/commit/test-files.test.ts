import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { processorMs } from '../../../../../test/patience.js';
import { matchesGlob, readGlob } from '../../tools/rules/glob.js';
import { testCommandIn } from './test-command.js';
import { testFilesOf } from './test-files.js';

function project(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'flyball-test-files-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** Which of these files a fix with this test command may not change. */
function protectedIn(files: Readonly<Record<string, string>>, test: string): readonly string[] {
  const root = project(files);
  const globs = testFilesOf(root, testCommandIn(root, { test }).named).map((glob) => readGlob(glob) ?? []);
  return Object.keys(files).filter((path) => globs.some((glob) => matchesGlob(glob, path)));
}

const FILES = { 'src/total.js': '', 'checks/run.mjs': '', 'checks/more.mjs': '', 'checks.json': '', 'a{b}.mjs': '' };

describe('the files that a test command names', () => {
  it.each([
    ['a program', 'node checks/run.mjs', ['checks/run.mjs']],
    ['the value of an option', 'node --import=./checks/more.mjs checks/run.mjs', ['checks/run.mjs', 'checks/more.mjs']],
    ['a glob', "node --test 'checks/*.mjs'", ['checks/run.mjs', 'checks/more.mjs']],
    ['a name that would mean something to a glob', "node 'a{b}.mjs' checks.json", ['checks.json', 'a{b}.mjs']],
    ['a folder, in which code may stand too', 'node --test src', []],
    ['the whole project', 'node --test .', []],
    ['what is elsewhere', 'node ../x /etc/passwd --flag', []],
  ])('cannot be changed: %s [R8-WAYS-NAMED-TESTS]', (_, command, named) => {
    expect(protectedIn(FILES, command)).toEqual(named);
  });

  it('are also those of the scripts that it runs by name, one after the other [R8-WAYS-NAMED-TESTS]', () => {
    const scripts = {
      check: 'npm run deep && node one.mjs',
      predeep: 'node before.mjs',
      deep: 'node two.mjs',
      no: 'node no.mjs',
    };
    const files = {
      'one.mjs': '',
      'two.mjs': '',
      'before.mjs': '',
      'no.mjs': '',
      'package.json': JSON.stringify({ scripts }),
    };
    expect(protectedIn(files, 'npm run check')).toEqual(['one.mjs', 'two.mjs', 'before.mjs', 'package.json']);
    expect(protectedIn(files, 'node one.mjs')).toEqual(['one.mjs', 'package.json']);
  });

  it('are those in which a program looks up what to start [R8-WAYS-NAMED-TESTS]', () => {
    const files = { Makefile: '', 'rules/test.mk': '', justfile: '' };
    expect(protectedIn(files, 'make test')).toEqual(['Makefile', 'rules/test.mk']);
    expect(protectedIn(files, 'node x.mjs')).toEqual([]);
  });

  it('are not followed through links out of the project [R8-WAYS-NAMED-TESTS]', () => {
    const root = project({ 'src/total.js': '' });
    symlinkSync('/etc/hostname', join(root, 'link'));
    expect(testFilesOf(root, ['node', 'link'])).not.toContain('link');
  });

  it('are known by name as node:test and others look for them [R8-WAYS-NAMED-TESTS]', () => {
    const names = ['test.mjs', 'test-a.js', 'a-test.ts', 'a.spec.ts', 'lib/a_test.py', '.mocharc.yml', 'ava.config.js'];
    const others = ['src/latest.js', 'contest.js', 'src/testing.ts'];
    const files = Object.fromEntries([...names, ...others].map((name) => [name, '']));
    expect(protectedIn(files, 'node x.mjs')).toEqual(names);
  });
});

describe('what the settings of a test runner load with every test', () => {
  const code = {
    'src/total.ts': '',
    'src/index.ts': '',
    'support/env.ts': '',
    'support/more.mjs': '',
    'support/plugin.py': '',
  };
  const of = (settings: Readonly<Record<string, string>>): readonly string[] =>
    protectedIn({ ...code, ...settings }, 'node x.mjs').filter((path) => path in code);

  it.each([
    [
      'a list',
      'vitest.config.ts',
      "test: { setupFiles: ['./support/env.ts', 'support/more'], alias: { a: './src/index.ts' } }",
      ['support/env.ts', 'support/more.mjs'],
    ],
    [
      'one name',
      'vite.config.ts',
      "test: { setupFiles: './support/env.ts', include: ['src/total.ts', 'support/more.mjs'] }",
      ['support/env.ts'],
    ],
    [
      'a path that is resolved',
      'vitest.config.ts',
      "globalSetup: [resolve(__dirname, 'support/env.ts')], root: 'src'",
      ['support/env.ts'],
    ],
    [
      'a list over lines',
      'jest.config.js',
      "setupFilesAfterEnv: [\n  '<rootDir>/support/env.ts',\n  require.resolve('./support/more.mjs'),\n],\n",
      ['support/env.ts', 'support/more.mjs'],
    ],
    [
      'in the style of JSON',
      'jest.config.json',
      '{ "testEnvironment": "./support/env.ts", "collectCoverageFrom": ["src/total.ts"] }',
      ['support/env.ts'],
    ],
    [
      'settings of jest in package.json',
      'package.json',
      '{ "main": "src/index.ts", "jest": { "setupFiles": ["<rootDir>/support/env"] } }',
      ['support/env.ts'],
    ],
    [
      'mocha',
      '.mocharc.yml',
      'spec: src/total.ts\nrequire:\n  - support/env.ts\n  - ./support/more.mjs\n',
      ['support/env.ts', 'support/more.mjs'],
    ],
    ['mocha, one name', '.mocharc.yml', 'require: support/env.ts\nspec: src/total.ts\n', ['support/env.ts']],
    [
      'AVA',
      'ava.config.js',
      "export default { require: ['./support/env.ts'], files: ['src/total.ts'] };",
      ['support/env.ts'],
    ],
  ])('cannot be changed: %s [R8-REST-SETUP]', (_, name, text, loaded) => {
    expect(of({ [name]: text })).toEqual(loaded);
  });

  it.each([
    ['conftest.py', 'pytest_plugins = ["support.plugin"]\n'],
    ['conftest.py', 'pytest_plugins: list[str] = [\n    "support.plugin",\n]\n'],
    ['conftest.py', "pytest_plugins = 'support.plugin'\n"],
    ['pytest.ini', '[pytest]\naddopts = -q -p support.plugin\n'],
    ['pyproject.toml', '[tool.pytest.ini_options]\naddopts = ["-p", "support.plugin"]\n'],
  ])('cannot be changed: a plugin that %s names, as %s [R8-REST-SETUP]', (name, text) => {
    expect(of({ [name]: text })).toEqual(['support/plugin.py']);
  });

  it('cannot be changed in a package of a workspace either, and what is elsewhere is not followed [R8-REST-SETUP]', () => {
    const files = {
      'packages/a/vitest.config.ts': "setupFiles: ['./start.ts', '../../../etc/passwd', '/etc/passwd']",
      'packages/a/start.ts': '',
      'packages/a/index.ts': '',
    };
    expect(protectedIn(files, 'node x.mjs')).toEqual(['packages/a/vitest.config.ts', 'packages/a/start.ts']);
  });

  it('is known by its usual names too, and so are mocks and snapshots [R8-REST-SETUP]', () => {
    const names = [
      'src/setupTests.ts',
      'jest.setup.js',
      'vitest-setup.ts',
      'src/test-utils/render.tsx',
      'src/test_helpers.py',
      'src/__mocks__/fs.js',
      'src/__snapshots__/a.snap',
      'src/other.snap',
      'lib/testdata/a.json',
    ];
    const others = ['src/helpers/date.ts', 'src/utils.ts', 'src/setup.py', 'src/latest-setup.ts', 'fixtures.ts'];
    const files = Object.fromEntries([...names, ...others].map((name) => [name, '']));
    expect(protectedIn(files, 'node x.mjs')).toEqual(names);
  });

  it('is read in time linear in the length of the settings, and a pipe is not waited for [R8-REST-SETUP]', () => {
    const root = project({
      'vitest.config.ts': `setupFiles:${' '.repeat(200_000)}`,
      'jest.config.js': `${'setupFiles: ['.repeat(15_000)}`,
      'conftest.py': `pytest_plugins${' '.repeat(100_000)}`,
    });
    execFileSync('mkfifo', [join(root, 'pytest.ini')]);
    const before = processorMs();
    testFilesOf(root, ['node']);
    expect(processorMs() - before).toBeLessThan(2_000);
  });
});

describe('the command that runs the tests', () => {
  const found = (packages: object, installed = '{}') => {
    const files = { 'node_modules/vitest/package.json': installed };
    const root = project({ ...files, 'package.json': JSON.stringify({ devDependencies: packages }) });
    const { command, format } = testCommandIn(root, {});
    return [command.join(' '), format];
  };

  it('is found for vitest and jest by the packages of the project [R8-WAYS-NAMED-TESTS]', () => {
    const vitest = 'node node_modules/vitest/vitest.mjs run --reporter=json';
    for (const old of ['{}', '{"version":"2.1.9"}', '{"version":"3.0.9"}'])
      expect(found({ vitest: '*' }, old)).toEqual([vitest, 'vitest-json']);
    for (const version of ['3.1.0', '4.0.0-beta.1', '10.0.0'])
      expect(found({ vitest: '*' }, JSON.stringify({ version }))).toEqual([
        `${vitest} --configLoader=runner`,
        'vitest-json',
      ]);
    expect(found({ jest: '30' })).toEqual(['node node_modules/jest/bin/jest.js --json', 'jest-json']);
  });

  it.each([
    ['jest.config.js', '', 'jest-json'],
    ['jest.config.ts', '', 'jest-json'],
    ['jest.config.json', '{}', 'jest-json'],
    ['package.json', '{"jest":{}}', 'jest-json'],
    ['package.json', '{"scripts":{"test":"jest --ci"}}', 'jest-json'],
    ['package.json', '{"scripts":{"test":"npx jest"}}', 'jest-json'],
    ['vitest.config.mts', '', 'vitest-json'],
    ['package.json', '{"scripts":{"test":"vitest run"}}', 'vitest-json'],
  ])('is found by its settings where no package is named: %s %s [R8-REST-JEST]', (name, text, format) => {
    expect(testCommandIn(project({ [name]: text }), {}).format).toBe(format);
  });

  it('is not taken for jest where a script only sounds like it [R8-REST-JEST]', () => {
    const root = project({ 'package.json': '{"scripts":{"test":"jester"}}' });
    expect(() => testCommandIn(root, {})).toThrow('No tests were found');
  });
});
