import { describe, expect, expectTypeOf, it } from 'vitest';
import { NOTHING } from './budget.js';
import {
  blocked,
  degraded,
  done,
  failed,
  isTerminal,
  type NotDone,
  type Outcome,
  type Stop,
  withoutValue,
} from './outcome.js';

const failure = { code: 'EFFECT_FAILED', message: 'no', retryable: false } as const;

describe('an outcome', () => {
  it('is one variant of one union, with a reason where it is not what was asked for [R2-CORE-OUTCOME]', () => {
    expect(done(1)).toEqual({ stop: 'done', value: 1 });
    expect(degraded(1, 'half of it')).toEqual({ stop: 'degraded', value: 1, because: 'half of it' });
    expect(blocked('no access')).toEqual({ stop: 'blocked', because: 'no access' });
    expect(blocked('no access', { partial: 2 })).toEqual({ stop: 'blocked', because: 'no access', partial: 2 });
    expect(failed(failure)).toEqual({ stop: 'failed', because: 'no', failure });
    expect(failed(failure, { partial: 2 })).toEqual({ stop: 'failed', because: 'no', failure, partial: 2 });
  });

  it('has a typed reason beside the prose, which is passed on with or without a value [R11-N10-REASON]', () => {
    const reason = { code: 'uncertain', data: { agreement: 0.4 } } as const;
    const less = degraded('seven', 'the samples disagree', reason);
    expect(less).toEqual({ stop: 'degraded', value: 'seven', because: 'the samples disagree', reason });
    expect(withoutValue(less as NotDone)).toEqual(blocked('the samples disagree', { reason }));
    expect(failed(failure, { reason })).toEqual({ stop: 'failed', because: 'no', failure, reason });
    const tried = { code: 'exhausted', data: { tried: 3 } } as const;
    expect(withoutValue({ stop: 'bounded', bound: 'maxNodes', limit: 3, partial: 1, reason: tried })).toEqual({
      stop: 'bounded',
      bound: 'maxNodes',
      limit: 3,
      reason: tried,
    });
  });

  it('is handled to the last variant, or does not compile [R2-CORE-OUTCOME]', () => {
    expectTypeOf<Stop>().toEqualTypeOf<
      'done' | 'degraded' | 'bounded' | 'suspended' | 'blocked' | 'cancelled' | 'failed'
    >();
    const told = (outcome: Outcome<number>): string => {
      switch (outcome.stop) {
        case 'done':
        case 'degraded':
          return `${outcome.value}`;
        case 'bounded':
          return `${outcome.bound} ${outcome.limit} ${outcome.partial}`;
        case 'suspended':
          return outcome.waiting.map(({ name }) => name).join();
        case 'blocked':
        case 'cancelled':
        case 'failed':
          return `${outcome.because} ${outcome.partial}`;
      }
    };
    expect(told({ stop: 'bounded', bound: 'costUsd', limit: 5, partial: 2, usage: NOTHING })).toBe('costUsd 5 2');
  });

  it('of a child ends a parent with another value, without what the child had [R9-TYPES-PASS-ON]', () => {
    const bounded = { stop: 'bounded', bound: 'steps', limit: 3 } as const;
    expect(withoutValue({ ...bounded, partial: 'half' })).toEqual(bounded);
    expect(withoutValue({ stop: 'failed', because: 'no', failure, partial: 1 })).toEqual(failed(failure));
    expect(withoutValue({ stop: 'blocked', because: 'no access', partial: 2 })).toEqual(blocked('no access'));
    expect(withoutValue({ stop: 'suspended', waiting: [] })).toEqual({ stop: 'suspended', waiting: [] });
    // what was less than asked for is of no use to somebody who cannot see it
    expect(withoutValue({ stop: 'degraded', value: 1, because: 'half of it' })).toEqual(blocked('half of it'));
    expectTypeOf(withoutValue(bounded)).toEqualTypeOf<Outcome<never>>();
  });

  it('is final unless it can go on', () => {
    const stops: readonly Stop[] = ['done', 'degraded', 'bounded', 'suspended', 'blocked', 'cancelled', 'failed'];
    expect(stops.filter((stop) => !isTerminal(stop))).toEqual(['bounded', 'suspended']);
  });
});
