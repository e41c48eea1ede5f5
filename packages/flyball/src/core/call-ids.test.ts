import { describe, expect, it } from 'vitest';
import { callIds } from './call-ids.js';
import type { Message } from './model.js';

function turn(...ids: readonly string[]): Message {
  return { role: 'assistant', content: '', toolCalls: ids.map((id) => ({ id, name: 'add', arguments: '{}' })) };
}

describe('ids that are made up', () => {
  it('are the same for the same conversation, and differ within one', () => {
    const made = () => {
      const next = callIds([turn('call_1'), turn('call_2')]);
      return [next(), next(), next()];
    };
    expect(made()).toEqual(['call_3', 'call_4', 'call_5']);
    expect(made()).toEqual(made());
    expect(callIds([])()).toBe('call_1');
  });

  it('avoid those still in use after older turns were dropped', () => {
    const next = callIds([turn('call_2'), turn('call_3')]);
    expect([next(), next()]).toEqual(['call_4', 'call_5']);
  });
});
