import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Driver } from 'flyball';
import { describe, expect, it, onTestFinished } from 'vitest';
import { restateDispatcher } from './dispatcher.js';

const driver = { agents: ['desk'], has: () => false, overdue: async () => ({ runs: [] }) } as unknown as Driver;

it('can be called once Restate has accepted it, and from then on [R10-RESTATE-READY]', async () => {
  let status = 500;
  const restate = createServer((_, answer) => answer.writeHead(status).end('{}')).listen(0, '127.0.0.1');
  await once(restate, 'listening');
  const url = `http://127.0.0.1:${(restate.address() as AddressInfo).port}`;
  const problems: unknown[] = [];
  const dispatcher = restateDispatcher({
    url,
    admin: url,
    listen: '127.0.0.1:0',
    onProblem: (error) => problems.push(error),
  });
  onTestFinished(async () => {
    await dispatcher.close();
    restate.close();
  });
  expect(dispatcher.isCallable?.()).toBe(true); // it works on nothing, and nobody has to call it
  const leave = dispatcher.attend(driver);
  await dispatcher.ready();
  expect(dispatcher.isCallable?.()).toBe(false);
  expect(problems).toHaveLength(1);
  status = 201;
  await expect.poll(() => dispatcher.isCallable?.()).toBe(true);
  status = 500;
  restate.closeAllConnections();
  expect(dispatcher.isCallable?.()).toBe(true);
  leave();
});

describe('whoever answers where Restate is expected', () => {
  const seen: (string | undefined)[] = [];
  let sent = 0;
  const opened = async (answer: RequestListener): Promise<{ url: string; problems: Error[] }> => {
    const elsewhere = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    const there = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
    const server = createServer((request, response) => {
      request.resume();
      response.setHeader('location', there);
      answer(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const problems: Error[] = [];
    const onProblem = (error: unknown) => void problems.push(error as Error);
    const dispatcher = restateDispatcher({ url, admin: url, token: 'SECRET', listen: '127.0.0.1:0', onProblem });
    onTestFinished(async () => {
      server.closeAllConnections();
      await dispatcher.close();
      for (const one of [server, elsewhere]) one.close();
    });
    dispatcher.attend(driver);
    await dispatcher.ready();
    await dispatcher.dispatch('run_1');
    return { url, problems };
  };

  it('sends nobody and no token elsewhere [R19-RESTATE-ANSWERS]', async () => {
    const { problems } = await opened((_, response) => response.writeHead(307).end());
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('redirects are not followed'),
      expect.stringContaining('redirects are not followed'),
    ]);
    expect(seen).toEqual([]);
  });

  it('does not get the token into our messages by repeating it [R19-RESTATE-ECHO]', async () => {
    const { problems } = await opened((request, response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ message: `bad ${JSON.stringify(request.headers)}` }));
    });
    expect(problems.length).toBeGreaterThan(0);
    for (const { message } of problems) expect(message).not.toContain('SECRET');
    expect(problems.map(({ message }) => message).join()).toContain('Bearer [secret removed]');
  });

  it('is not listened to without end [R19-RESTATE-ANSWERS]', async () => {
    const chunk = Buffer.alloc(256 * 1024, 97);
    const { problems } = await opened((_, response) => {
      const more = (): void => {
        while (!response.destroyed && sent < 2 ** 28) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('more than 1048576 bytes'),
      expect.stringContaining('more than 1048576 bytes'),
    ]);
    expect(sent).toBeLessThan(2 ** 27);
  });
});

it('says once at the start that Restate does not answer, also where it works on no runs [R19-RESTATE-AWAY]', async () => {
  const problems: string[] = [];
  const dispatcher = restateDispatcher({
    url: 'restate://127.0.0.1:1',
    onProblem: (error) => problems.push((error as Error).message),
  });
  await dispatcher.ready();
  await dispatcher.close();
  expect(problems).toEqual([
    expect.stringMatching(/^Restate at http:\/\/127\.0\.0\.1:1 does not answer .*Check the address/),
  ]);
});

it('says in one sentence what it waits for when nobody answers at the admin API, and what was refused [R19-RESTATE-LOG]', async () => {
  const refusing = createServer((_, answer) => answer.writeHead(500).end('no room')).listen(0, '127.0.0.1');
  await once(refusing, 'listening');
  const there = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`;
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const nobody = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`;
  closed.close();
  await once(closed, 'close');
  for (const [admin, says] of [
    [
      nobody,
      `Restate's admin API at ${nobody} does not respond (ECONNREFUSED). Check that Restate is running, or set admin. Trying again.`,
    ],
    [there, `Restate at ${there} did not accept the worker at http://one:9080: 500 no room. Trying again.`],
  ]) {
    const problems: unknown[] = [];
    const dispatcher = restateDispatcher({
      url: 'restate://127.0.0.1:1',
      admin: admin ?? '',
      listen: '127.0.0.1:0',
      address: 'http://one:9080',
      onProblem: (error, doing) => problems.push([doing, (error as Error).message]),
    });
    dispatcher.attend(driver);
    await dispatcher.ready();
    expect(problems).toEqual([['', says]]);
    await dispatcher.close();
  }
  refusing.close();
});
