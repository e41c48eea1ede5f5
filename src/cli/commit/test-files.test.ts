import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
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
});
