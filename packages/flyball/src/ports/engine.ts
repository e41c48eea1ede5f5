import type { AnnouncedWorker, Announcement } from '../core/announcement.js';
import type { ForkPoint, Owner } from '../core/events.js';
import type { Operation, StoredOperation, Tombstone } from '../core/operations.js';
import type { Stop } from '../core/outcome.js';

/**
 * Where runs live: their records, journals, inboxes and leases. What is not in the journal did not happen.
 * Bodies are opaque text to an engine, of which it changes no character; the runtime encodes and decodes them.
 *
 * Every call says what time it is for the caller. Dates of runs go by that. Leases go by one clock that all owners share:
 * an engine that serves several machines has its own, and one that serves one machine may take the callers' time for it.
 *
 * A write that was cut off may have been made. An engine that cannot find out rejects with STORAGE_UNCERTAIN, and with
 * no other code of storage: those say that nothing was written.
 */
export interface Engine {
  readonly kind: string;
  /**
   * Creates a run with its first entries. Rejects with RUN_EXISTS, and a fork with RUN_NOT_FOUND where its tenant has no
   * run that it was forked from, looked up and written in one transaction. Durable when it resolves.
   */
  create(run: NewRun): Promise<void>;
  /**
   * Takes the run for `owner` under a new fencing number, when it has no owner, its lease is over, or `isGone(owner)`.
   * Whoever decides whose turn it is says so of any owner, `owner` itself included: the number protects the run from the
   * one before.
   * It is asked of the owner that the run is taken from, and what it says holds for that moment: an engine that asks first
   * and writes later writes only while the run still has the number that it asked about, and else asks again.
   * Rejects with JOURNAL_CONFLICT while another owner holds it, and for an `owner` that was declared gone: looked up and
   * written in one transaction. Rejects with RUN_NOT_FOUND for an unknown id.
   * Rejects with ALREADY_TERMINAL when the run has ended (`bounded` has not).
   * Resets `signalled`. When the owner before did not release it, counts `crashes` up, and adds to `activeMs` what that
   * owner may have worked since its last sign of life, its claim or a renewal: see `workedUnseen`.
   */
  claim(runId: string, by: ClaimRequest): Promise<Claim>;
  /**
   * Claims what is due, as `due` finds it and `claim` takes it, in one step: of several that take at once none gets a run
   * of another, and none is refused. What somebody else is just taking is left out. Fewer than the limit does not mean
   * that there is no more; none does, unless others are taking. An owner that was declared gone gets none.
   */
  take(query: DueQuery, by: Taker): Promise<readonly Claim[]>;
  /**
   * Appends a batch: resolves once all of it would survive a crash. Rejects with JOURNAL_CONFLICT, writing none of it,
   * when the claim is stale, a position is taken, or an entry does not follow the one before it: a journal has no holes.
   * A batch whose entries stand at their places already, as they are, was written before: it resolves and changes
   * nothing. Batches of one claim are written in the order in which they are given; those of different claims that are
   * given in one turn share a commit.
   */
  append(claim: Claim, batch: Batch): Promise<void>;
  /**
   * Signs of life: extends the leases, those that are over included, and keeps how long the runs were at work. Answers the
   * run ids whose claim is stale.
   */
  renew(
    signs: readonly SignOfLife[],
    by: { readonly now: number; readonly leaseMs: number },
  ): Promise<readonly string[]>;
  /**
   * Gives the run up and records how it rests. A stale claim is ignored: its successor decides. With `unlessCancelled`, a
   * run that was cancelled under this claim, and has not taken that, is put in line as by `requeue` and not laid to rest:
   * looked up and written in one transaction, because whoever cancels a run at work leaves it to whoever works on it.
   */
  release(claim: Claim, rest: Rest): Promise<void>;

  get(runId: string): Promise<RunRecord | undefined>;
  /** Newest first. Rejects with INPUT_INVALID for a cursor that no page has given out. */
  list(filter: RunFilter): Promise<RunPage>;
  /** How runs stand, counted over all of them. */
  count(): Promise<RunCounts>;
  /** All entries of one generation in order. `from` and `to` are inclusive. An unknown run reads as empty. */
  read(
    runId: string,
    range: { readonly generation: number; readonly from?: number; readonly to?: number },
  ): Promise<readonly StoredEntry[]>;
  /** Contents by hash, of one tenant: what another has stored is not there. A missing hash is absent from the map. */
  blobs(tenant: string, hashes: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The chain of this tenant that ends in `tip`, oldest first; empty when unknown. */
  links(tenant: string, tip: string): Promise<readonly StoredLink[]>;

  /**
   * Puts a message into the run's inbox. `duplicate` when this id was delivered before, also to a run that has ended
   * since. Rejects with RUN_NOT_FOUND and ALREADY_TERMINAL (`bounded` accepts). Makes a suspended run due; a paused one
   * only by `resume` or `cancel`; a bounded or stalled one needs `requeue`. A later `pause` takes a `resume` back, and
   * never a `cancel`: a run that somebody has cancelled does not rest until somebody else resumes it.
   *
   * An `answer` is for the wait whose token is its name, and is stored only while that wait is open and no other answer to
   * it lies in the inbox: looked up and stored in one transaction, so that of two answers exactly one is accepted.
   * Otherwise nothing is stored: `answered`, or `closed` where there is no such open wait.
   */
  post(runId: string, message: InboxMessage): Promise<Posted>;
  /** All waits of a run that are open, in the order in which they were opened. */
  waits(runId: string): Promise<readonly OpenWait[]>;
  /** Messages not yet taken, in order of arrival, from number `after` on (exclusive). */
  inbox(runId: string, after: number): Promise<readonly StoredMessage[]>;
  /**
   * Puts a resting run (suspended, paused, bounded, stalled) back in line, so that a worker picks it up, and forgets its
   * crashes: somebody has decided that it is to go on. Does nothing to a pending or running one. Rejects with
   * RUN_NOT_FOUND and ALREADY_TERMINAL.
   */
  requeue(runId: string): Promise<void>;

  /**
   * Says which agents a worker runs, at which versions, and for how long it counts as alive, by the clock of leases.
   * Replaces what it said before. For no time at all: it withdraws. Holds for a day at most.
   */
  announce(worker: Announcement, by: { readonly now: number; readonly forMs: number }): Promise<void>;
  /** Workers that count as alive. What no worker can have announced is passed over: see `readAnnouncement`. */
  workers(now: number): Promise<readonly AnnouncedWorker[]>;
  /**
   * Runs a worker can claim now: those whose owner's lease is over or is gone, new ones, due timers and messages. Tenants
   * take turns, so that one with many runs does not hold up the others: no tenant gets a run more than another that still
   * has some. Of one tenant, those that wait longest go first.
   */
  due(query: DueQuery): Promise<readonly string[]>;
  /**
   * Runs that any worker could have claimed for at least `forMs` and none has, page by page, those first that have waited
   * longest. Tenants do not take turns. It is for those who hand runs on without claiming them: `due` would name the same
   * ones to them each time. A message counts from when it was sent, a timer from its date, a lease from its end. A page
   * with runs has a cursor, behind which whatever becomes due later comes as well. Rejects with INPUT_INVALID for a cursor
   * that no page has given out.
   */
  overdue(query: OverdueQuery): Promise<RunPage>;
  /** What stands in line: runs that could be claimed now, but for those whose owner is only known to be gone. */
  queue(now: number): Promise<readonly QueueLine[]>;
  /** The next time after `now` at which `due` may grow by itself, in the caller's time: a timer or the end of a lease. */
  nextDue(now: number): Promise<number | undefined>;
  /**
   * Calls back with the run, at least once, after anything was posted, requeued, created or released to stand in line
   * here. After another process posted to a run that is owned too, with the run, or without one where it may have been
   * any. Of what else others do it tells where it can: workers look as well. Returns how to stop.
   */
  watch(listener: (runId?: string) => void): () => void;

  /**
   * Puts a run under a legal hold, or lets go of it: while it is held, it is not removed. Recorded among the operations in
   * the same commit. Rejects with RUN_NOT_FOUND. A run that is as it is to be is left alone, and nothing is recorded.
   */
  hold(runId: string, change: HoldChange): Promise<void>;
  /**
   * Takes a run that has ended out of storage, its messages included, and leaves what the operation says of it. Its id is
   * taken for ever: `create` rejects with RUN_EXISTS. Rejects with RUN_NOT_FOUND, and with RUN_KEPT, changing nothing,
   * while the run is held, has not ended, or a fork of it is there, and where its status and the time of its last change
   * are not those of the tombstone: it went on after somebody decided that it goes. Looked up and written in one
   * transaction. A run of another tenant is no fork of it, whatever its row says.
   */
  remove(runId: string, operation: Operation & { readonly tombstone: Tombstone }): Promise<void>;
  /**
   * Puts a run back that had ended when it was taken out, as it was. Recorded among the operations in the same commit.
   * Rejects with RUN_EXISTS, changing nothing, where it is there, or was pruned or erased, which is for good; with
   * INPUT_INVALID for one that has not ended; and a fork, as `create` does, with RUN_NOT_FOUND where its tenant has no run
   * that it was forked from, looked up and written in one transaction.
   */
  restore(run: WholeRun, operation: Operation): Promise<void>;
  /** Takes contents and links out of storage that no entry refers to. `referencesIn` names what a body may refer to. */
  collect(referencesIn: (body: string) => Iterable<string>): Promise<Collected>;
  /**
   * Bytes that go with each of these runs when they are removed in this order: its journal, and the contents and links
   * that none of the later ones refers to.
   */
  weigh(
    runIds: readonly string[],
    referencesIn: (body: string) => Iterable<string>,
  ): Promise<ReadonlyMap<string, number>>;
  size(): Promise<StorageSize>;
  /**
   * An operator vouches that an owner is gone, where no process can prove it: its leases are over since then and its claims
   * stale, it is among `goneOwners` from here on, and it can claim nothing any more. A process that is alive after all goes
   * on under another id: what it does then is not done by an owner that counts as dead. Answers the runs it held. Recorded
   * among the operations.
   */
  declareGone(operation: Operation): Promise<readonly string[]>;
  goneOwners(): Promise<readonly string[]>;
  /** What operators did, oldest first: all of it, or what was done to one run. */
  operations(of?: string): Promise<readonly StoredOperation[]>;
  close(): Promise<void>;
}

/**
 * A run that has ended, with all that belongs to it. What was said to it and never heard is not part of it, and nobody
 * counts its crashes any more.
 */
export interface WholeRun {
  readonly record: RunRecord;
  /** Of all generations, in order. */
  readonly entries: readonly StoredEntry[];
  readonly blobs: readonly (readonly [hash: string, content: string])[];
  /** Parents first. */
  readonly links: readonly StoredLink[];
}

/** Runs by status, and open requests. */
export interface RunCounts {
  /** Runs by status; what there are none of is absent. */
  readonly byStatus: Readonly<Partial<Record<RunStatus, number>>>;
  /** Open waits that ask a person, and when the oldest of them was opened. */
  readonly asked: number;
  readonly oldestAsked?: number;
  readonly held: number;
}

/** A legal hold that is set or cleared. */
export interface HoldChange {
  readonly hold: boolean;
  readonly by: string;
  readonly why?: string;
  readonly at: number;
}

/** How much unused content was removed. */
export interface Collected {
  readonly contents: number;
  readonly links: number;
}

/** The size of the database and its log. */
export interface StorageSize {
  readonly bytes: number;
  /** Of a log that is not yet part of it, where there is one. */
  readonly logBytes: number;
  /** Of `bytes`, those that are free to be used again. */
  readonly freeBytes: number;
}

/** The status of a run. */
export type RunStatus = Exclude<Stop, 'suspended'> | 'pending' | 'running' | 'suspended' | 'paused' | 'stalled';

/** A run to create. */
export interface NewRun {
  readonly id: string;
  readonly agent: string;
  /** Of the code that is to begin it. For a fork: of its parent, since that code fits what it inherits. */
  readonly version: string;
  readonly tenant: string;
  readonly subject: string;
  readonly createdAt: number;
  readonly fork?: ForkPoint;
  /** Where a command line finds the agent again: a module path, say. */
  readonly source?: string;
  /** Whoever creates it does not claim it: those who watch are told. */
  readonly inLine?: boolean;
  readonly first: Batch;
}

/** A run as the engine stores it: its agent, owner and status. */
export interface RunRecord {
  readonly id: string;
  readonly agent: string;
  /** The version of the code that last continued the run. Its journal fits that code. */
  readonly version: string;
  /** The record is not what was written, and nobody knows whose run it is: tenant and subject are empty. */
  readonly damaged?: true;
  readonly tenant: string;
  readonly subject: string;
  readonly status: RunStatus;
  readonly generation: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly wakeAt?: number;
  /** Names of the signals it waits for. */
  readonly waiting: readonly string[];
  readonly crashes: number;
  /** How long it had been at work when its owner last said so. The journal may know of more. */
  readonly activeMs: number;
  readonly owner?: Owner;
  /** By the clock of leases. */
  readonly leaseUntil?: number;
  readonly fork?: ForkPoint;
  readonly source?: string;
  /** Why it is stalled. */
  readonly attention?: string;
  /** Which failure stalled or ended it, or at which bound it stands. */
  readonly code?: string;
  /** Somebody has put it under a legal hold, and why. */
  readonly hold?: { readonly by: string; readonly at: number; readonly why?: string };
}

/** Which runs to list. */
export interface RunFilter {
  readonly tenant?: string;
  readonly subject?: string;
  readonly agent?: string;
  readonly status?: RunStatus;
  readonly code?: string;
  /** Only runs that were last changed before this time. */
  readonly before?: number;
  readonly limit?: number;
  readonly cursor?: string;
}
/** A page of runs. */
export interface RunPage {
  /** In the order of the list that it is from. */
  readonly runs: readonly RunRecord[];
  readonly cursor?: string;
}

/** Who takes a run, and for how long before it has to give a sign of life. */
export interface Taker {
  readonly owner: Owner;
  readonly leaseMs: number;
}

/** A request to own a run. */
export interface ClaimRequest extends Taker {
  readonly now: number;
  readonly isGone: (owner: Owner) => boolean;
}

/**
 * The right to write to a run. It is stale once the run was released, somebody took it, or its owner was declared gone: the
 * end of the lease alone takes nothing from it.
 */
export interface Claim {
  readonly runId: string;
  readonly fence: number;
  /** The run as it stands under this claim: running, its crashes counted. */
  readonly record: RunRecord;
  /** How it stood before. */
  readonly was: RunStatus;
  /** The owner that left the run without releasing it. */
  readonly previous?: Owner;
}

/** Renews the lease of a run. */
export interface SignOfLife {
  readonly claim: Claim;
  readonly activeMs: number;
}

/** Entries that are written together, with their contents. */
export interface Batch {
  readonly entries: readonly StoredEntry[];
  /** Contents and links belong to the tenant of the run. */
  readonly blobs?: readonly (readonly [hash: string, content: string])[];
  readonly links?: readonly StoredLink[];
  /** Numbers of the inbox messages that this batch consumes: they leave the inbox in the same commit. */
  readonly taken?: readonly number[];
  /** Waits that this batch opens, and tokens of those that it closes. One that is open already stays so at the new place. */
  readonly opened?: readonly OpenWait[];
  readonly closed?: readonly string[];
  /** The run moves on to this generation with this batch. */
  readonly generation?: number;
  /** This batch is progress: the crash counter starts again. */
  readonly progress?: boolean;
  /** Code of this version fits the journal and continues the run, which is of that version from here on. */
  readonly version?: string;
}

/** An entry as an engine stores it. */
export interface StoredEntry {
  readonly generation: number;
  readonly seq: number;
  readonly at: number;
  readonly activeMs: number;
  readonly body: string;
}

/**
 * One link of a prompt chain: header text, and its content inline or as the hash of a blob. What it refers to was stored
 * before for the same tenant or comes with the same batch, parents first; otherwise the batch is refused with
 * INPUT_INVALID.
 */
export interface StoredLink {
  readonly id: string;
  readonly parent: string | undefined;
  readonly header: string;
  readonly content?: string;
  readonly blob?: string;
}

/** The state of a run when its owner releases it. */
export type Rest = RestingState & {
  readonly now: number;
  /** How long it has been at work. Absent: nobody has worked on it under this claim. */
  readonly activeMs?: number;
  /** Where a cancellation lies in its inbox, the run goes in line. For `bounded` and `stalled`, which nothing else wakes. */
  readonly unlessCancelled?: true;
};

/** How a run rests. */
export type RestingState =
  | { readonly status: 'suspended'; readonly wakeAt?: number; readonly waiting: readonly string[] }
  | { readonly status: 'paused' }
  /** `inLine`: others may go on with it at once, and those who watch are told. */
  | { readonly status: 'pending'; readonly inLine?: boolean }
  | { readonly status: 'stalled'; readonly attention: string; readonly code?: string }
  | { readonly status: Exclude<Stop, 'suspended'>; readonly code?: string };

/** A message to a run. */
export interface InboxMessage {
  readonly id: string;
  readonly kind: 'signal' | 'answer' | 'cancel' | 'pause' | 'resume' | 'redirect';
  /** For signals: the name or the token of the wait. For answers: the token. */
  readonly name: string;
  readonly from: string;
  /** Of a message of another run: who asked for it. They count as its senders, and `from` does not. */
  readonly askers?: readonly string[];
  readonly at: number;
  readonly body: string;
}
/** A message with its number. */
export interface StoredMessage extends InboxMessage {
  readonly number: number;
}

/** What became of a message. */
export type Posted = 'accepted' | 'duplicate' | 'answered' | 'closed';

/** A wait that somebody can answer: its token, and the entry that opened it. */
export interface OpenWait {
  readonly token: string;
  readonly generation: number;
  readonly seq: number;
  /** It asks a person: an approval, a question or a doubt. */
  readonly asked: boolean;
  /** When it was opened. */
  readonly since: number;
}

export type { AnnouncedWorker, Announcement };

/** Runs of one tenant, agent and version that stand in line. */
export interface QueueLine {
  readonly tenant: string;
  readonly agent: string;
  readonly version: string;
  readonly runs: number;
  /** Since when the first of them could be claimed. */
  readonly since: number;
}

/** Which runs a worker looks for. */
export interface DueQuery {
  readonly now: number;
  readonly limit: number;
  readonly agents: readonly string[];
  /** Runs of these versions are left to a worker that has them. */
  readonly except?: readonly { readonly agent: string; readonly version: string }[];
  /** Of these the time has not come, whatever date they were to wake at: only a message makes them due. */
  readonly asleep?: readonly string[];
  /** The tenant whose turn was last: the one after it, by name, comes first. */
  readonly after?: string;
  /** Only these runs. */
  readonly only?: readonly string[];
  /** These are with the asker, whatever became of their leases: they are left out. */
  readonly here?: readonly string[];
  /** Only runs that would have that many crashes under a new claim: at least `from`, fewer than `below`. */
  readonly crashes?: { readonly from?: number; readonly below?: number };
  readonly isGone: (owner: Owner) => boolean;
}

/** Which runs nobody has claimed for a while. */
export interface OverdueQuery {
  readonly now: number;
  readonly forMs: number;
  readonly agents: readonly string[];
  readonly limit: number;
  /** Only those behind the last run of another page. */
  readonly cursor?: string;
}
