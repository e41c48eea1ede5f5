import { expect, it } from 'vitest';
import { finishOf } from './finish.js';

it.each([
  ['stop', 0, 'Hi', 'stop'],
  ['stop', 1, '', 'tool_calls'],
  ['tool_calls', 0, 'Hi', 'stop'],
  ['function_call', 1, '', 'tool_calls'],
  ['length', 1, '', 'length'],
  ['max_tokens', 0, 'Hi', 'length'],
  ['content_filter', 0, '', 'content_filter'],
  ['error', 0, 'Hi', 'error'],
  ['insufficient_system_resource', 0, 'Hi', 'error'],
  ['end_turn', 0, 'Hi', 'stop'],
  ['STOP', 0, 'Hi', 'stop'],
  ['something new', 0, 'Hi', 'stop'],
  ['something new', 1, '', 'tool_calls'],
  ['something new', 0, '', 'error'],
  ['', 0, '', 'stop'],
  ['constructor', 0, 'Hi', 'stop'],
  ['__proto__', 0, '', 'error'],
] as const)('reads "%s" beside %i calls and the text "%s" as %s [R3-PORT-FINISH]', (word, calls, text, finish) => {
  expect(finishOf(word, { calls, text })).toBe(finish);
});
