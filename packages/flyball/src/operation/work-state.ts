import type { Owner } from '../core/events.js';
import type { AnnouncedWorker, Engine, QueueLine, RunRecord } from '../ports/engine.js';
import { everyRun } from './every-run.js';

/** A run that somebody holds. */
export type HeldRun = Pick<RunRecord, 'id' | 'agent' | 'version' | 'tenant' | 'leaseUntil'>;

/** A process that works on runs, or holds some. */
export interface WorkingProcess {
  readonly owner: Pick<Owner, 'id' | 'host' | 'pid'>;
  /**
   * `working`; `draining`: it takes no more; `silent`: it holds runs and has said nothing for the length of a lease, or
   * takes none by itself.
   */
  readonly state: 'working' | 'draining' | 'silent';
  /** Versions by agent. */
  readonly agents: Readonly<Record<string, string>>;
  readonly since?: number;
  readonly weight?: number;
  readonly concurrency?: number;
  readonly held: readonly HeldRun[];
}

/** A part of the line, and whether anybody is there for it. */
export interface WaitingLine extends QueueLine {
  /** A worker has this agent. Otherwise nobody goes on with these runs. */
  readonly isServed: boolean;
}

/** Who works on what, and what waits. */
export interface WorkState {
  readonly processes: readonly WorkingProcess[];
  readonly queue: readonly WaitingLine[];
}

/** Over all tenants. */
export async function workState(engine: Pick<Engine, 'workers' | 'queue' | 'list'>, now: number): Promise<WorkState> {
  const [announced, queue] = await Promise.all([engine.workers(now), engine.queue(now)]);
  const workers = announced.filter(({ requests }) => requests === undefined);
  const held = new Map<string, RunRecord[]>();
  for await (const run of everyRun(engine, { status: 'running' })) {
    if (run.owner === undefined) continue;
    const others = held.get(run.owner.id);
    if (others === undefined) held.set(run.owner.id, [run]);
    else others.push(run);
  }
  const byOwner = new Map<string, AnnouncedWorker[]>();
  for (const worker of workers) byOwner.set(worker.owner.id, [...(byOwner.get(worker.owner.id) ?? []), worker]);
  const ids = [...new Set([...byOwner.keys(), ...held.keys()])];
  const processes = ids.flatMap((id) => processOf(byOwner.get(id) ?? [], held.get(id) ?? []));
  const served = new Set(processes.flatMap(({ agents }) => Object.keys(agents)));
  return {
    processes: processes.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
    queue: queue.map((line) => ({ ...line, isServed: served.has(line.agent) })),
  };
}

/** One process may have a worker for each group of agents. */
function processOf(workers: readonly AnnouncedWorker[], held: readonly RunRecord[]): readonly WorkingProcess[] {
  const owner = workers[0]?.owner ?? held[0]?.owner;
  if (owner === undefined) return [];
  const { id, host, pid } = owner;
  const sum = workers.reduce((all, { concurrency = 0 }) => all + concurrency, 0);
  const begun = Math.min(...workers.map(({ since = Number.POSITIVE_INFINITY }) => since));
  return [
    {
      owner: { id, host, pid },
      state: stateOf(workers),
      agents: Object.assign({}, ...workers.map(({ agents }) => agents)) as Readonly<Record<string, string>>,
      ...(Number.isFinite(begun) ? { since: begun } : {}),
      ...(workers.length === 0 ? {} : { weight: Math.max(...workers.map(({ weight = 1 }) => weight)) }),
      ...(sum > 0 && Number.isFinite(sum) ? { concurrency: sum } : {}),
      held: held.map(({ id: run, agent, version, tenant, leaseUntil }) => ({
        id: run,
        agent,
        version,
        tenant,
        ...(leaseUntil === undefined ? {} : { leaseUntil }),
      })),
    },
  ];
}

function stateOf(workers: readonly AnnouncedWorker[]): WorkingProcess['state'] {
  if (workers.length === 0) return 'silent';
  return workers.every(({ draining }) => draining === true) ? 'draining' : 'working';
}

function nameOf({ owner: { host, pid } }: WorkingProcess): string {
  return `${host} ${String(pid).padStart(10)}`;
}
