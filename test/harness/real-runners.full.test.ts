import { execFileSync } from 'node:child_process';
import { done, systemClock } from 'flyball';
import { describe, expect, it } from 'vitest';
import { processSandbox } from '../../packages/flyball/src/adapters/sandbox-process/index.js';
import { NO_BASELINE } from '../../packages/flyball/src/checks/baseline.js';
import type { TestReport } from '../../packages/flyball/src/checks/contracts.js';
import { type TestHarnessOptions, testHarness } from '../../packages/flyball/src/checks/harness/test-harness.js';
import { Stage } from '../runtime/stage.js';
import { PRICE, PYTEST, PYTHON_PRICE, project, VITEST, withPackages } from './shop.js';

const sandbox = processSandbox();

async function report(options: Omit<TestHarnessOptions, 'level' | 'sandbox' | 'mounts'>): Promise<TestReport> {
  const mounts = [{ path: options.cwd, access: 'read-write' as const }];
  const harness = testHarness({ level: 'integration', sandbox, mounts, ...options });
  const outcome = await new Stage(systemClock())
    .open(async (run) => done(await harness.runTests(run, NO_BASELINE)))
    .start();
  if (outcome.stop !== 'done') throw new Error(JSON.stringify(outcome));
  return outcome.value as TestReport;
}

describe('vitest', () => {
  it.each([
    ['vitest-json', 'json', undefined],
    ['auto', 'json', 'out.json'],
    ['junit', 'junit', undefined],
    ['tap', 'tap', undefined],
  ] as const)(
    'is read as %s from its %s reporter [R4-VERIFY-PARSERS] [R4-VERIFY-TESTS]',
    async (format, reporter, reportFile) => {
      const cwd = withPackages(project({ 'lib/price.mjs': PRICE, 'vitest/price.test.mjs': VITEST }));
      const runner = ['node_modules/vitest/vitest.mjs', 'run', '--root', cwd, `--reporter=${reporter}`, 'vitest'];
      const command = [
        process.execPath,
        ...runner,
        ...(reportFile === undefined ? [] : [`--outputFile=${reportFile}`]),
      ];
      const found = await report({ command, cwd, format, ...(reportFile === undefined ? {} : { reportFile }) });
      expect(found.problem).toBeUndefined();
      expect(found).toMatchObject({ passed: 2, failed: 5, skipped: 2 });
      expect(found.passing).toEqual(['vitest/price.test.mjs > total > adds up', 'vitest/price.test.mjs > each 1']);
      const wrong = found.failures.find(({ test }) => test.endsWith('total > is wrong'));
      expect(wrong).toMatchObject({ expected: '7', actual: '6', at: { file: 'vitest/price.test.mjs', line: 5 } });
      const thrown = found.failures.find(({ test }) => test.endsWith('rejects later'));
      expect(thrown).toMatchObject({ errorType: 'TypeError', at: { file: 'lib/price.mjs', line: 2 } });
    },
  );
});

const python = findPytest();
if (typeof python !== 'string') process.stdout.write(`Skipped pytest: ${python.why}\n`);

describe.skipIf(typeof python !== 'string')('pytest', () => {
  const program = typeof python === 'string' ? python : '';
  const shop = () => project({ 'shop/__init__.py': '', 'shop/price.py': PYTHON_PRICE, 'tests/test_price.py': PYTEST });

  it.each([
    ['-q', undefined],
    ['-v', undefined],
    ['-rA', undefined],
    ['--junitxml=out.xml', 'out.xml'],
  ] as const)('is read with %s [R4-VERIFY-PARSERS] [R4-VERIFY-TESTS]', async (option, reportFile) => {
    const command = [program, '-m', 'pytest', '-p', 'no:cacheprovider', option];
    const found = await report({
      command,
      cwd: shop(),
      format: 'auto',
      ...(reportFile === undefined ? {} : { reportFile }),
    });
    expect(found.problem).toBeUndefined();
    expect(found).toMatchObject({ passed: 4, failed: 7, skipped: 2 });
    const zero = found.failures.find(({ test }) => test.endsWith('test_by_zero'));
    expect(zero).toMatchObject({
      errorType: 'ZeroDivisionError',
      inputs: ['a = 1', 'b = 0'],
      at: { file: 'shop/price.py', line: 8, function: 'ratio' },
    });
  });
});

function findPytest(): string | { readonly why: string } {
  try {
    const code = 'import sys, pytest; print(sys.executable)';
    return execFileSync('python3', ['-c', code], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  } catch (error) {
    return { why: `python3 with pytest is not installed here (${String(error).split('\n')[0]}).` };
  }
}
