import { describe, expect, it } from 'vitest';
import { NOTHING } from '../../core/budget.js';
import { evaluateStopConditions, type StopCondition, type StopState } from './stop-conditions.js';

const state = (over: Partial<StopState> = {}): StopState => ({ spent: NOTHING, calledTools: {}, ...over });
const spent = (over: Partial<StopState['spent']>): StopState => state({ spent: { ...NOTHING, ...over } });

const cases: readonly (readonly [StopCondition, no: StopState, yes: StopState])[] = [
  [{ kind: 'toolCalled', tool: 'submit' }, state({ calledTools: { other: 9 } }), state({ calledTools: { submit: 1 } })],
  [{ kind: 'toolCalled', tool: 'toString' }, state(), state({ calledTools: { toString: 1 } })],
  [
    { kind: 'toolCalled', tool: 'poll', times: 3 },
    state({ calledTools: { poll: 2 } }),
    state({ calledTools: { poll: 4 } }),
  ],
  [{ kind: 'toolCallsAtLeast', calls: 3 }, spent({ toolCalls: 2 }), spent({ toolCalls: 3 })],
  [{ kind: 'filesChangedAtLeast', files: 3 }, spent({ filesChanged: 2 }), spent({ filesChanged: 9 })],
  [{ kind: 'linesChangedAtLeast', lines: 3 }, spent({ linesChanged: 2 }), spent({ linesChanged: 3 })],
  [{ kind: 'iterationsAtLeast', iterations: 3 }, spent({ iterations: 2 }), spent({ iterations: 3 })],
  [{ kind: 'minutesAtLeast', minutes: 3 }, spent({ wallMs: 179_999 }), spent({ wallMs: 180_000 })],
  [{ kind: 'costAtLeast', usd: 0.5 }, spent({ costUsd: 0.49 }), spent({ costUsd: 0.5 })],
  [{ kind: 'replyMatches', pattern: '*DONE*' }, state({ reply: 'nearly done' }), state({ reply: 'all\nDONE.' })],
  [{ kind: 'replyMatches', pattern: '*' }, state(), state({ reply: '' })],
  [
    { kind: 'errorCodeSeen', code: 'EFFECT_TIMEOUT' },
    state({ errorCodes: { DENIED: 3 } }),
    state({ errorCodes: { EFFECT_TIMEOUT: 1 } }),
  ],
  [
    { kind: 'errorCodeSeen', code: 'DENIED', times: 2 },
    state({ errorCodes: { DENIED: 1 } }),
    state({ errorCodes: { DENIED: 2 } }),
  ],
];

describe('a stop condition', () => {
  it.each(cases)('%j is met when it says so and not before [R3-AUTO-STOP]', (condition, no, yes) => {
    expect(evaluateStopConditions([condition], no)).toBeUndefined();
    expect(evaluateStopConditions([condition], yes)).toEqual({ condition, why: expect.stringMatching(/.{10}/) });
  });

  it('that is met first in the list is the one that is named [R3-AUTO-STOP]', () => {
    const conditions = cases.map(([condition]) => condition);
    expect(evaluateStopConditions(conditions, spent({ linesChanged: 9, iterations: 9 }))?.condition).toBe(
      conditions[5],
    );
    expect(evaluateStopConditions([], spent({ iterations: 1e9 }))).toBeUndefined();
  });
});
