import type { ForkPoint, Owner } from '../../core/events.js';
import type { NewRun, OpenWait, RunRecord, RunStatus, StoredEntry, StoredMessage } from '../../ports/engine.js';

/** What the memory engine keeps of one run. Journals only ever grow at their end: nothing is copied to append. */
export interface MemoryRun {
  readonly order: number;
  readonly id: string;
  readonly agent: string;
  readonly tenant: string;
  readonly subject: string;
  readonly createdAt: number;
  readonly fork: ForkPoint | undefined;
  readonly source: string | undefined;
  readonly journals: Map<number, StoredEntry[]>;
  /** Messages nobody has taken yet. */
  inbox: StoredMessage[];
  /** By token. */
  readonly waits: Map<string, OpenWait>;
  /** Ids of all messages that ever arrived; the last one has this many as its number. */
  readonly delivered: Set<string>;
  /** Numbers of messages that the run has consumed. */
  readonly taken: Set<number>;
  /** Moves with every claim and every release, so that an older number is always stale. */
  fence: number;
  version: string;
  status: RunStatus;
  generation: number;
  updatedAt: number;
  wakeAt: number | undefined;
  waiting: readonly string[];
  crashes: number;
  owner: Owner | undefined;
  leaseUntil: number | undefined;
  aliveAt: number;
  activeMs: number;
  attention: string | undefined;
  code: string | undefined;
  hold: RunRecord['hold'] | undefined;
  signalled: Signalled;
}

/** What arrived since the last claim. `resume` and `cancel` also wake a paused run, which other messages leave alone. */
export type Signalled = 'nothing' | 'messages' | 'resume' | 'cancel';

export function memoryRun(given: NewRun, order: number): MemoryRun {
  return {
    order,
    id: given.id,
    agent: given.agent,
    version: given.version,
    tenant: given.tenant,
    subject: given.subject,
    createdAt: given.createdAt,
    fork: given.fork,
    source: given.source,
    journals: new Map(),
    inbox: [],
    waits: new Map(),
    delivered: new Set(),
    taken: new Set(),
    fence: 0,
    status: 'pending',
    generation: given.first.generation ?? given.first.entries[0]?.generation ?? 0,
    updatedAt: given.createdAt,
    wakeAt: undefined,
    waiting: [],
    crashes: 0,
    owner: undefined,
    leaseUntil: undefined,
    aliveAt: given.createdAt,
    activeMs: 0,
    attention: undefined,
    code: undefined,
    hold: undefined,
    signalled: 'nothing',
  };
}

export function recordOf(run: MemoryRun): RunRecord {
  return {
    id: run.id,
    agent: run.agent,
    version: run.version,
    tenant: run.tenant,
    subject: run.subject,
    status: run.status,
    generation: run.generation,
    createdAt: run.createdAt,
    updatedAt: run.updatedAt,
    waiting: run.waiting,
    crashes: run.crashes,
    activeMs: run.activeMs,
    ...(run.wakeAt === undefined ? {} : { wakeAt: run.wakeAt }),
    ...(run.owner === undefined ? {} : { owner: run.owner }),
    ...(run.leaseUntil === undefined ? {} : { leaseUntil: run.leaseUntil }),
    ...(run.fork === undefined ? {} : { fork: run.fork }),
    ...(run.source === undefined ? {} : { source: run.source }),
    ...(run.attention === undefined ? {} : { attention: run.attention }),
    ...(run.code === undefined ? {} : { code: run.code }),
    ...(run.hold === undefined ? {} : { hold: run.hold }),
  };
}

/** The first entry that cannot stand where it is to stand: after others of its batch, at the end of the journal. */
export function misplaced(
  run: MemoryRun,
  entries: readonly StoredEntry[],
): { readonly entry: StoredEntry; readonly why?: string } | undefined {
  let before: StoredEntry | undefined;
  for (const entry of entries) {
    const last = before?.generation === entry.generation ? before : run.journals.get(entry.generation)?.at(-1);
    const next = last === undefined ? 0 : last.seq + 1;
    if (entry.seq < next) return { entry };
    if (entry.seq > next) return { entry, why: 'does not follow the last entry' };
    before = entry;
  }
  return undefined;
}

/** Whether all of them stand in the journal as they are: they came before. */
export function isWritten(run: MemoryRun, entries: readonly StoredEntry[]): boolean {
  const isThere = (entry: StoredEntry): boolean => {
    const found = run.journals.get(entry.generation)?.[entry.seq];
    return found?.body === entry.body && found.at === entry.at && found.activeMs === entry.activeMs;
  };
  return entries.length > 0 && entries.every(isThere);
}

/** At the end: a journal has no holes. */
export function addEntry(run: MemoryRun, entry: StoredEntry): void {
  const journal = run.journals.get(entry.generation);
  if (journal === undefined) run.journals.set(entry.generation, [entry]);
  else journal.push(entry);
}
