import { expect, it } from 'vitest';
import { frozenCopy } from './frozen-copy.js';

it('keeps the value as it was when the original changes later', () => {
  const original = { messages: [{ role: 'user', content: 'one' }], none: null };
  const copy = frozenCopy(original);
  original.messages[0] = { role: 'user', content: 'changed' };
  expect(copy).toEqual({ messages: [{ role: 'user', content: 'one' }], none: null });
});

it('refuses changes at every depth', () => {
  const copy = frozenCopy({ messages: [{ content: 'one' }] });
  expect(() => copy.messages.push({ content: 'two' })).toThrow(TypeError);
  expect(() => Object.assign(copy.messages[0] ?? {}, { content: 'two' })).toThrow(TypeError);
});
