import { describe, expect, it } from 'vitest';
import { negated, stateAfter, unmetPreconditions } from './facts.js';
import { step } from './sample.test-data.js';

describe('facts', () => {
  it('gains and loses conditions in the order of the steps [R4-PLAN-PRECONDITIONS]', () => {
    const write = step('write', { effects: ['draft', '!empty'] });
    const drop = step('drop', { effects: ['!draft', 'empty'] });
    expect(stateAfter(['empty'], [write])).toEqual(['draft']);
    expect(stateAfter(['empty'], [write, drop])).toEqual(['empty']);
    expect(stateAfter(['empty'], [drop, write])).toEqual(['draft']);
    expect(stateAfter(['empty', 'empty'], [])).toEqual(['empty']);
  });

  it('names the preconditions that do not hold, and those that must not and do [R4-PLAN-PRECONDITIONS]', () => {
    const publish = step('publish', { preconditions: ['draft', '!locked', '!empty'] });
    expect(unmetPreconditions(publish, ['locked'])).toEqual(['draft', '!locked']);
    expect(unmetPreconditions(publish, ['draft'])).toEqual([]);
  });

  it('negates there and back', () => {
    expect([negated('x'), negated('!x')]).toEqual(['!x', 'x']);
  });
});
