import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunCard } from '../../packages/studio/src/api/types.js';
import { fits, merged, nextSorting, sorted, sortingFrom } from '../../packages/studio/src/store/runs-order.js';
import { scrollToShow, windowOf } from '../../packages/studio/src/ui/window-of.js';

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

  it('finds what a row shows: what was asked, how it ended, its marks and its figures [F-D3]', () => {
    const paid = card({
      asked: 'Please refund order A-17.',
      status: 'suspended',
      takeovers: 1,
      usage: { costUsd: { spent: 0.0123 } },
      outcome: { stop: 'done', answer: '120 EUR are on their way' },
    });
    for (const search of ['refund a-17', 'waiting', 'crashed and resumed', '$0.0123', '120 eur'])
      expect(fits(paid, { search }), search).toBe(true);
    expect(fits(card({ waiting: ['approve:#3'] }), { search: 'waiting for approval' })).toBe(true);
    expect(fits(paid, { search: 'A-18' })).toBe(false);
  });

  it('sorts by a column, turns round and ends, and keeps that in the address [F-D3]', () => {
    const list = [
      card({ id: 'a', agent: 'zoo', usage: { costUsd: { spent: 2 } } }),
      card({ id: 'b', agent: 'ark', usage: { costUsd: { spent: 10 } } }),
      card({ id: 'c', agent: 'ark' }),
    ];
    const ids = (query: string) =>
      sorted(list, sortingFrom(new URLSearchParams(query)))
        .map(({ id }) => id)
        .join('');
    expect(ids('')).toBe('abc');
    expect(ids('sort=costUsd')).toBe('bac');
    expect(ids('sort=costUsd&order=up')).toBe('cab');
    expect(ids('sort=agent&order=up')).toBe('bca');
    expect(ids('sort=nonsense')).toBe('abc');
    const first = nextSorting(undefined, 'costUsd');
    const second = nextSorting(first, 'costUsd');
    expect([first, second, nextSorting(second, 'costUsd')]).toEqual([
      { by: 'costUsd', order: 'down' },
      { by: 'costUsd', order: 'up' },
      undefined,
    ]);
    expect(nextSorting(first, 'agent')).toEqual({ by: 'agent', order: 'up' });
  });
});
