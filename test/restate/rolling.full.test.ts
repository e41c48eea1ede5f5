import { expect, it } from 'vitest';
import { balancer } from '../../bench/measure/balancer.js';
import { rollOut } from '../cluster/rolling.js';
import { freePort, freshSchema, sharedServer, whyNoServer } from '../postgres/server.js';
import { TestRestate, whyNoRestate } from './server.js';

const why = whyNoServer() ?? whyNoRestate();
if (why !== undefined) process.stdout.write(`Skipped the cluster with Restate: ${why}.\n`);

it.skipIf(why !== undefined)(
  'of servers with --dispatcher restate://… one is killed and the others are replaced by a new version: every run ends, no step is lost or made under two keys [R10-RESTATE-COMMAND] [R10-RESTATE-VERSIONS]',
  async () => {
    const server = await sharedServer();
    const restate = await TestRestate.start();
    const door = await balancer();
    try {
      const dispatcher = async () => {
        const port = await freePort();
        door.ports.add(port);
        return restate.address({ listen: `127.0.0.1:${port}`, address: door.url });
      };
      const rolled = await rollOut(`${server.url}?schema=${freshSchema()}`, () => undefined, { dispatcher });
      expect(rolled).toMatchObject({ done: 16, missing: 0, keys: 1, exits: [0, 0, 0, 0], versions: ['1', '2'] });
      expect(rolled.again).toBeLessThanOrEqual(12); // what the killed worker was just doing
      expect(rolled.workers).toMatch(/count 1/);
      expect(rolled.workers).toMatch(/count 2/);
    } finally {
      door.close();
      await restate.remove();
      server.remove();
    }
  },
);
