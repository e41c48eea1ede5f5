import fc from 'fast-check';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, it } from 'vitest';
import { ADD, CONVERSATION, request } from '../adapters/model-http/requests.test-data.js';
import type { Message } from './model.js';
import { bytesAtMost, requestCounter } from './token-count.js';

it('never counts fewer tokens than a real tokenizer finds, whatever the text', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc.base64String(),
    fc.stringMatching(/^[0-9a-f]{0,64}$/),
    fc.stringMatching(/^[0-9 .,;:!?(){}[\]\n\t]{0,64}$/),
  );
  fc.assert(fc.property(text, (given) => encode(given).length <= bytesAtMost(given)));
});

it('counts all that is sent: text, calls, results, reasoning, tools and the schema of the output', () => {
  const count = requestCounter((text) => text.length);
  const base = count(request());
  const more = (given: Parameters<typeof request>[0]) => count(request(given)) - base;
  const turn = {
    role: 'assistant',
    content: '',
    reasoning: { text: 'x'.repeat(1000), opaque: 'y'.repeat(500) },
  } as const;
  expect(more({ messages: [...CONVERSATION, turn] })).toBeGreaterThanOrEqual(1500);
  const call = { id: 'i', name: 'n', arguments: 'z'.repeat(700) };
  expect(
    more({ messages: [...CONVERSATION, { ...turn, reasoning: { text: '' }, toolCalls: [call] }] }),
  ).toBeGreaterThan(700);
  expect(more({ tools: [ADD] })).toBeGreaterThan(JSON.stringify(ADD.input).length);
  expect(more({ output: { description: 'w'.repeat(900) } })).toBeGreaterThan(900);
});

it('counts what stays the same once, while a conversation grows', () => {
  const counted: string[] = [];
  const count = requestCounter((text) => {
    counted.push(text);
    return text.length;
  });
  const messages: Message[] = [...CONVERSATION];
  for (let turn = 0; turn < 20; turn++) {
    messages.push({ role: 'user', content: `turn ${turn}` });
    count(request({ messages: [...messages], tools: [ADD] }));
  }
  expect(counted.filter((text) => text === 'Be exact.')).toHaveLength(1);
  expect(counted.filter((text) => text.includes('"properties"'))).toHaveLength(1);
});
