import { describe, expect, it } from 'vitest';
import { RECORDED, recorded } from '../../../../../test/harness/recorded.js';
import { repetitions } from '../../../../../test/repetitions.js';
import { parseTestReport } from './parse-report.js';
import { TEST_FORMATS } from './report.js';

const NAMES = Object.keys(RECORDED) as (keyof typeof RECORDED)[];
const ROUNDS = repetitions({ sample: 15, full: 60 });

/** The same numbers in every run: a text that once broke a parser breaks it again. */
function numbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const PIECES = [
  '<',
  '>',
  '&',
  '&#',
  ']]>',
  '<!--',
  '"',
  "'",
  '\\',
  '{',
  '}',
  '[',
  '\n',
  '\r',
  '    ',
  '---\n',
  '...\n',
  'ok ',
  'not ok ',
  '1..',
  '# SKIP',
  '\u0000',
  '\ud800',
  '✖ ',
  '▶ ',
  '::',
  ' PASSED',
  '9'.repeat(30),
];

function mutated(text: string, next: (below: number) => number): string {
  let changed = text;
  for (let count = next(6) + 1; count > 0; count--) {
    const [from, to] = [next(changed.length + 1), next(changed.length + 1)].sort((a, b) => a - b) as [number, number];
    const piece = PIECES[next(PIECES.length)] ?? '';
    const kind = next(5);
    if (kind === 0) changed = changed.slice(0, from);
    else if (kind === 1) changed = changed.slice(0, from) + changed.slice(Math.min(to, from + 200));
    else if (kind === 2) changed = changed.slice(0, from) + piece + changed.slice(from);
    else if (kind === 3)
      changed = changed.slice(0, from) + changed.slice(from, Math.min(to, from + 400)) + changed.slice(from);
    else changed = changed.slice(0, from) + piece + changed.slice(from + piece.length);
  }
  return changed;
}

describe('hostile reports', () => {
  it.each(NAMES)('%s, cut and changed at random, never throws and never passes unread [R4-VERIFY-PARSERS]', (name) => {
    const { format, input } = recorded(name);
    const next = numbers(NAMES.indexOf(name) + 1);
    for (let round = 0; round < ROUNDS; round++) {
      const stdout = mutated(input.stdout, next);
      for (const as of [format, 'auto'] as const) {
        const report = parseTestReport(as, { ...input, stdout });
        // the command failed: without a failure that was read there is no pass either
        if (report.failed === 0) expect(report.passed).toBe(0);
        if (report.problem !== undefined)
          expect(report).toMatchObject({ passed: 0, failed: 0, passing: [], failures: [] });
        expect(report.passing.length).toBeLessThanOrEqual(report.passed);
        expect(report.failures.length).toBeLessThanOrEqual(report.failed);
        expect(JSON.stringify(report).length).toBeLessThan(1_000_000);
      }
    }
  });

  it.each(NAMES)('%s, cut at any line, claims no pass that the whole does not', (name) => {
    const { format, input } = recorded(name);
    const whole = new Set(parseTestReport(format, input).passing);
    const lines = input.stdout.split('\n');
    for (let count = 0; count < lines.length; count++) {
      const { passing } = parseTestReport(format, { ...input, stdout: lines.slice(0, count).join('\n') });
      expect(passing.filter((one) => !whole.has(one))).toEqual([]);
    }
  });

  it.each([
    ['one long line', 'x'.repeat(400_000)],
    ['only spaces', ' '.repeat(400_000)],
    ['only underscores', `${'_'.repeat(400_000)}\n1 failed in 1s`],
    ['only line ends', '\n'.repeat(400_000)],
    ['many openers', '{'.repeat(400_000)],
    ['many lines with a brace', '{\n'.repeat(100_000)],
    ['many equal signs', `${'= '.repeat(200_000)}\n`],
    ['many colons', ':1'.repeat(200_000)],
    ['many frames', `not ok 1\n  ---\n  stack: |-\n${'    at f (a.js:1:2)\n'.repeat(20_000)}  ...\n1..1\n`],
    ['a block without an end', 'ok 1\n  ---\n'.repeat(50_000)],
    ['steps that go ever deeper', Array.from({ length: 800 }, (_, depth) => `${' '.repeat(depth)}ok 1 - x`).join('\n')],
    ['many tests of one name', `${'ok - same\n'.repeat(50_000)}1..50000\n`],
    [
      'a long name over many tests',
      `# Subtest: x\n${'    ok\n'.repeat(20_000)}    1..20000\nok 1 - ${'x'.repeat(200_000)}\n1..1\n`,
    ],
    ['groups that never end', '▶ a\n✔ b (1ms)\n'.repeat(20_000)],
    ['a wide tree', `<testsuites>${'<testcase name="a"/>'.repeat(20_000)}</testsuites>`],
    [
      'many failures of pytest',
      `= FAILURES =\n${'____ a ____\nE   x\n'.repeat(5000)}=== short test summary info ===\n${'FAILED a.py::a - x\n'.repeat(5000)}5000 failed in 1s\n`,
    ],
  ])('%s is read in time [R4-VERIFY-PARSERS]', (_, stdout) => {
    for (const format of [...TEST_FORMATS, 'auto'] as const) {
      const before = process.cpuUsage();
      parseTestReport(format, { stdout, exitCode: 1, cwd: '/shop' });
      expect({ format, isSlow: process.cpuUsage(before).user > 3_000_000 }).toEqual({ format, isSlow: false });
    }
  });
});
