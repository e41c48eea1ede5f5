import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { type LedgerServer, ledgerServer } from './ledger-server.js';

let server: LedgerServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

it('records effects in a process of its own, doubled ones too', async () => {
  server = await ledgerServer();
  expect(server.pid).not.toBe(process.pid);
  await server.record('k/1', { paid: 12 });
  expect(await server.record('k/1', { paid: 12 })).toEqual({ recorded: true });
  expect(await server.effects()).toEqual([
    { key: 'k/1', what: { paid: 12 } },
    { key: 'k/1', what: { paid: 12 } },
  ]);
});

it('answers whether an effect happened', async () => {
  server = await ledgerServer();
  await server.record('/plan#1?x', 'sent');
  expect(await server.effect('/plan#1?x')).toEqual({ key: '/plan#1?x', what: 'sent' });
  expect(await server.effect('other')).toBeUndefined();
});

it('honors keys where a request asks for it, or where the server does so for all', async () => {
  server = await ledgerServer({ dedupe: true });
  await server.record('k', 1);
  expect(await server.record('k', 2)).toEqual({ recorded: false });
  expect(await server.record('k', 3, { dedupe: false })).toEqual({ recorded: true });
  expect((await server.effects()).map(({ what }) => what)).toEqual([1, 3]);
});

it('says what is wrong with a request', async () => {
  server = await ledgerServer();
  const response = await fetch(`${server.url}/effect`, { method: 'POST', body: '{"key":7}' });
  expect([response.status, await response.json()]).toEqual([400, { problem: 'key must be a string' }]);
});

it('keeps what a process did that was killed right after', async () => {
  server = await ledgerServer();
  const agent = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    `await fetch('${server.url}/effect', { method: 'POST', body: '{"key":"last","what":1}' }); process.kill(process.pid, 'SIGKILL')`,
  ]);
  const [, signal] = await once(agent, 'exit');
  expect(signal).toBe('SIGKILL');
  expect(await server.effects()).toEqual([{ key: 'last', what: 1 }]);
});

it('ends with its stdin, which closes with the process that started it', async () => {
  server = await ledgerServer();
  const { pid, url } = server;
  await server.close();
  server = undefined;
  expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
  await expect(fetch(url)).rejects.toThrow();
});
