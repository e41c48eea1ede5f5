import { connect } from 'node:http2';
import { type Driver, FlyballError } from 'flyball';
import { describe, expect, it, onTestFinished } from 'vitest';
import { restateDispatcher } from './dispatcher.js';
import { Drivers } from './drivers.js';
import { openEndpoint } from './endpoint.js';
import { addressOf, isAtWork } from './neighbors.js';
import { type RestateOptions, settle } from './options.js';

const drivers = new Drivers();
const driver: Partial<Driver> = {
  agents: ['agent'],
  has: (runId) => runId === 'run 1',
  get: async () => {
    throw new FlyballError('RUN_NOT_FOUND', 'There is no such run.');
  },
};
drivers.add(driver as Driver);

async function opened(options: Partial<RestateOptions> = {}) {
  const problems: string[] = [];
  const onProblem = (error: unknown) => void problems.push((error as Error).message);
  const settings = settle({ url: 'restate://127.0.0.1:1', listen: '127.0.0.1:0', onProblem, ...options });
  const endpoint = await openEndpoint(settings, drivers, 'secret');
  onTestFinished(() => endpoint.close());
  return { url: endpoint.url, settings, problems };
}

function statusOf(url: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const session = connect(url);
    session.on('error', reject);
    const asking = session.request({ ':path': path });
    asking.on('error', reject);
    asking.on('response', (headers) => {
      resolve(Number(headers[':status']));
      session.close();
    });
    asking.resume();
  });
}

describe('where a worker listens for Restate', () => {
  it('nothing that somebody sends ends the process [R10-RESTATE-HOSTILE]', async () => {
    const { url } = await opened();
    expect(await statusOf(url, '/flyball/at-work/secret/%')).toBe(400);
    expect(await statusOf(url, '/flyball/at-work/secret/%ff')).toBe(400);
    expect(await statusOf(url, '/flyball/at-work/%')).toBe(404);
    expect(await statusOf(url, '/flyball/at-work/secret/run%201')).toBe(200);
  });

  it('only who knows the address that it announced is told what it works on [R10-RESTATE-HOSTILE]', async () => {
    const { url, settings } = await opened();
    const port = new URL(url).port;
    const address = addressOf({ ...settings, listen: { host: '127.0.0.1', port: Number(port) } }, 'secret');
    expect(await isAtWork(address, 'run 1')).toBe(true);
    expect(await isAtWork(address, 'run 2')).toBe(false);
    expect(await isAtWork(address.replace('secret', 'guessed'), 'run 1')).toBe(false);
    expect(await statusOf(url, '/flyball/at-work/run%201')).toBe(404);
  });

  it('calls that are refused fill no log [R10-RESTATE-HOSTILE]', async () => {
    const identityKeys = ['publickeyv1_w7YHemBctH5Ck2nQRQ47iBBqhNHy4FV7t2Usbye2A6f'];
    const { url, problems } = await opened({ identityKeys });
    for (let call = 0; call < 20; call += 1) expect(await statusOf(url, '/discover')).toBe(401);
    expect(problems).toHaveLength(1);
  });

  it('says once in a while that it is called for runs that its database does not have [R10-RESTATE-SHARED]', async () => {
    const { problems } = await opened();
    for (const run of ['a', 'b', 'c']) expect(await drivers.drive(run)).toMatchObject({ status: 'unknown' });
    expect(problems).toEqual([expect.stringContaining('give each its own name')]);
  });

  it('says where its port is in use that several workers need a load balancer [R19-RESTATE-UNBALANCED]', async () => {
    const { url } = await opened();
    const listen = new URL(url).host;
    await expect(opened({ listen })).rejects.toThrow(
      /is in use\. Choose another with listen \(listen=host:port in an address\)\..*set address \(address=.*load balancer/s,
    );
  });

  it.each(['abc', 'publickeyv1_', 'publickeyv1_0OIl', 'publickeyv1_abc'])(
    'refuses the identity key %s as a mistake in the configuration, before anything is opened [R19-RESTATE-KEYS]',
    (key) => {
      const make = () => restateDispatcher({ url: `restate://one?identity=${key}` });
      expect(make).toThrow(
        expect.objectContaining({
          code: 'CONFIG_INVALID',
          message: expect.stringMatching(/^identityKeys \(identity= in an address\) .* not a public key of Restate/),
        }),
      );
    },
  );

  it('is not open to other machines unless Restate signs its calls or somebody says so [R10-RESTATE-OPEN]', async () => {
    const listen = '0.0.0.0:0';
    await expect(opened({ listen })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(opened({ listen })).rejects.toThrow('Set identityKeys');
    await opened({ listen, open: true });
  });
});
