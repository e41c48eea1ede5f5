import { describe, expect, it } from 'vitest';
import { applyEdits } from './files-edit.js';

const text = 'one\n  two\nthree\ntwo\n';

describe('edits', () => {
  it('replace exact text, several in order, each on what the one before left [R3-FILES-OPS]', () => {
    expect(
      applyEdits(text, [
        { old: 'one', new: 'uno' },
        { old: 'uno\n', new: 'eins\nextra\n' },
        { old: 'three', new: '' },
      ]),
    ).toBe('eins\nextra\n  two\n\ntwo\n');
  });

  it('replace as many occurrences as they say, and put in what would mean something to a pattern as it is', () => {
    expect(applyEdits(text, [{ old: 'two', new: '$&', occurrences: 2 }])).toBe('one\n  $&\nthree\n$&\n');
  });

  it.each([
    [[{ old: 'two', new: 'x' }], /occurs 2 times \(lines 2, 4\), not 1\. Add surrounding lines.*occurrences to 2/],
    [[{ old: 'three', new: 'x', occurrences: 2 }], /occurs 1 times/],
    [[{ old: 'four', new: 'x' }], /does not occur in the file\. Read the file again/],
    [[{ old: '  one\ntwo', new: 'x' }], /same text with other white space is at line 1/],
    [[{ old: '', new: 'x' }], /is empty/],
    [[{ old: 'one', new: 'one' }], /are the same/],
    [
      [
        { old: 'one', new: 'x' },
        { old: 'gone', new: 'y' },
      ],
      /Edit 2: the text to replace does not occur/,
    ],
  ])('that do not fit say why: %j', (edits, why) => {
    expect(() => applyEdits(text, edits)).toThrow(why);
  });

  it('keep the line breaks of a file that has \\r\\n throughout', () => {
    expect(applyEdits('a\r\nb\r\nc\r\n', [{ old: 'a\nb', new: 'a\nx\nb' }])).toBe('a\r\nx\r\nb\r\nc\r\n');
  });

  it('leave a file with mixed line breaks to exact text', () => {
    expect(() => applyEdits('a\r\nb\nc\n', [{ old: 'a\nb', new: 'x' }])).toThrow(/does not occur/);
  });
});
