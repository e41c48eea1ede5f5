import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import type { Owner } from '../../core/events.js';
import { nodeHost, sightOf } from './node-host.js';
import { parseStat, readStatus } from './process-status.js';

const host = nodeHost();
const self = host.owner();
const isLinux = process.platform === 'linux';

it('does not take this process for gone', () => {
  expect(host.isGone(self)).toBe(false);
  expect(host.owner()).toBe(self);
});

it('gives every host an owner id of its own, as two runtimes in one process are two owners', () => {
  expect(nodeHost().owner().id).not.toBe(self.id);
});

it('knows a process that was killed and reaped as gone, and not before [R2-DOUBT-GONE]', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log("up")']);
  await once(child.stdout, 'data');
  const owner: Owner = {
    ...self,
    id: 'child',
    pid: child.pid ?? 0,
    startTime: readStatus(child.pid ?? 0)?.startTime ?? '',
  };
  expect(host.isGone(owner)).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(host.isGone(owner)).toBe(true);
});

it('takes a stopped process for alive: it can wake up and act [R2-DOUBT-GONE]', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log("up")']);
  await once(child.stdout, 'data');
  const owner: Owner = {
    ...self,
    id: 'child',
    pid: child.pid ?? 0,
    startTime: readStatus(child.pid ?? 0)?.startTime ?? '',
  };
  child.kill('SIGSTOP');
  expect(host.isGone(owner)).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
});

it.runIf(isLinux)('knows a recycled pid by its start time', () => {
  expect(host.isGone({ ...self, startTime: '1' })).toBe(true);
});

it.runIf(isLinux)('knows that no process survives a reboot of the same host', () => {
  expect(host.isGone({ ...self, bootId: '00000000-0000-0000-0000-000000000000' })).toBe(true);
});

it.runIf(isLinux)('proves nothing about another host, another container, or an owner without a boot id', () => {
  const gone = { ...self, pid: 2 ** 22 + 1, startTime: '1' };
  expect(host.isGone(gone)).toBe(true);
  expect(host.isGone({ ...gone, host: 'elsewhere' })).toBe(false);
  expect(host.isGone({ ...gone, pidNamespace: 'pid:[1]' })).toBe(false);
  expect(host.isGone({ ...gone, bootId: '' })).toBe(false);
  expect(host.isGone({ ...gone, pid: 0 })).toBe(false);
});

it('reads the status of a process whose name holds spaces and brackets', () => {
  const rest = (state: string, threads: number) =>
    `42 (a) b (c) ${state} 1 42 42 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 ${threads} 0 987654 100 200`;
  expect(parseStat(rest('S', 11))).toEqual({ startTime: '987654', isDead: false });
  expect(parseStat(rest('Z', 1))).toEqual({ startTime: '987654', isDead: true });
  expect(parseStat(rest('Z', 3))?.isDead).toBe(false); // its other threads are still finishing
  expect(parseStat('')).toBeUndefined();
});

it.runIf(isLinux)(
  'sees a process of this machine as alive or gone, and says so where it cannot see [R8-REST-OWNER]',
  () => {
    expect(sightOf(self)).toBe('alive');
    expect(sightOf({ ...self, startTime: '1' })).toBe('gone');
    expect(sightOf({ ...self, host: 'elsewhere' })).toBe('unknown');
    expect(sightOf({ ...self, pidNamespace: 'pid:[1]' })).toBe('unknown');
  },
);
