import { describe, expect, it } from 'vitest';
import { agentCard } from '../../../server/src/card/agent-card.js';
import { discover } from '../../../server/src/card/discover.js';
import { measure } from './bench.js';
import { cardClaims } from './claims/cards.js';
import { CLAIMS } from './registry.js';
import { crashed, runClaims } from './run-claims.js';

const ALL = [...CLAIMS, ...cardClaims({ agentCard, discover })];

describe('every claim', () => {
  it('stays within four deviations with 300 items, in less than three minutes of one core [R13-LAB-CI]', async () => {
    const before = process.cpuUsage();
    const rows = await runClaims(ALL, { items: 300, seed: 1 });
    const { user, system } = process.cpuUsage(before);
    expect(
      rows.filter(({ holds }) => !holds).map(({ id, measured, baseline }) => ({ id, measured, baseline })),
    ).toEqual([]);
    expect((user + system) / 1e6).toBeLessThan(180);
  });

  it.each(ALL.map((claim) => [claim.id, claim] as const))(
    '%s: gives the same table after a crash at a random write [R13-LAB-CRASH]',
    async (_, { arm, pattern, weight = 1 }) => {
      const setting = { seed: 2, items: Math.max(2, Math.ceil(30 / weight)) };
      const { writes: _all, ...straight } = await measure(arm, setting);
      const { writes: _more, ...again } = await crashed(arm, setting);
      // a call that the crash cut off counts against a cap: that item may have one call fewer, and never one more
      if (pattern === 'V9')
        expect(straight.calls.every((n, item) => [0, 1].includes(n - (again.calls[item] ?? 0)))).toBe(true);
      else expect({ ...again, ms: [] }).toEqual({ ...straight, ms: [] });
    },
  );
});
