import { describe, expect, it } from 'vitest';
import type { Message } from '../../core/model.js';
import { historyOf } from './history.js';

const call = (id: string, name: string, given: string) => ({ id, name, arguments: given });

describe('a conversation as node-llama-cpp takes it', () => {
  it('has a call with its result in it, and goes on where the results end', () => {
    const messages: readonly Message[] = [
      { role: 'system', content: 'Rules.' },
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: 'I look.',
        toolCalls: [call('c1', 'weather', '{"city":"Rome"}'), call('c2', 'now', '')],
      },
      { role: 'tool', toolCallId: 'c2', content: 'noon' },
      { role: 'tool', toolCallId: 'c1', content: '{"rain":true}' },
    ];
    expect(historyOf(messages, undefined)).toEqual([
      { type: 'system', text: 'Rules.' },
      { type: 'user', text: 'Weather?' },
      {
        type: 'model',
        response: [
          'I look.',
          {
            type: 'functionCall',
            name: 'weather',
            params: { city: 'Rome' },
            result: { rain: true },
            startsNewChunk: true,
          },
          { type: 'functionCall', name: 'now', params: {}, result: 'noon', startsNewChunk: false },
        ],
      },
    ]);
  });

  it('keeps the results of turns that use the same id apart', () => {
    const turn = (result: string): readonly Message[] => [
      { role: 'assistant', content: '', toolCalls: [call('call_1', 'now', '{}')] },
      { role: 'tool', toolCallId: 'call_1', content: result },
      { role: 'user', content: 'Again.' },
    ];
    const text = JSON.stringify(historyOf([...turn('one'), ...turn('two')], undefined));
    expect(text.match(/"result":"(one|two)"/g)).toEqual(['"result":"one"', '"result":"two"']);
  });

  it('ends with an empty answer, joins what the model says in a row, and shows it its thoughts again', () => {
    const messages: readonly Message[] = [
      { role: 'user', content: 'Hi.' },
      { role: 'assistant', content: 'Hello.', reasoning: { text: 'Be kind.' } },
      { role: 'assistant', content: 'How are you?' },
      { role: 'user', content: 'Fine.' },
    ];
    expect(historyOf(messages, undefined).slice(1)).toEqual([
      {
        type: 'model',
        response: [
          { type: 'segment', segmentType: 'thought', text: 'Be kind.', ended: true },
          'Hello.',
          'How are you?',
        ],
      },
      { type: 'user', text: 'Fine.' },
      { type: 'model', response: [] },
    ]);
  });

  it('says what a result belongs to whose call was dropped, and hands malformed arguments back', () => {
    expect(historyOf([{ role: 'tool', toolCallId: 'c9', name: 'now', content: 'noon' }], undefined)[0]).toEqual({
      type: 'user',
      text: 'Result of now: noon',
    });
    const broken: Message = { role: 'assistant', content: '', toolCalls: [call('c1', 'now', '{"a":')] };
    expect(JSON.stringify(historyOf([broken], undefined))).toContain(
      '"params":{"malformed":"{\\"a\\":"},"result":null',
    );
  });

  it('shows the schema of the reply to the model, after its instructions', () => {
    const output = { type: 'object' };
    const [first] = historyOf([{ role: 'system', content: 'Rules.' }], output);
    expect(first).toMatchObject({ type: 'system', text: expect.stringMatching(/^Rules\.\n\n.*\{"type":"object"\}$/) });
    expect(historyOf([{ role: 'user', content: 'Hi.' }], output)[0]).toMatchObject({ type: 'system' });
  });
});
