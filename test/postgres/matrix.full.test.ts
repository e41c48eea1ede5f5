import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { counted } from '../crash/busy-engine.js';
import { calmRun, crashedAt, ENDINGS, nameOf } from '../crash/matrix.js';
import { expectAlike } from '../crash/mixed-check.js';
import { freshSchema, open, sharedServer, whyNoServer } from './server.js';

const why = whyNoServer();
if (why !== undefined) process.stdout.write(`Skipped crashes at every write on PostgreSQL: ${why}.\n`);

describe.skipIf(why !== undefined)(
  'an agent that mixes everything, crashed before and after every write to PostgreSQL',
  () => {
    let server: Awaited<ReturnType<typeof sharedServer>>;
    beforeAll(async () => {
      server = await sharedServer();
    });
    afterAll(() => server.remove());

    it.each(ENDINGS)('ends like the run that never crashed: %s [R10-PG-CRASH-MATRIX]', async (ending) => {
      const engine = counted(await open(server.url, { schema: freshSchema() }));
      const { calm, points } = await calmRun(ending, engine, 'calm');
      expect(calm.runs[0]?.outcome.stop).toBe(ending === 'done' ? 'done' : ending === 'fails' ? 'failed' : 'cancelled');
      expect(points.length).toBeGreaterThan(60);
      for (const point of points) {
        const crashed = await crashedAt(point, ending, engine, `at-${point.n}-${point.when}`).catch(
          (cause: unknown) => {
            throw new Error(`crashed ${nameOf(point)}`, { cause });
          },
        );
        expect(crashed.lives, `crashed ${nameOf(point)}`).toBe(2);
        expectAlike(crashed, calm);
      }
      process.stdout.write(`${ending}: crashed at ${points.length} points\n`);
      await engine.close();
    });
  },
);
