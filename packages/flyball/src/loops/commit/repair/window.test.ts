import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLines } from './text-lines.js';
import { repairWindow, shiftedBy, splice } from './window.js';

const at = (line: number, endLine?: number) => ({ artefact: 'a', line, ...(endLine === undefined ? {} : { endLine }) });
const TEN = Array.from({ length: 10 }, (_none, n) => `line ${n + 1}\n`).join('');

/** Any text: mixed line breaks, a mark, with and without a last line break. */
const texts = fc
  .tuple(
    fc.constantFrom('', '\ufeff'),
    fc.array(fc.tuple(fc.stringMatching(/^[ab \t`é漢]{0,4}$/), fc.constantFrom('\n', '\r\n')), { maxLength: 12 }),
    fc.constantFrom('', 'end', 'end\r'),
  )
  .map(([mark, lines, end]) => mark + lines.map(([text, ending]) => text + ending).join('') + end);
const replacements = fc
  .array(fc.constantFrom('x', 'y z', '', '  a'), { maxLength: 6 })
  .map((lines) => lines.join('\n'));

describe('a repair window', () => {
  it.each([
    [at(5), 2, 3, 7],
    [at(1), 2, 1, 3],
    [at(10), 2, 8, 10],
    [at(99), 1, 9, 10],
    [at(0), 0, 1, 1],
    [at(Number.NaN), 0, 1, 1],
    [at(3, 5), 1, 2, 6],
    [at(5, 3), 1, 4, 6],
    [at(4), 0, 4, 4],
  ])('around %j with radius %i is lines %i to %i [R4-REPAIR-WINDOW]', (location, radius, from, to) => {
    const window = repairWindow(TEN, location, radius);
    expect(window).toMatchObject({ from, to });
    expect(window.lines).toEqual(Array.from({ length: to - from + 1 }, (_none, n) => `line ${from + n}`));
  });

  it('has 8 lines on each side where nothing else is said', () => {
    expect(repairWindow(TEN.repeat(4), at(20))).toMatchObject({ from: 12, to: 28 });
  });

  it('makes half a line break at the end of a file a whole one when lines follow [R4-REPAIR-WINDOW]', () => {
    const text = 'a\r\nb\r\nc\r';
    expect(splice(text, { ...repairWindow(text, at(2), 5), from: 1, to: 3 }, 'a\nb\nc\nd')).toBe('a\r\nb\r\nc\r\nd\r');
  });

  it('of an empty text is empty, and takes what is put into it', () => {
    const window = repairWindow('', at(1), 3);
    expect(window).toEqual({ from: 1, to: 0, lines: [] });
    expect(splice('', window, 'a\nb')).toBe('a\nb');
    expect(splice('', window, 'a\nb\n')).toBe('a\nb\n');
  });
});

describe('a splice', () => {
  it.each([
    ['a\nb\nc\n', 2, 'B', 'a\nB\nc\n'],
    ['a\nb\nc\n', 2, 'B\n', 'a\nB\nc\n'],
    ['a\nb\nc\n', 2, 'B\nBB', 'a\nB\nBB\nc\n'],
    ['a\nb\nc', 3, 'C\n', 'a\nb\nC'],
    ['a\r\nb\r\nc\r\n', 2, 'B\nBB', 'a\r\nB\r\nBB\r\nc\r\n'],
    ['a\r\nb\r\nc\r', 3, 'C\nD', 'a\r\nb\r\nC\r\nD\r'],
    ['\ufeffa\nb\n', 1, 'A', '\ufeffA\nb\n'],
    ['a\nb\nc\n', 2, '', 'a\nc\n'],
    ['a\n\nc\n', 2, '\n', 'a\n\nc\n'],
  ])('of %j at line %i with %j is %j [R4-REPAIR-WINDOW]', (text, line, replacement, expected) => {
    expect(splice(text, repairWindow(text, at(line), 0), replacement)).toBe(expected);
  });

  it('leaves every byte before and behind the window alone, whatever the text [R4-REPAIR-WINDOW]', () => {
    fc.assert(
      fc.property(
        texts,
        fc.integer({ min: -1, max: 15 }),
        fc.integer({ min: 0, max: 4 }),
        replacements,
        (text, line, radius, made) => {
          const window = repairWindow(text, at(line), radius);
          const result = splice(text, window, made);
          const { mark, lines } = readLines(text);
          const bytes = (from: number, to: number) =>
            lines
              .slice(from, to)
              .map((each) => each.text + each.ending)
              .join('');
          const [head, tail] = [mark + bytes(0, window.from - 1), bytes(Math.max(window.to, 0), lines.length)];
          expect(result.startsWith(head)).toBe(true);
          expect(result.endsWith(tail)).toBe(true);
          expect(result.length).toBeGreaterThanOrEqual(head.length + tail.length);
          if (tail === '' && made.trim() !== '' && lines.length > 0) expect(/\n$/.test(result)).toBe(/\n$/.test(text)); // the last line break, there or not
        },
      ),
      { numRuns: 500 },
    );
  });

  it('puts exactly the given lines into the window', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 12 }), replacements, (text, line, made) => {
        const window = repairWindow(text, at(line), 1);
        fc.pre(made !== '' && !/(^|\n)$/.test(made) && readLines(text).lines.length > 0);
        const { lines } = readLines(splice(text, window, made));
        const wanted = made.split('\n');
        expect(lines.slice(window.from - 1, window.from - 1 + wanted.length).map((each) => each.text)).toEqual(wanted);
        expect(lines).toHaveLength(readLines(text).lines.length - window.lines.length + wanted.length);
      }),
      { numRuns: 500 },
    );
  });

  it('of what is there changes nothing, with any mixture of line breaks [R4-REPAIR-WINDOW]', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 3 }), (text, line, radius) => {
        const window = repairWindow(text, at(line), radius);
        expect(splice(text, window, window.lines.map((each) => `${each}\n`).join(''))).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a place', () => {
  it('behind a window moves with the lines, and no other does', () => {
    const window = { from: 5, to: 10 };
    expect(shiftedBy(at(11, 12), window, 3)).toEqual(at(14, 15));
    expect(shiftedBy(at(11), window, -4)).toEqual(at(7));
    expect(shiftedBy(at(4), window, 3)).toEqual(at(4));
    expect(shiftedBy(at(7), window, 3)).toEqual(at(7));
    expect(shiftedBy({ artefact: 'a', section: 'f' }, window, 3)).toEqual({ artefact: 'a', section: 'f' });
  });
});
