import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passagesOf } from './passages.js';

describe('passages', () => {
  it('cover a text without gaps but for blanks, in order, none longer than allowed', () => {
    const line = fc.oneof(
      fc.constant(''),
      fc.constant('## Heading'),
      fc.lorem({ maxCount: 30 }),
      fc.string({ maxLength: 90 }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), fc.integer({ min: 40, max: 300 }), (lines, most) => {
        const text = lines.join('\n');
        let end = 0;
        for (const { from, to, text: piece } of passagesOf(text, { most })) {
          expect(text.slice(end, from).trim()).toBe('');
          expect(text.slice(from, to)).toBe(piece);
          expect(piece.length).toBeLessThanOrEqual(most);
          expect(piece.trim()).not.toBe('');
          end = to;
        }
        expect(text.slice(end).trim()).toBe('');
      }),
      { numRuns: 200 },
    );
  });

  it('cut no paragraph that fits, and leave no heading behind', () => {
    const paragraph = (word: string) => Array.from({ length: 10 }, () => word).join(' ');
    const text = `# One\n\n${paragraph('aaaa')}\n\n## Two\n\n${paragraph('bbbb')}\n${paragraph('cccc')}`;
    const pieces = passagesOf(text, { most: 120 });
    expect(pieces.map((piece) => piece.text)).toEqual([
      `# One\n\n${paragraph('aaaa')}`,
      `## Two\n\n${paragraph('bbbb')}\n${paragraph('cccc')}`,
    ]);
    expect(pieces.map(({ headings }) => headings)).toEqual([['One'], ['One', 'Two']]);
  });

  it('take a heading along to the paragraph that it stands above', () => {
    const long = 'word '.repeat(22).trim();
    expect(passagesOf(`Intro.\n\n## Two\n\n${long}`, { most: 120 }).map(({ text }) => text)).toEqual([
      'Intro.',
      `## Two\n\n${long}`,
    ]);
  });

  it('repeat the end of the passage before, where that is wanted and fits', () => {
    const text = ['aaaa '.repeat(8).trim(), 'bb', 'cccc '.repeat(8).trim()].join('\n\n');
    const [, second] = passagesOf(text, { most: 46, overlap: 1 });
    expect(second?.text).toMatch(/^bb\n\ncccc/);
    expect(passagesOf(text, { most: 46 })[1]?.text).toMatch(/^cccc/);
  });

  it('refuse sizes in which nothing fits', () => {
    expect(() => passagesOf('x', { most: 5 })).toThrow(/at least 40/);
  });
});
