import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../../../../test/patience.js';
import type { Location } from '../../../core/work.js';
import { isCode } from './causes.js';
import { headingsOf } from './headings.js';
import { sectionAt } from './section.js';

function span(
  lines: readonly string[],
  location: Omit<Location, 'artefact'>,
  artefact: string,
): readonly [number, number] {
  const text = lines.join('\n');
  const { from, to, lines: shown } = sectionAt(text, { artefact, ...location });
  expect(shown).toEqual(lines.slice(from - 1, to));
  return [from, to];
}

describe('a section of prose', () => {
  const report = [
    'Preface.', // 1
    '',
    '# Sales', // 3
    'Up.',
    '',
    '## By region', // 6
    '```',
    '# no heading',
    '```',
    'North.', // 10
    '',
    '## By month', // 12
    'May.',
    '',
    'Costs', // 15
    '=====',
    'Down.', // 17
  ];

  it.each([
    [{ line: 10 }, 6, 10],
    [{ line: 8 }, 6, 10],
    [{ line: 6 }, 6, 10],
    [{ line: 4 }, 3, 13],
    [{ line: 17 }, 15, 17],
    [{ line: 1 }, 1, 1],
    [{ line: 99 }, 15, 17],
    [{ section: 'by month' }, 12, 13],
    [{ section: ' Costs ' }, 15, 17],
    [{ line: 10, section: 'Costs' }, 6, 10],
    [{ section: 'Nowhere' }, 1, 17],
    [{}, 1, 17],
  ])('at %j is lines %i to %i', (location, from, to) => {
    expect(span(report, location, 'report.md')).toEqual([from, to]);
    expect(span(report, location, 'answer')).toEqual([from, to]);
  });

  it('without headings is a paragraph', () => {
    const letter = ['Dear Ann,', '', 'it rains.', 'It pours.', '', 'Bye'];
    expect(span(letter, { line: 4 }, 'answer')).toEqual([3, 4]);
    expect(span(letter, { line: 2 }, 'answer')).toEqual([1, 6]);
    expect(span([], { line: 2 }, 'answer')).toEqual([1, 0]);
  });

  it('has headings as Markdown has them', () => {
    const titles = (...lines: readonly string[]) => headingsOf(lines).map(({ level, title }) => `${level}:${title}`);
    expect(
      titles('# a', '   ## b ##  ', '### c#', '#\td # e #', '#', '## ##', '#no', '####### no', '    # no'),
    ).toEqual(['1:a', '2:b', '3:c#', '1:d # e', '1:', '2:']);
    expect(titles('# a\u2028', '# b\r')).toEqual(['1:a', '1:b']);
  });

  it('is found in time that grows with the text, whatever a model wrote [R8-TRIAL3-A16]', () => {
    const started = processorMs();
    for (const end of ['x\u2028', 'x\r', '# x', '#'.repeat(50_000), ' #x'])
      sectionAt(`# A\ntext\n# ${' '.repeat(50_000)}${end}\nmore\n`, { artefact: 'a.md', line: 2 });
    expect(isCode(`${'a=.b'.repeat(25_000)}!`)).toBe(false);
    expect(processorMs() - started).toBeLessThan(500);
  });
});

describe('a section of code', () => {
  const code = [
    "import { x } from 'x';", // 1
    '',
    '/** Adds. */', // 3
    'export function sum(',
    '  values: readonly number[],',
    '): number {', // 6
    "  const text = '} { \\'}';", // 7
    '  // } a comment',
    '  for (const value of values) {', // 9
    '    if (value > 0) {',
    '      total += value;', // 11
    '    }',
    '  }',
    '  return total;', // 14
    '}', // 15
    '',
    'class Tree {', // 17
    '  /* { */ grow(): void {', // 18
    '    this.height++;', // 19
    '  }',
    '  height = 0;', // 21
    '}',
    '',
    'const limit = 3;', // 24
    'const other = 4;',
  ];

  it.each([
    [{ line: 11 }, 3, 15],
    [{ line: 7 }, 3, 15],
    [{ line: 5 }, 3, 15],
    [{ line: 19 }, 18, 20],
    [{ line: 21 }, 17, 22],
    [{ line: 24 }, 24, 25],
    [{ section: 'sum' }, 3, 15],
    [{ section: 'Tree.grow' }, 18, 20],
    [{ section: 'nothing' }, 1, 25],
    [{ section: 'not a name (' }, 1, 25],
    [{}, 1, 25],
  ])('at %j is the function in lines %i to %i', (location, from, to) => {
    expect(span(code, location, 'src/tree.ts')).toEqual([from, to]);
  });

  it('with brackets that do not match is found by what does, or by its indentation', () => {
    expect(span(['function a() {', '  one();', '  two();', '', 'done();'], { line: 3 }, 'a.js')).toEqual([1, 3]);
    expect(span(['}', 'function b() {', '  two();', '}'], { line: 3 }, 'a.js')).toEqual([2, 4]);
  });

  it('of an indented language is a definition with its decorators', () => {
    const python = [
      'import os', // 1
      '',
      'class Box:', // 3
      '    size = 1',
      '',
      '    @property', // 6
      '    def area(self):',
      '        if self.size:', // 8
      '            return self.size',
      '',
      '        return 0', // 11
      '',
      'def main():', // 13
      '    Box()',
    ];
    expect(span(python, { line: 9 }, 'box.py')).toEqual([6, 11]);
    expect(span(python, { line: 7 }, 'box.py')).toEqual([6, 11]);
    expect(span(python, { line: 4 }, 'box.py')).toEqual([3, 11]);
    expect(span(python, { line: 14 }, 'box.py')).toEqual([13, 14]);
    expect(span(python, { line: 12 }, 'box.py')).toEqual([6, 11]);
    expect(span(python, { line: 1 }, 'box.py')).toEqual([1, 1]);
    expect(span(['on:', '  push:', '    branches: a', 'jobs: 1'], { line: 3 }, 'ci.yml')).toEqual([2, 3]);
  });
});
