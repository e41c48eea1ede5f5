import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TEST_FORMATS } from '../../checks/harness/report.js';
import { ConfigError } from '../../core/errors.js';

export interface TestCommand {
  readonly command: readonly string[];
  readonly format: string;
}

/** How the tests of a repository are run: as somebody says, or as its files show. */
export function testCommandIn(
  root: string,
  { test, format = 'auto' }: { readonly test?: string; readonly format?: string },
): TestCommand {
  if (format !== 'auto' && !(TEST_FORMATS as readonly string[]).includes(format))
    throw new ConfigError(`--format is one of auto, ${TEST_FORMATS.join(', ')}, got ${format}.`);
  if (test !== undefined) return { command: wordsOf(test), format };
  const found = ofNode(root) ?? ofPython(root);
  if (found !== undefined) return found;
  throw new ConfigError(
    "No tests were found, and without tests nothing can be verified. Say how they are run: --test 'node --test'.",
  );
}

/** No shell reads it: words, and what stands in quotes is one of them. */
function wordsOf(command: string): readonly string[] {
  const words = [...command.matchAll(/"([^"]*)"|'([^']*)'|([^\s"']+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');
  if (words.length === 0) throw new ConfigError('--test is empty. Give a program and its arguments.');
  return words;
}

function ofNode(root: string): TestCommand | undefined {
  const file = join(root, 'package.json');
  if (!existsSync(file)) return undefined;
  const { scripts, dependencies, devDependencies } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly scripts?: { readonly test?: string };
    readonly dependencies?: object;
    readonly devDependencies?: object;
  };
  const packages = { ...dependencies, ...devDependencies };
  if ('vitest' in packages)
    return { command: ['node', 'node_modules/vitest/vitest.mjs', 'run', '--reporter=json'], format: 'vitest-json' };
  if ('jest' in packages) return { command: ['node', 'node_modules/jest/bin/jest.js', '--json'], format: 'jest-json' };
  if (scripts?.test?.startsWith('node ') === true && scripts.test.includes('--test')) {
    const words = wordsOf(scripts.test).filter((word) => !word.startsWith('--test-reporter'));
    return { command: ['node', '--test-reporter=tap', ...words.slice(1)], format: 'node-test-tap' };
  }
  return undefined;
}

function ofPython(root: string): TestCommand | undefined {
  const isPython = ['pyproject.toml', 'pytest.ini', 'setup.cfg', 'tox.ini'].some((name) =>
    existsSync(join(root, name)),
  );
  const hasTests = [root, join(root, 'tests')].some(
    (folder) => existsSync(folder) && readdirSync(folder).some((name) => /^test_.*\.py$|_test\.py$/.test(name)),
  );
  if (!isPython && !hasTests) return undefined;
  return { command: ['python3', '-m', 'pytest', '-rA', '-p', 'no:cacheprovider'], format: 'pytest' };
}
