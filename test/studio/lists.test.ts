import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunCard } from '../../studio/src/api/types.js';
import { fits, merged } from '../../studio/src/store/runs-order.js';
import { scrollToShow, windowOf } from '../../studio/src/ui/window-of.js';

function card(over: Partial<RunCard>): RunCard {
  return {
    id: 'r1',
    agent: 'buyer',
    mode: 'iterative',
    version: '1',
    tenant: 'default',
    subject: 'ann',
    status: 'running',
    createdAt: 1,
    updatedAt: 1,
    waiting: [],
    asks: 0,
    crashes: 0,
    takeovers: 0,
    attempts: 1,
    usage: {},
    entries: 1,
    ...over,
  };
}

describe('the window of a long list', () => {
  it('holds what can be seen and little more, whatever the length [R6-STUDIO-VIRTUAL]', () => {
    fc.assert(
      fc.property(fc.nat(200_000), fc.nat(60), fc.nat(6_000_000), fc.nat(3000), (rows, extra, scrolled, height) => {
        const rowHeight = 20 + extra;
        const scrollTop = Math.min(scrolled, Math.max(0, rows * rowHeight - height));
        const { from, to } = windowOf(rows, rowHeight, scrollTop, height);
        const firstSeen = Math.floor(scrollTop / rowHeight);
        const lastSeen = Math.min(rows, Math.ceil((scrollTop + height) / rowHeight));
        expect(from).toBeLessThanOrEqual(Math.min(firstSeen, rows));
        expect(to).toBeGreaterThanOrEqual(lastSeen);
        expect(to).toBeLessThanOrEqual(rows);
        expect(to - from).toBeLessThanOrEqual(Math.ceil(height / rowHeight) + 17);
      }),
    );
  });

  it('scrolls just far enough to show a row, and not when it is seen', () => {
    expect(scrollToShow(5, 20, 0, 200)).toBeUndefined();
    expect(scrollToShow(12, 20, 0, 200)).toBe(60);
    expect(scrollToShow(2, 20, 100, 200)).toBe(40);
  });
});

describe('the list of runs', () => {
  it('keeps the newest state of each run, newest run first [R6-STUDIO-RUNS]', () => {
    const list = merged(
      [card({ id: 'a', createdAt: 1, entries: 9, status: 'done' }), card({ id: 'b', createdAt: 2 })],
      [
        card({ id: 'a', createdAt: 1, entries: 4, status: 'running' }), // overtaken on its way
        card({ id: 'c', createdAt: 3 }),
        card({ id: 'b', createdAt: 2, updatedAt: 5, status: 'paused' }),
      ],
    );
    expect(list.map(({ id, status }) => `${id} ${status}`)).toEqual(['c running', 'b paused', 'a done']);
  });

  it('does not grow without end', () => {
    const many = Array.from({ length: 3000 }, (_, n) => card({ id: `r${n}`, createdAt: n }));
    const list = merged([], many);
    expect(list).toHaveLength(2000);
    expect(list[0]?.id).toBe('r2999');
  });

  it('finds by status, agent and words [R6-STUDIO-RUNS]', () => {
    const waiting = card({ id: 'r7', agent: 'refund-desk', status: 'suspended', waiting: ['approve:refund'] });
    expect(fits(waiting, {})).toBe(true);
    expect(fits(waiting, { status: 'suspended', agent: 'refund-desk', search: 'R7 approve' })).toBe(true);
    expect(fits(waiting, { status: 'running' })).toBe(false);
    expect(fits(waiting, { agent: 'refund' })).toBe(false);
    expect(fits(waiting, { search: 'r7 nowhere' })).toBe(false);
  });
});
