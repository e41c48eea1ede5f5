import { describe, expect, it } from 'vitest';
import { finishFrom, isUnfinished, usageFrom } from './usage.js';

describe('usage', () => {
  it.each([
    [
      { inputTokens: { total: 10, noCache: 3, cacheRead: 5, cacheWrite: 2 }, outputTokens: { total: 4 } },
      undefined,
      { input: 10, output: 4, cacheRead: 5, cacheWrite: 2 },
    ],
    [{ inputTokens: 10, outputTokens: 4, cachedInputTokens: 5 }, undefined, { input: 10, output: 4, cacheRead: 5 }],
    [
      { inputTokens: 3, outputTokens: 4, cachedInputTokens: 5 },
      { anthropic: { cacheCreationInputTokens: 2 } },
      { input: 10, output: 4, cacheRead: 5, cacheWrite: 2 },
    ],
    [{ inputTokens: undefined, outputTokens: undefined }, undefined, undefined],
    [{ inputTokens: { total: undefined }, outputTokens: { total: 4 } }, undefined, undefined],
    [{ inputTokens: Number.NaN, outputTokens: 1 }, undefined, undefined],
    [undefined, undefined, undefined],
  ])('is read from either version: %j beside %j [R3-PORT-USAGE]', (given, metadata, usage) => {
    expect(usageFrom(given, metadata)).toEqual(usage);
  });
});

describe('why a reply ended', () => {
  it.each([
    ['stop', 0, 'Hi', 'stop'],
    [{ unified: 'stop', raw: 'STOP' }, 1, '', 'tool_calls'],
    ['tool-calls', 0, 'Hi', 'stop'],
    [{ unified: 'length', raw: 'max' }, 1, '', 'length'],
    ['content-filter', 0, '', 'content_filter'],
    ['error', 0, 'Hi', 'error'],
    [{ unified: 'other', raw: 'compaction' }, 0, '', 'error'],
    [{ unified: 'other', raw: 'compaction' }, 0, 'Hi', 'stop'],
    ['unknown', 1, '', 'tool_calls'],
  ])(
    'is read from either version: %j beside %i calls and "%s" is %s [R3-PORT-FINISH]',
    (given, calls, text, finish) => {
      expect(finishFrom(given, { calls, text })).toBe(finish);
    },
  );

  it.each([
    ['unknown', true],
    [{ unified: 'other', raw: undefined }, true],
    [undefined, true],
    [{ unified: 'other', raw: 'OTHER' }, false],
    [{ unified: 'stop', raw: undefined }, false],
    ['stop', false],
  ])('is missing from a stream that was cut: %j', (given, cut) => {
    expect(isUnfinished(given)).toBe(cut);
  });
});
