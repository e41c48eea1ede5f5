import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LineReader } from './line-reader.js';

it('finds the same lines however the bytes are cut, through characters too', () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll(/[\r\n]/g, ''));
  fc.assert(
    fc.property(fc.array(line), fc.constantFrom('\n', '\r\n'), fc.array(fc.nat(40)), (lines, end, cuts) => {
      const bytes = Buffer.from(lines.map((each) => each + end).join(''));
      const found: string[] = [];
      const reader = new LineReader((each) => found.push(each));
      let at = 0;
      for (const cut of [...cuts, bytes.length]) {
        reader.take(bytes.subarray(at, at + cut));
        at += cut;
      }
      reader.take(bytes.subarray(at));
      reader.end();
      expect(found).toEqual(lines);
    }),
  );
});

it('hands on what stands after the last line break', () => {
  const found: string[] = [];
  const reader = new LineReader((line) => found.push(line));
  reader.take(Buffer.from('one\ntw'));
  reader.take(Buffer.from('o'));
  reader.end();
  reader.end();
  expect(found).toEqual(['one', 'two']);
});
