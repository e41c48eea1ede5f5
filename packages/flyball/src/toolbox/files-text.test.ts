import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countLines, decodeText, encodeText, lineChange, linesOf, type TextEncoding } from './files-text.js';

describe('the bytes of a file', () => {
  it.each<readonly [TextEncoding, Buffer]>([
    ['utf-8', Buffer.from('Grüße\n')],
    ['utf-8 with BOM', Buffer.from('\ufeffGrüße\n')],
    ['utf-16le', Buffer.from('\ufeffGrüße\n', 'utf16le')],
    ['utf-16be', Buffer.from('\ufeffGrüße\n', 'utf16le').swap16()],
    ['latin1', Buffer.from('Grüße\n', 'latin1')],
  ])('are recognized as %s, and written back as they were', (encoding, bytes) => {
    const decoded = decodeText(bytes);
    expect(decoded).toEqual({ text: 'Grüße\n', encoding });
    expect(encodeText(decoded ?? { text: '', encoding })).toEqual(bytes);
  });

  it('with a zero among them are no text', () => {
    expect(decodeText(Buffer.from([0x50, 0x4b, 3, 4, 0, 0]))).toBeUndefined();
  });

  it('that are no UTF come back unchanged, whatever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), (array) => {
        const bytes = Buffer.from(array);
        const decoded = decodeText(bytes);
        if (decoded?.encoding !== 'latin1') return;
        expect(encodeText(decoded)).toEqual(bytes);
      }),
    );
  });

  it('of an old encoding take no characters that it lacks', () => {
    expect(() => encodeText({ text: '日本', encoding: 'latin1' })).toThrow(/neither UTF-8 nor UTF-16/);
  });
});

describe('lines', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['a\n', 1],
    ['a\nb', 2],
    ['\n\n', 2],
  ])('of %j are %i', (text, count) => {
    expect(countLines(text)).toBe(count);
    expect(linesOf(text)).toHaveLength(count);
  });

  it.each([
    ['a\nb\nc\n', 'a\nB\nc\n', { added: 1, removed: 1 }],
    ['', 'a\nb\n', { added: 2, removed: 0 }],
    ['a\nb\n', '', { added: 0, removed: 2 }],
    ['a\nc\n', 'a\nb\nc\n', { added: 1, removed: 0 }],
    ['a\na\na\n', 'a\na\n', { added: 0, removed: 1 }],
    ['a\n', 'a\n', { added: 0, removed: 0 }],
  ])('that differ between %j and %j are counted', (before, after, change) => {
    expect(lineChange(before, after)).toEqual(change);
  });
});
