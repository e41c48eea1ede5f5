import { describe, expect, it } from 'vitest';
import { budget, type Refusal } from '../core/budget.js';
import { Ledger } from '../core/ledger.js';
import { VIRTUAL_START, virtualClock } from '../testing/virtual-clock.js';
import { ActiveTime, Timers } from './run-clock.js';

const MINUTE_MS = 60_000;

describe('the time of a child', () => {
  it('follows the limits of the run now, not those of when the child was given its part [F-X10]', async () => {
    const clock = virtualClock();
    await clock.advance(MINUTE_MS);
    const root = new Ledger('', budget({ wallMs: 10 * MINUTE_MS, deadline: VIRTUAL_START + 5 * MINUTE_MS }));
    const given = budget({ wallMs: 1, deadline: VIRTUAL_START + 1 });
    const child = root.restore('/child.0', { shared: true }, given);
    const told: Refusal[] = [];
    const timers = new Timers(clock);
    const time = new ActiveTime({ clock, timers, ledger: root, before: 0, onBound: (one) => told.push(one) });
    time.watch(child, 0);
    time.resume();
    time.arm();
    expect(time.nextDeadline()).toBe(VIRTUAL_START + 5 * MINUTE_MS);
    expect(clock.pending()).toEqual([VIRTUAL_START + 5 * MINUTE_MS]);
    await clock.advance(4 * MINUTE_MS);
    expect(told[0]).toMatchObject({ node: '', bound: 'deadline' });
    timers.clearAll();
  });
});
