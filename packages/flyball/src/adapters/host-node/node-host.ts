import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Owner } from '../../core/events.js';
import type { Host } from '../../ports/host.js';
import { hasNoProcess, readBootId, readPidNamespace, readStatus } from './process-status.js';

/** The machine this process runs on. Each call creates a separate owner of runs, even within one process. */
export function nodeHost(): Host {
  const pidNamespace = readPidNamespace();
  const self: Owner = {
    id: `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`,
    host: hostname(),
    bootId: readBootId() ?? '',
    pid: process.pid,
    startTime: readStatus(process.pid)?.startTime ?? '',
    ...(pidNamespace === undefined ? {} : { pidNamespace }),
  };
  return { owner: () => self, isGone: (owner) => isProvenGone(owner, self) };
}

/** What can be seen of an owner from here: one on another machine, or in another container, cannot be. */
export function sightOf(owner: Owner): 'alive' | 'gone' | 'unknown' {
  const host = nodeHost();
  const self = host.owner();
  if (host.isGone(owner)) return 'gone';
  const isHere = owner.host === self.host && owner.bootId === self.bootId && owner.pidNamespace === self.pidNamespace;
  return isHere && owner.startTime !== '' && readStatus(owner.pid)?.startTime === owner.startTime ? 'alive' : 'unknown';
}

/** Whatever is left unsaid by the system counts as alive: a wrong yes here would repeat a side effect. */
function isProvenGone(owner: Owner, self: Owner): boolean {
  if (owner.host !== self.host || !Number.isInteger(owner.pid) || owner.pid <= 0) return false;
  if (owner.bootId !== '' && self.bootId !== '' && owner.bootId !== self.bootId) return true;
  if (owner.bootId !== self.bootId || owner.pidNamespace !== self.pidNamespace) return false;
  const status = readStatus(owner.pid);
  // without an entry the process may only be hidden from this user, so the system is asked as well
  if (status === undefined) return hasNoProcess(owner.pid);
  return status.isDead || (owner.startTime !== '' && status.startTime !== owner.startTime);
}
