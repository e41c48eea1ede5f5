import type { Message, ModelRequest } from '../../core/model.js';

export const ADD = {
  name: 'add',
  description: 'Adds two numbers.',
  input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
} as const;

export const CONVERSATION: readonly Message[] = [
  { role: 'system', content: 'Be exact.' },
  { role: 'user', content: '2 + 2?' },
  { role: 'assistant', content: '', toolCalls: [{ id: 'call_abc', name: 'add', arguments: '{"a": 2, "b": 2}' }] },
  { role: 'tool', toolCallId: 'call_abc', name: 'add', content: '4' },
];

export function request(given: Partial<ModelRequest> = {}): ModelRequest {
  return {
    session: 'main',
    model: 'test/model',
    messages: CONVERSATION,
    tools: [],
    toolChoice: 'auto',
    sampling: {},
    ...given,
  };
}

export const how = { signal: new AbortController().signal, key: 'key' };
