import { array, assert, constantFrom, oneof, property, string } from 'fast-check';
import { expect, it } from 'vitest';
import { headerOf, segment } from '../../core/prompt.js';
import { entryShorthand, headerShorthand } from './shorthand.js';

const start =
  '{"type":"ask-start","id":"#12","fp":"dgQO_LEOlC3R0ArC","session":"chat","model":"vendor/model","tip":"t9Nx3MO6QFPPsnOIM2pGcq","reserved":{"modelCalls":1,"tokensIn":45,"tokensOut":1000,"costUsd":0},"attempt":1}';
const end =
  '{"type":"ask-end","id":"#12","reply":{"text":"\\u0000bamOnIGUEvTC6FFCnzWYHpG","finish":"stop","usage":{"input":45,"output":52},"costUsd":0,"ms":1},"spent":{"modelCalls":1,"tokensIn":45,"tokensOut":52,"costUsd":0}}';

it('keeps the entries of a model call in less than half of their bytes [R2-SHOW-BYTES]', () => {
  for (const body of [start, end]) {
    const short = entryShorthand.shorten(body);
    expect(short?.length).toBeLessThan(body.length / 2);
    expect(entryShorthand.expand(short ?? '')).toBe(body);
  }
});

it('keeps the header of a link in a few bytes', () => {
  const header = headerOf(segment({ role: 'user', content: '' }));
  expect(headerShorthand.shorten(header)?.length).toBeLessThan(8);
});

it('gives any text back exactly, or declines it', async () => {
  const piece = oneof(
    string({ unit: 'binary' }),
    constantFrom(start, '","fp":"', '\u0001', '\u001e!', '\u001f', '\\u0000b', '{"type":"'),
  );
  await assert(
    property(array(piece), (pieces) => {
      const text = pieces.join('');
      for (const shorthand of [entryShorthand, headerShorthand]) {
        const short = shorthand.shorten(text);
        if (short === undefined) expect([...text].some((each) => each >= '\u0001' && each <= '\u001e')).toBe(true);
        else expect(shorthand.expand(short)).toBe(text);
      }
    }),
  );
});

it('does not search long texts, which are content for the most part', () => {
  const long = `${start}${'x'.repeat(3_000)}`;
  expect(entryShorthand.shorten(long)).toBe(long);
});

it('never changes what a code stands for: files hold them', () => {
  expect(entryShorthand.expand('\u0001a\u001d\u001e!\u001e8')).toBe(
    '{"type":"ask-start","id":"a,"owner":{"id":"{"type":"abort","id":"","event":{"kind":"',
  );
  expect(headerShorthand.expand('\u0001agent\u0007')).toBe('log\u001fuser\u001fagent\u001fuser\u001f\u001f\u001f');
});
