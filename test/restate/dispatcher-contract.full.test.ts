import { dispatcherContract } from 'flyball/testing';
import { afterAll, describe, it } from 'vitest';
import { balancer } from '../../bench/measure/balancer.js';
import { type RestateDispatcher, type RestateOptions, restateDispatcher } from '../../packages/restate/src/index.js';
import { patient } from '../patience.js';
import { freePort } from '../postgres/server.js';
import { TestRestate, whyNoRestate } from './server.js';

const why = whyNoRestate();
if (why !== undefined) {
  process.stdout.write(`Skipped the contract on Restate: ${why}.\n`);
  it.skip('dispatcher contract: Restate', () => undefined);
} else {
  const restate = await TestRestate.start();
  afterAll(() => restate.remove());
  let opened = 0;

  /** Services of its own in one Restate, and one address for all workers. */
  const opening = (limits: Pick<RestateOptions, 'tenants'>) => async () => {
    const door = await balancer();
    const name = `d${process.pid}-${++opened}`;
    const dispatchers: RestateDispatcher[] = [];
    return {
      async process() {
        const port = await freePort();
        const real = restateDispatcher({
          url: restate.urls,
          admin: restate.admins,
          listen: `127.0.0.1:${port}`,
          address: door.url,
          name,
          sweepMs: 300,
          ...limits,
          onProblem: () => undefined,
        });
        dispatchers.push(real);
        const attend: RestateDispatcher['attend'] = (driver) => {
          door.ports.add(port);
          return real.attend(driver);
        };
        const die = (): void => {
          door.ports.delete(port);
          door.cut();
          void real.close();
        };
        return { dispatcher: { ...real, attend }, ready: () => real.ready(), die };
      },
      async close() {
        for (const dispatcher of dispatchers) await dispatcher.close();
        door.close();
      },
    };
  };
  const within = { withinMs: patient(30_000) };
  dispatcherContract({ describe, it }, 'Restate [R10-DISPATCHER-CONTRACT]', opening({}), within);
  dispatcherContract({ describe, it }, 'Restate with limits', opening({ tenants: { '*': 6 } }), within);
}
