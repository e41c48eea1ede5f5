import { lstatSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { readGlob } from '../../tools/rules/glob.js';
import { testSupportIn } from './test-support.js';

/** Tests by their usual names, and what says how they run. A fix that changes them proves nothing. */
const BY_NAME = [
  '**/{test,tests,__tests__,spec,specs}/**',
  '**/*{.test,.spec,_test,_spec,-test,-spec}.*',
  '**/{test,test-*}.{js,cjs,mjs,ts,cts,mts}',
  '**/{test_*,conftest,sitecustomize,usercustomize}.py',
  '**/{package.json,pyproject.toml,pytest.ini,.pytest.ini,pytest.toml,.pytest.toml,tox.ini,setup.cfg,.coveragerc}',
  '**/{vitest,vite,jest,babel,ava,playwright}.{config,workspace}.*',
  '**/{tsconfig*.json,.babelrc*,.mocharc*,.taprc,.npmrc,noxfile.py,.gitignore,.gitattributes,.gitmodules}',
  '**/*.pth',
  // what tests share, by its usual names; a file in __mocks__ takes the place of a module
  '**/*.snap',
  '**/{__mocks__,__fixtures__,__snapshots__,__helpers__,testdata,test-data,test-utils,test_utils,test-helpers,test_helpers,test-support,test_support}/**',
  '**/{test,tests}{-,_,.}{setup,helper,helpers,utils,util,support,fixtures,globals}.*',
  '**/{jest,vitest,mocha}{-,_,.}{setup,helpers,utils,globals,polyfills}.*',
  '**/{setup-tests,setup_tests,setupTests,setupTest,setupJest,setupVitest,testUtils,testHelpers,testSetup}.*',
  // what would be loaded in place of the program that runs the tests
  '**/{pytest,_pytest,pluggy,iniconfig,unittest}.*',
  '**/{pytest,_pytest,pluggy,iniconfig,unittest,node_modules}/**',
] as const;

/** Files in which a program that starts others looks up what to start. */
const BY_PROGRAM: Readonly<Record<string, string>> = {
  make: '**/{GNUmakefile,makefile,Makefile,*.mk}',
  just: '**/{justfile,Justfile,.justfile,*.just}',
  task: '**/{Taskfile,taskfile}*.{yml,yaml}',
};

const MOST_NAMED = 200;

/** Globs of what a fix may not change: tests and settings by name, and what the test command itself names. */
export function testFilesOf(root: string, command: readonly string[]): readonly string[] {
  const programs = command.flatMap((word) => BY_PROGRAM[word] ?? []);
  const named = command.slice(0, MOST_NAMED).flatMap((word) => namedBy(root, word));
  return [...new Set([...BY_NAME, ...programs, ...named, ...testSupportIn(root).map(literal)])];
}

/** As `checks/run.mjs`, `--config=checks.json` or `checks/*.mjs`. Not a folder: code may stand in it beside its tests. */
function namedBy(root: string, word: string): readonly string[] {
  const paths = [word, word.slice(word.indexOf('=') + 1)].map((path) => insideOf(root, path));
  return [...new Set(paths)].flatMap((path) => {
    if (path === undefined) return [];
    if (isFile(join(root, path))) return [literal(path)];
    return /[*?{]/.test(path) && readGlob(path) !== undefined ? [path] : [];
  });
}

/** Relative to the root; undefined where it is elsewhere, or no path. */
function insideOf(root: string, word: string): string | undefined {
  if (word === '' || word.startsWith('-')) return undefined;
  const path = relative(root, isAbsolute(word) ? word : join(root, word));
  return path === '' || path.startsWith('..') || isAbsolute(path) ? undefined : path;
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** No character of a name means anything to a glob. */
function literal(path: string): string {
  return path.replaceAll(/[*?{}]/g, '?');
}
