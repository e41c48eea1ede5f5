import { closeSync, constants, existsSync, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TEST_FORMATS } from '../../checks/harness/report.js';
import { ConfigError } from '../../core/errors.js';

export interface TestCommand {
  readonly command: readonly string[];
  readonly format: string;
  /** Every word of it, also of the scripts that it starts by name. */
  readonly named: readonly string[];
}

/** How the tests of a repository are run: as somebody says, or as its files show. */
export function testCommandIn(
  root: string,
  { test, format = 'auto' }: { readonly test?: string; readonly format?: string },
): TestCommand {
  if (format !== 'auto' && !(TEST_FORMATS as readonly string[]).includes(format))
    throw new ConfigError(`--format is one of auto, ${TEST_FORMATS.join(', ')}, got ${format}.`);
  const found = test === undefined ? (ofNode(root) ?? ofPython(root)) : { command: wordsOf(test), format };
  if (found !== undefined) return { ...found, named: namedIn(root, found.command) };
  throw new ConfigError(
    "No tests were found, and without tests nothing can be verified. Say how they are run: --test 'node --test'.",
  );
}

type Found = Omit<TestCommand, 'named'>;

const RUNS_SCRIPTS: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun']);
const MOST_SCRIPTS = 20;

/** `npm test` names nothing itself: the script does, and the scripts that it runs in turn. */
function namedIn(root: string, command: readonly string[]): readonly string[] {
  const file = join(root, 'package.json');
  const words = [...command];
  if (!command.some((word) => RUNS_SCRIPTS.has(word)) || !existsSync(file)) return words;
  const scripts = Object.entries(packageIn(file).scripts ?? {});
  const seen = new Set<string>();
  for (let at = 0; at < words.length && seen.size < MOST_SCRIPTS; at++)
    for (const [name, script] of scripts) {
      const isNamed = [name, name.replace(/^(?:pre|post)/, '')].includes(words[at] ?? '');
      if (!isNamed || typeof script !== 'string' || seen.has(name)) continue;
      seen.add(name);
      words.push(...wordsOf(`${script} .`)); // of an empty one too
    }
  return words;
}

/** No shell reads it: words, and what stands in quotes is one of them. */
function wordsOf(command: string): readonly string[] {
  const words = [...command.matchAll(/"([^"]*)"|'([^']*)'|([^\s"']+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');
  if (words.length === 0) throw new ConfigError('--test is empty. Give a program and its arguments.');
  return words;
}

const CONFIG_ENDINGS = ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts', 'json'];

function ofNode(root: string): Found | undefined {
  const file = join(root, 'package.json');
  const { scripts, dependencies, devDependencies, jest } = existsSync(file) ? packageIn(file) : {};
  const packages = { ...dependencies, ...devDependencies };
  const test = scripts?.['test'];
  const names = new Set(readdirSync(root));
  // in a workspace the package may be named further up only
  const uses = (runner: 'vitest' | 'jest'): boolean =>
    runner in packages ||
    CONFIG_ENDINGS.some((ending) => names.has(`${runner}.config.${ending}`)) ||
    (typeof test === 'string' && new RegExp(`^(?:npx )?${runner}(?:\\s|$)`).test(test));
  if (uses('vitest')) {
    const command = ['node', 'node_modules/vitest/vitest.mjs', 'run', '--reporter=json', ...configInMemory(root)];
    return { command, format: 'vitest-json' };
  }
  if (uses('jest') || jest !== undefined)
    return { command: ['node', 'node_modules/jest/bin/jest.js', '--json'], format: 'jest-json' };
  if (typeof test === 'string' && test.startsWith('node ') && test.includes('--test')) {
    const words = wordsOf(test).filter((word) => !word.startsWith('--test-reporter'));
    return { command: ['node', '--test-reporter=tap', ...words.slice(1)], format: 'node-test-tap' };
  }
  return undefined;
}

/** Vite writes the settings that it bundled beside installed packages, which can only be read. From 3.1 on it need not. */
function configInMemory(root: string): readonly string[] {
  const file = join(root, 'node_modules/vitest/package.json');
  const [, major = '0', minor = '0'] =
    /^(\d+)\.(\d+)/.exec(existsSync(file) ? String(packageIn(file).version) : '') ?? [];
  return Number(major) > 3 || (Number(major) === 3 && Number(minor) >= 1) ? ['--configLoader=runner'] : [];
}

interface Package {
  readonly version?: unknown;
  readonly scripts?: Readonly<Record<string, unknown>>;
  readonly dependencies?: object;
  readonly devDependencies?: object;
  /** Settings of jest. */
  readonly jest?: unknown;
}

const LARGEST_PACKAGE = 1024 * 1024;

/** Whatever stands there under the name: a pipe is not waited for, and what is in the file is not quoted. */
function packageIn(file: string): Package {
  const opened = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(opened);
    if (!found.isFile()) throw new ConfigError(`${file} is not a regular file. Replace it, or pass --test.`);
    if (found.size > LARGEST_PACKAGE) throw new ConfigError(`${file} is larger than 1 MiB. Pass --test.`);
    return parsed(readFileSync(opened, 'utf8'), file);
  } finally {
    closeSync(opened);
  }
}

function parsed(text: string, file: string): Package {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ConfigError(`${file} is not JSON. Fix it, or pass --test.`);
  }
  return Object(value) as Package;
}

/**
 * As `python3 -m pytest`, but pytest and what it imports are found before the folder is searched: a `pytest.py` or
 * `re.py` there does not take their place. Afterwards the folder comes first, as the tests expect.
 */
const PYTEST = [
  'import os, sys',
  'here = os.getcwd()',
  "sys.path[:] = [path for path in sys.path if path not in ('', here)]",
  'import pytest',
  'sys.path.insert(0, here)',
  'sys.exit(pytest.console_main())',
].join('\n');

function ofPython(root: string): Found | undefined {
  const isPython = ['pyproject.toml', 'pytest.ini', 'setup.cfg', 'tox.ini'].some((name) =>
    existsSync(join(root, name)),
  );
  const hasTests = [root, join(root, 'tests')].some(
    (folder) => existsSync(folder) && readdirSync(folder).some((name) => /^test_.*\.py$|_test\.py$/.test(name)),
  );
  if (!isPython && !hasTests) return undefined;
  return { command: ['python3', '-c', PYTEST, '-rA', '-p', 'no:cacheprovider'], format: 'pytest' };
}
