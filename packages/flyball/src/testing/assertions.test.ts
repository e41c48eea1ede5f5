import { describe, expect, it } from 'vitest';
import type { Message, ModelRequest } from '../core/model.js';
import { callFormula, duplicates, eachEffectOnce, neverReached, sharedPrefixOf } from './assertions.js';

function request(
  session: string,
  messages: readonly (string | Message)[],
  more: Partial<ModelRequest> = {},
): ModelRequest {
  return {
    session,
    model: 'm',
    messages: messages.map((given) => (typeof given === 'string' ? { role: 'user', content: given } : given)),
    tools: [],
    toolChoice: 'auto',
    sampling: {},
    ...more,
  };
}

describe('neverReached', () => {
  it('passes when the canary is nowhere', () => {
    neverReached([request('a', ['hello']), request('b', ['world'])], 'CANARY');
  });

  it('names session, call, message and role [R2-KIT-ASSERTIONS]', () => {
    const requests = [
      request('judge', ['one']),
      request('drafter', ['x']),
      request('judge', ['two', 'the CANARY sings']),
    ];
    expect(() => neverReached(requests, 'CANARY')).toThrow(
      '"CANARY" reached session "judge", call 2: message 2 (user).',
    );
  });

  it('looks into tool calls, tool descriptions and output schemas [R2-KIT-ASSERTIONS]', () => {
    const toolCalls = [{ id: '1', name: 'send', arguments: '{"to":"CANARY"}' }];
    const inCall = request('a', [{ role: 'assistant', content: '', toolCalls }]);
    expect(() => neverReached([inCall], 'CANARY')).toThrow('message 1 (assistant), tool call send');
    const inTool = request('a', ['x'], { tools: [{ name: 'send', description: 'for CANARY', input: {} }] });
    expect(() => neverReached([inTool], 'CANARY')).toThrow('description of tool send');
    const inSchema = request('a', ['x'], { output: { description: 'CANARY' } });
    expect(() => neverReached([inSchema], 'CANARY')).toThrow('output schema');
  });

  it('finds a canary that was escaped on its way into JSON', () => {
    const canary = 'say "tweet"\nloudly';
    expect(() => neverReached([request('a', [JSON.stringify({ note: canary })])], canary)).toThrow(/reached/);
  });

  it('refuses an empty canary', () => {
    expect(() => neverReached([], '')).toThrow(/empty canary/);
  });
});

describe('callFormula', () => {
  const requests = [request('drafter', ['x']), request('judge', ['x']), request('drafter', ['x'])];

  it('passes for exactly these calls [R2-KIT-ASSERTIONS]', () => {
    callFormula(requests, { drafter: 2, judge: 1 });
  });

  it.each([
    [{ drafter: 2, judge: 2 }, 'judge: expected 2, got 1'],
    [{ drafter: 1, judge: 1 }, 'drafter: expected 1, got 2'],
    [{ drafter: 2 }, 'judge: expected 0, got 1'],
    [{ drafter: 2, judge: 1, planner: 1 }, 'planner: expected 1, got 0'],
  ])('fails for %j', (formula, difference) => {
    expect(() => callFormula(requests, formula)).toThrow(difference);
  });
});

describe('effects', () => {
  const line = (key: string) => ({ key, what: 1 });

  it('counts the keys that happened more than once', () => {
    expect(duplicates([line('a'), line('b'), line('a'), line('a')])).toEqual([{ key: 'a', times: 3 }]);
  });

  it('accepts each expected effect once and names what was doubled, lost or never expected', () => {
    eachEffectOnce([line('b'), line('a')], ['a', 'b']);
    expect(() => eachEffectOnce([line('a'), line('a'), line('c')], ['a', 'b'])).toThrow(
      'Effects: a happened 2 times; b did not happen; c was not expected.',
    );
  });
});

describe('sharedPrefixOf', () => {
  it('is what all requests begin with', () => {
    const requests = [
      request('a', ['setup', 'x', 'y']),
      request('a', ['setup', 'x']),
      request('a', ['setup', 'x', 'z']),
    ];
    expect(sharedPrefixOf(requests).map(({ content }) => content)).toEqual(['setup', 'x']);
    expect(sharedPrefixOf([])).toEqual([]);
    expect(sharedPrefixOf([...requests, request('b', ['other'])])).toEqual([]);
  });
});
