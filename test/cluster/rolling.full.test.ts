import { expect, it } from 'vitest';
import { freshSchema, sharedServer, whyNoServer } from '../postgres/server.js';
import { rollOut } from './rolling.js';

const why = whyNoServer();
if (why !== undefined) process.stdout.write(`Skipped the cluster on PostgreSQL: ${why}.\n`);

it.skipIf(why !== undefined)(
  'of processes on PostgreSQL one is killed and the others are replaced by a new version: every run ends, no step is lost or made under two keys [R10-WORK-ROLLING]',
  async () => {
    const server = await sharedServer();
    try {
      const rolled = await rollOut(`${server.url}?schema=${freshSchema()}`, () => undefined);
      expect(rolled).toMatchObject({ done: 16, missing: 0, keys: 1, exits: [0, 0, 0, 0], versions: ['1', '2'] });
      expect(rolled.again).toBeLessThanOrEqual(12); // what the killed worker was just doing
      expect(rolled.workers).toMatch(/count 1/);
      expect(rolled.workers).toMatch(/count 2/);
    } finally {
      server.remove();
    }
  },
);
