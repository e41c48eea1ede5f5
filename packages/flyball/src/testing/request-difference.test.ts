import { expect, it } from 'vitest';
import type { Message, ModelRequest } from '../core/model.js';
import { differenceOf, sharedMessages } from './request-difference.js';

const user = (content: string): Message => ({ role: 'user', content });
const request = (messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  session: 'a',
  model: 'm',
  messages,
  tools: [],
  toolChoice: 'auto',
  sampling: {},
  ...more,
});

it.each([
  ['a changed text', [user('x'), user('two')], [user('x'), user('too')], 'message 2 (user) was "two" and is "too"'],
  ['a new message', [user('x')], [user('x'), user('y')], 'message 2 (user) is new: "y"'],
  ['a message gone', [user('x'), user('y')], [user('x')], 'message 2 (user) is gone: "y"'],
  ['another role', [user('x')], [{ role: 'system', content: 'x' }], 'the role of message 1 was "user" and is "system"'],
] as const)('names %s', (_, was, is, clause) => {
  expect(differenceOf(request(was), request(is)).clause).toBe(clause);
});

it('shows long texts from shortly before they part', () => {
  const page = 'same words again '.repeat(20);
  const { clause } = differenceOf(request([user(`${page}left`)]), request([user(`${page}right`)]));
  expect(clause).toMatch(/was "….{20,40}left" and is "….{20,40}right"/);
});

it('ranks the same session before a longer shared history, and that before fewer changed fields', () => {
  const asked = request([user('x'), user('y'), user('z')]);
  const otherSession = differenceOf(request(asked.messages, { session: 'b' }), asked).closeness;
  const sharesOne = differenceOf(request([user('x')]), asked).closeness;
  const sharesTwo = differenceOf(request([user('x'), user('y')], { sampling: { seed: 1 } }), asked).closeness;
  expect(sharesOne).toBeGreaterThan(otherSession);
  expect(sharesTwo).toBeGreaterThan(sharesOne);
});

it('counts the leading messages that are equal', () => {
  expect(sharedMessages([user('x'), user('y')], [user('x'), user('z')])).toBe(1);
  expect(sharedMessages([user('x')], [user('x'), user('y')])).toBe(1);
  expect(sharedMessages([user('x'), user('y')], [user('x')])).toBe(1);
});
