import { describe, expect, it } from 'vitest';
import type { Message } from '../../core/model.js';
import { type PromptManner, promptOf } from './prompt.js';

const MANNER: PromptManner = { cacheMarker: undefined, leadingSystemOnly: true };
const MARKER = { anthropic: { cacheControl: { type: 'ephemeral' } } };

describe('a conversation as the AI SDK takes it', () => {
  it('gathers results that follow each other, under the names of their calls [R3-CASE-25]', () => {
    const messages: readonly Message[] = [
      {
        role: 'assistant',
        content: 'I look.',
        toolCalls: [
          { id: 'a', name: 'look_up', arguments: '{"word":"fly"}' },
          { id: 'b', name: 'now', arguments: '' },
          { id: 'd', name: 'now', arguments: '{"a":' },
        ],
      },
      { role: 'tool', toolCallId: 'a', content: 'An insect.' },
      { role: 'tool', toolCallId: 'b', name: 'clock', content: 'Noon.' },
      { role: 'user', content: 'Thanks.' },
    ];
    expect(promptOf(messages, MANNER)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'look_up', input: { word: 'fly' } },
          { type: 'tool-call', toolCallId: 'b', toolName: 'now', input: {} },
          { type: 'tool-call', toolCallId: 'd', toolName: 'now', input: { malformed: '{"a":' } },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'a', toolName: 'look_up', output: { type: 'text', value: 'An insect.' } },
          { type: 'tool-result', toolCallId: 'b', toolName: 'clock', output: { type: 'text', value: 'Noon.' } },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'Thanks.' }] },
    ]);
  });

  it('says late system text as the user where only the beginning may hold any', () => {
    const messages: readonly Message[] = [
      { role: 'system', content: 'A' },
      { role: 'system', content: 'B' },
      { role: 'user', content: 'C' },
      { role: 'system', content: 'D' },
    ];
    const roles = (manner: PromptManner) => promptOf(messages, manner).map(({ role }) => role);
    expect(roles(MANNER)).toEqual(['system', 'system', 'user', 'user']);
    expect(roles({ ...MANNER, leadingSystemOnly: false })).toEqual(['system', 'system', 'user', 'system']);
  });

  it('leaves out turns that say nothing, which providers refuse', () => {
    expect(promptOf([{ role: 'assistant', content: '' }], MANNER)).toEqual([]);
  });

  it('marks what is to be cached, a result on its own part [R3-PORT-CACHE]', () => {
    const messages: readonly Message[] = [
      { role: 'user', content: 'A', cache: true },
      { role: 'tool', toolCallId: 'x', name: 'n', content: 'B' },
      { role: 'tool', toolCallId: 'y', name: 'n', content: 'C', cache: true },
    ];
    const [user, results] = promptOf(messages, { ...MANNER, cacheMarker: MARKER });
    expect(user?.providerOptions).toEqual(MARKER);
    expect(results?.role === 'tool' && results.content.map(({ providerOptions }) => providerOptions)).toEqual([
      undefined,
      MARKER,
    ]);
    expect(JSON.stringify(promptOf(messages, MANNER))).not.toContain('cacheControl');
  });

  it('gives reasoning back as it came, with what the provider attached to each part [R3-PORT-REASONING]', () => {
    const opaque = {
      reasoning: [
        { text: 'First.', metadata: { anthropic: { signature: 's1' } } },
        { text: '', metadata: { anthropic: { redactedData: 'r' } } },
      ],
      text: { google: { thoughtSignature: 't' } },
      calls: { c: { google: { thoughtSignature: 'u' } } },
    };
    const message: Message = {
      role: 'assistant',
      content: 'So.',
      toolCalls: [{ id: 'c', name: 'now', arguments: '{}' }],
      reasoning: { text: 'First.', opaque },
    };
    const [turn] = promptOf([message], MANNER);
    expect(turn?.content).toEqual([
      { type: 'reasoning', text: 'First.', providerOptions: { anthropic: { signature: 's1' } } },
      { type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: 'r' } } },
      { type: 'text', text: 'So.', providerOptions: { google: { thoughtSignature: 't' } } },
      {
        type: 'tool-call',
        toolCallId: 'c',
        toolName: 'now',
        input: {},
        providerOptions: { google: { thoughtSignature: 'u' } },
      },
    ]);
    const [foreign] = promptOf([{ ...message, reasoning: { text: 'Hm.', opaque: ['of another adapter'] } }], MANNER);
    expect(foreign?.content).toMatchObject([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text' },
      { type: 'tool-call' },
    ]);
  });
});
