import { APICallError, JSONParseError, LoadAPIKeyError, UnsupportedFunctionalityError } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { FlyballError } from '../../core/errors.js';
import { failureFrom } from './failures.js';

const CALLEE = { id: 'anthropic/claude', provider: 'anthropic', secrets: ['key-123456'] };

function api(given: Partial<ConstructorParameters<typeof APICallError>[0]>): APICallError {
  return new APICallError({ message: 'No.', url: 'http://x', requestBodyValues: { prompt: 'private' }, ...given });
}

describe('what an AI SDK provider throws', () => {
  it.each([
    [api({ statusCode: 429 }), 'MODEL_UNAVAILABLE', true, false],
    [api({ statusCode: 529 }), 'MODEL_UNAVAILABLE', true, false],
    [api({ statusCode: 500 }), 'MODEL_UNAVAILABLE', true, true],
    [api({ statusCode: 408 }), 'MODEL_UNAVAILABLE', true, true],
    [api({ statusCode: 400, isRetryable: true }), 'MODEL_UNAVAILABLE', true, true],
    [api({ statusCode: 403 }), 'MODEL_REJECTED', false, false],
    [api({ statusCode: 413, message: 'prompt is too long: 9 tokens' }), 'WINDOW_EXCEEDED', false, false],
    [api({ statusCode: 429, message: 'too many tokens per minute' }), 'MODEL_UNAVAILABLE', true, false],
    [api({ statusCode: 200, message: 'Invalid JSON response' }), 'MODEL_UNAVAILABLE', true, true],
    [api({ cause: { code: 'ECONNREFUSED' } }), 'MODEL_UNAVAILABLE', true, false],
    [api({ cause: { cause: { errors: [{ code: 'ENOTFOUND' }] } } }), 'MODEL_UNAVAILABLE', true, false],
    [api({ cause: { code: 'UND_ERR_SOCKET' } }), 'MODEL_UNAVAILABLE', true, true],
    [new JSONParseError({ text: '{', cause: null }), 'MODEL_UNAVAILABLE', true, true],
    [new UnsupportedFunctionalityError({ functionality: 'tools' }), 'MODEL_REJECTED', false, false],
    [new LoadAPIKeyError({ message: 'The key is missing.' }), 'CONFIG_INVALID', false, undefined],
    [new TypeError('terminated'), 'MODEL_UNAVAILABLE', true, true],
    [{ type: 'overloaded_error' }, 'MODEL_UNAVAILABLE', true, true],
    [{ message: 'input exceeds the context window' }, 'WINDOW_EXCEEDED', false, false],
  ])('is told apart: %s', (thrown, code, retryable, mayHaveCost) => {
    const failure = failureFrom(CALLEE, thrown);
    expect({ code: failure.code, retryable: failure.retryable, mayHaveCost: failure.detail['mayHaveCost'] }).toEqual({
      code,
      retryable,
      mayHaveCost,
    });
  });

  it('keeps our own failures as they are', () => {
    const own = new FlyballError('WINDOW_EXCEEDED', 'too long');
    expect(failureFrom(CALLEE, own)).toBe(own);
  });

  it('is told without keys, and without the conversation that was sent', () => {
    const failure = failureFrom(
      CALLEE,
      api({ statusCode: 401, message: 'bad key-123456', responseBody: 'key-123456' }),
    );
    expect(JSON.stringify([failure.message, failure.detail, failure.cause])).not.toMatch(/key-123456|private/);
  });

  it('is told without the beginning of a key, where only the beginning would fit', () => {
    const echoed = `${'x'.repeat(193)} key-123456 is wrong`;
    for (const thrown of [
      api({ statusCode: 401, message: echoed }),
      api({ statusCode: 200, message: 'No.', responseBody: echoed }),
      new TypeError(echoed),
    ]) {
      const { message } = failureFrom(CALLEE, thrown);
      expect(message).toContain('x'.repeat(193));
      expect(message).not.toContain('key');
    }
  });
});

it.each([
  [{ 'retry-after': '7' }, 7000],
  [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT', date: 'Thu, 01 Jan 2026 00:00:00 GMT' }, 30_000],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, undefined],
  [{ 'retry-after': '-7' }, undefined],
  [{}, undefined],
])('reads %j as %s ms, by the clock of the provider', (headers, ms) => {
  const thrown = { name: 'AI_APICallError', message: 'busy', statusCode: 429, responseHeaders: headers };
  expect(failureFrom(CALLEE, thrown).detail['retryAfterMs']).toBe(ms);
});
