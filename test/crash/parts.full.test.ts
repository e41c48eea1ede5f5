import { memoryEngine } from 'flyball';
import { expect, it } from 'vitest';
import { examine } from './examine.js';
import { shows } from './shows.js';

it('programs that show images to models come to the same end whichever write they crash at [R11-N12-GENERATED]', async () => {
  const given = { ...shows('refused', 'tool'), forks: [] };
  const then = 'nothing' as const;
  for (let at = 1; at <= 14; at++)
    for (const when of ['before', 'after'] as const) {
      const crashed = { ...given, crashes: [{ at, when, then }] };
      const { violations, stop } = await examine(crashed, memoryEngine(), { patienceMs: 10_000 });
      expect(violations, `crashed ${when} write ${at}`).toEqual([]);
      expect(stop).toBe('done');
    }
});
