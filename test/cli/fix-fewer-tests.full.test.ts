import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  BRANCH,
  calling,
  expectUntouched,
  expectVerified,
  fix,
  JAVASCRIPT,
  type Planted,
  PYTHON,
  plant,
  replies,
} from './fix-stage.js';

const { broken, wrong, right } = JAVASCRIPT;
const mended = ['edit_file', { path: broken, edits: [{ old: wrong, new: right }] }] as const;

/** Its tests are made from a list that is no test. */
const LISTED: Planted = {
  ...JAVASCRIPT,
  files: {
    ...JAVASCRIPT.files,
    'src/cases.js': 'export const cases = [[[1, 2], 3], [[], 0], [[5], 5]];\n',
    'test/total.test.js': `import assert from 'node:assert/strict';
import test from 'node:test';
import { cases } from '../src/cases.js';
import { total } from '../src/total.js';
for (const [prices, sum] of cases) test(\`adds up to \${sum}\`, () => assert.equal(total(prices), sum));
`,
  },
};

const VITEST: Planted = {
  files: {
    '.gitignore': 'node_modules/\n',
    'package.json': '{ "name": "shop", "type": "module", "devDependencies": { "vitest": "*" } }\n',
    'vitest.config.js': "export default { test: { include: ['checks/*.js'] } };\n",
    'src/total.js': JAVASCRIPT.files['src/total.js'] ?? '',
    'checks/total.js': `import { expect, test } from 'vitest';
import { total } from '../src/total.js';
test('adds up', () => expect(total([1, 2])).toBe(3));
test('is nothing for nothing', () => expect(total([])).toBe(0));
`,
  },
  broken,
  wrong,
  right,
  test: 'checks/total.js',
  command: [process.execPath, 'node_modules/vitest/vitest.mjs', 'run'],
  hasModules: true,
};

const PYTEST: Planted = {
  ...PYTHON,
  files: {
    'pytest.ini': '[pytest]\npython_files = check_*.py\n',
    'total.py': PYTHON.files['total.py'] ?? '',
    'check_total.py': PYTHON.files['test_total.py'] ?? '',
  },
  test: 'check_total.py',
};

function hasPytest(): boolean {
  try {
    execFileSync('python3', ['-m', 'pytest', '--version'], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write('Tests of pytest under other names are not tried: python3 has no pytest here.\n');
    return false;
  }
}

describe('flyball fix', () => {
  it('commits nothing on which fewer tests run than before, whatever ran in the work tree [R8-WAYS-FEWER-TESTS]', async () => {
    const bed = plant(LISTED);
    const content = `const all = [[[1, 2], 3], [[], 0], [[5], 5]];
export const cases = process.cwd().endsWith('check') ? all.slice(0, 1) : all;
`;
    const said = await fix(bed, calling(LISTED, [mended, ['write_file', { path: 'src/cases.js', content }]]));
    expect(said.out).toContain('tests that ran before do not run on the commit: adds up to 0, adds up to 5');
    expect(said.out).toContain('Not fixed. No branch was created');
    expect(said.code).toBe(1);
    expectUntouched(bed);
  });

  it('ends in a verified commit where vitest runs the tests, wherever those stand [R8-WAYS-NAMED-TESTS]', async () => {
    const bed = plant(VITEST);
    const said = await fix(bed, replies(VITEST, 'right'));
    expect([said.code, said.error], said.out).toEqual([0, '']);
    expectUntouched(bed, BRANCH);
    expectVerified(bed, BRANCH, VITEST);
  });

  it.each([
    ['vitest', VITEST, 'toBe(3)', 'toBe(-3)'],
    ...(hasPytest() ? ([['pytest', PYTEST, '== 3', '== -3']] as const) : []),
  ] as const)(
    'commits no change to a file that holds tests, as %s reports it, whatever its name [R8-WAYS-NAMED-TESTS]',
    async (_, planted, old, changed) => {
      const bed = plant(planted);
      const said = await fix(
        bed,
        calling(planted, [['edit_file', { path: planted.test, edits: [{ old, new: changed }] }]]),
      );
      expect(said.out).toContain(`${planted.test} was changed, which holds tests`);
      expect(said.code).toBe(1);
      expectUntouched(bed);
    },
  );
});
