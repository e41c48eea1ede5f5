import type { Owner } from '../core/events.js';
import type { AnnouncedWorker, Engine, QueueLine, RunRecord } from '../ports/engine.js';
import { DEFAULTS } from '../runtime/options.js';
import { everyRun } from './every-run.js';

/** A run that somebody holds. */
export type HeldRun = Pick<RunRecord, 'id' | 'agent' | 'version' | 'tenant' | 'leaseUntil'>;

/** A process that works on runs, or holds some. */
export interface WorkingProcess {
  readonly owner: Pick<Owner, 'id' | 'host' | 'pid'>;
  /**
   * `working`; `draining`: it takes no more; `silent`: it holds runs and has said nothing for the length of a lease, or
   * takes none by itself; `gone`: that is proven or was declared, and its runs are in line.
   */
  readonly state: 'working' | 'draining' | 'silent' | 'gone';
  /** When the last lease ended of one that is silent and no longer renews them. */
  readonly silentSince?: number;
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

/** Who is there, and what waits. */
export interface WorkCount {
  readonly workers: readonly AnnouncedWorker[];
  readonly queue: readonly QueueLine[];
}

/** Storage, and what it does not know: what time it is here, and who can be seen from here to be gone. */
export type WorkView = Pick<Engine, 'workers' | 'queue' | 'list' | 'goneOwners'>;
export interface Observer {
  readonly now: number;
  readonly isGone: (owner: Owner) => boolean;
}

/** Over all tenants. Reads the runs at work only where a worker is gone that still counts as alive in storage. */
export async function workCount(engine: WorkView, by: Observer): Promise<WorkCount> {
  const { workers, queue, isGone } = await look(engine, by);
  const alive = workers.filter(({ owner }) => !isGone(owner));
  if (alive.length === workers.length) return { workers: alive, queue };
  const held = await heldRuns(engine);
  return { workers: alive, queue: withLeft(queue, leftIn(held, isGone), by.now) };
}

/** Over all tenants. */
export async function workState(engine: WorkView, by: Observer): Promise<WorkState> {
  const { workers, queue: line, isGone } = await look(engine, by);
  const held = await heldRuns(engine);
  const queue = withLeft(line, leftIn(held, isGone), by.now);
  const byOwner = new Map<string, AnnouncedWorker[]>();
  for (const worker of workers) byOwner.set(worker.owner.id, [...(byOwner.get(worker.owner.id) ?? []), worker]);
  const ids = [...new Set([...byOwner.keys(), ...held.keys()])];
  const processes = ids.flatMap((id) => processOf(byOwner.get(id) ?? [], held.get(id) ?? [], { now: by.now, isGone }));
  const served = new Set(processes.flatMap(({ state, agents }) => (state === 'gone' ? [] : Object.keys(agents))));
  return {
    processes: processes.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
    queue: queue.map((line) => ({ ...line, isServed: served.has(line.agent) })),
  };
}

type Held = ReadonlyMap<string, readonly RunRecord[]>;

async function look(engine: WorkView, { now, isGone }: Observer) {
  const [announced, queue, declared] = await Promise.all([engine.workers(now), engine.queue(now), engine.goneOwners()]);
  const gone = new Set(declared);
  return {
    workers: announced.filter(({ requests }) => requests === undefined),
    queue,
    isGone: (owner: Owner): boolean => gone.has(owner.id) || isGone(owner),
  };
}

/** By owner. */
async function heldRuns(engine: Pick<Engine, 'list'>): Promise<Held> {
  const held = new Map<string, RunRecord[]>();
  for await (const run of everyRun(engine, { status: 'running' })) {
    if (run.owner === undefined) continue;
    const others = held.get(run.owner.id);
    if (others === undefined) held.set(run.owner.id, [run]);
    else others.push(run);
  }
  return held;
}

function leftIn(held: Held, isGone: (owner: Owner) => boolean): readonly RunRecord[] {
  return [...held.values()].filter(([run]) => run?.owner !== undefined && isGone(run.owner)).flat();
}

/** Storage does not count what somebody still has a lease on, though any worker here takes it at once. */
function withLeft(queue: readonly QueueLine[], left: readonly RunRecord[], now: number): readonly QueueLine[] {
  const lines = new Map(queue.map((line) => [lineOf(line), line]));
  for (const run of left) {
    if ((run.leaseUntil ?? 0) <= now) continue; // it is in the queue
    const { tenant, agent, version } = run;
    const since = Math.min(now, leftAt(run));
    const line = lines.get(lineOf(run)) ?? { tenant, agent, version, runs: 0, since };
    lines.set(lineOf(run), { ...line, runs: line.runs + 1, since: Math.min(line.since, since) });
  }
  return [...lines.values()];
}

function isOver({ leaseUntil }: RunRecord, now: number): boolean {
  return leaseUntil !== undefined && leaseUntil <= now;
}

/** Nobody saw the owner die: its last sign of life is what it wrote last, or the last time that it renewed its lease. */
function leftAt({ updatedAt, leaseUntil = 0 }: RunRecord): number {
  return Math.max(updatedAt, leaseUntil - DEFAULTS.leaseMs);
}

function lineOf({ tenant, agent, version }: Pick<QueueLine, 'tenant' | 'agent' | 'version'>): string {
  return JSON.stringify([tenant, agent, version]);
}

/** One process may have a worker for each group of agents. One that is gone is of interest for what it left. */
function processOf(
  workers: readonly AnnouncedWorker[],
  held: readonly RunRecord[],
  { now, isGone }: Observer,
): readonly WorkingProcess[] {
  const owner = workers[0]?.owner ?? held[0]?.owner;
  if (owner === undefined || (held.length === 0 && isGone(owner))) return [];
  const { id, host, pid } = owner;
  const sum = workers.reduce((all, { concurrency = 0 }) => all + concurrency, 0);
  const begun = Math.min(...workers.map(({ since = Number.POSITIVE_INFINITY }) => since));
  const state = isGone(owner) ? 'gone' : stateOf(workers);
  return [
    {
      owner: { id, host, pid },
      state,
      ...(state === 'silent' && held.every((run) => isOver(run, now))
        ? { silentSince: Math.max(...held.map(({ leaseUntil = 0 }) => leaseUntil)) }
        : {}),
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

/** `desk 2, research 1`: an agent is run under several names (`desk:chat`), which say nothing more to a person. */
export function agentFamilies(agents: Readonly<Record<string, string>>): readonly string[] {
  const names = Object.entries(agents).filter(
    ([name, version]) => !name.includes(':') || agents[name.slice(0, name.indexOf(':'))] !== version,
  );
  return names.map(([name, version]) => `${name} ${version}`);
}
