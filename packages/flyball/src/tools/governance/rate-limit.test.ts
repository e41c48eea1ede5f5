import { virtualClock } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { context, toolOf } from '../../../../../test/governance/context.js';
import type { ToolGuard } from './guard-answer.js';
import { proposedCall } from './proposed-call.js';
import { rateLimitGuard } from './rate-limit.js';

const call = proposedCall(toolOf({ name: 'read' }), {});

function verdicts(guard: ToolGuard, times: number, subject = 'ada', tenant = 'acme'): readonly unknown[] {
  return Array.from(
    { length: times },
    () => (guard.check(call, context({ subject, tenant })) as { verdict: string }).verdict,
  );
}

describe('the rate limit', () => {
  it('lets as many calls pass in a second as the burst allows, and again a second later [R3-GOV-RATE]', async () => {
    const clock = virtualClock();
    const guard = rateLimitGuard({ perMinute: 100, burst: 3 }, clock);
    expect(verdicts(guard, 4)).toEqual(['pass', 'pass', 'pass', 'refuse']);
    await clock.advance(999);
    expect(verdicts(guard, 1)).toEqual(['refuse']);
    await clock.advance(1);
    expect(verdicts(guard, 4)).toEqual(['pass', 'pass', 'pass', 'refuse']);
  });

  it('slides: a call counts for exactly one minute, wherever the minute began [R3-GOV-RATE]', async () => {
    const clock = virtualClock();
    const guard = rateLimitGuard({ perMinute: 2, burst: 10 }, clock);
    expect(verdicts(guard, 1)).toEqual(['pass']);
    await clock.advance(40_000);
    expect(verdicts(guard, 2)).toEqual(['pass', 'refuse']);
    await clock.advance(20_000); // the first call is a minute old, the second is not
    expect(verdicts(guard, 2)).toEqual(['pass', 'refuse']);
  });

  it.each([3_600_000, -3_600_000])('holds as long when the date is set by %i ms [F-C6]', async (ms) => {
    const clock = virtualClock();
    const guard = rateLimitGuard({ perMinute: 2, burst: 10 }, clock);
    expect(verdicts(guard, 3)).toEqual(['pass', 'pass', 'refuse']);
    clock.jump(ms);
    await clock.advance(59_999);
    expect(verdicts(guard, 1)).toEqual(['refuse']);
    await clock.advance(1);
    expect(verdicts(guard, 1)).toEqual(['pass']);
  });

  it('tells the model how long to wait [R3-GOV-RATE]', async () => {
    const clock = virtualClock();
    const guard = rateLimitGuard({ perMinute: 1, burst: 1 }, clock);
    verdicts(guard, 1);
    await clock.advance(18_000);
    expect(guard.check(call, context())).toMatchObject({ verdict: 'refuse', why: expect.stringContaining('in 42 s') });
  });

  it('counts each subject of each tenant for itself [R3-GOV-RATE]', () => {
    const guard = rateLimitGuard({ perMinute: 1, burst: 1 }, virtualClock());
    expect(verdicts(guard, 2, 'ada')).toEqual(['pass', 'refuse']);
    expect(verdicts(guard, 1, 'bob')).toEqual(['pass']);
    expect(verdicts(guard, 1, 'ada', 'other')).toEqual(['pass']);
    expect(verdicts(guard, 1, 'a","b', 'x')).toEqual(['pass']);
    expect(verdicts(guard, 1, 'b', 'x","a')).toEqual(['pass']);
  });

  it('remembers a bounded number of subjects, forgets idle ones and never an active one [R3-GOV-RATE]', async () => {
    const clock = virtualClock();
    const guard = rateLimitGuard({ perMinute: 1, burst: 1, maxSubjects: 2 }, clock);
    expect(verdicts(guard, 1, 'ada')).toEqual(['pass']);
    await clock.advance(30_000);
    expect(verdicts(guard, 1, 'bob')).toEqual(['pass']);
    expect(verdicts(guard, 1, 'eve')).toEqual(['refuse']);
    expect(verdicts(guard, 1, 'ada')).toEqual(['refuse']); // eve did not push ada out
    await clock.advance(30_000);
    expect(verdicts(guard, 1, 'eve')).toEqual(['pass']); // in the place of ada, who is idle
    expect(verdicts(guard, 1, 'bob')).toEqual(['refuse']);
  });

  it.each([
    { perMinute: 0, burst: 1 },
    { perMinute: 1.5, burst: 1 },
    { perMinute: 10, burst: Number.NaN },
  ])('refuses the setting %j', (limit) => {
    expect(() => rateLimitGuard(limit, virtualClock())).toThrow('must be a whole number of at least 1');
  });
});
