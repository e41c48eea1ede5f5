import type { Clock, Engine, Host, Store } from 'flyball';
import type { ApprovalInbox } from 'flyball/people';
import type { ApiKeys } from './access/api-keys.js';
import type { CursorSeal } from './access/cursor-seal.js';
import type { Spending } from './access/spending.js';
import type { AgentDirectory } from './agents/agent-directory.js';
import type { Backlog } from './agents/backlog.js';
import type { Contents } from './agents/contents.js';
import type { Fleet } from './agents/fleet.js';
import type { RunFeed } from './feed/run-feed.js';
import type { Log } from './log.js';
import type { Metrics } from './metrics/metrics.js';
import type { Phases } from './pipeline.js';
import type { ServerSettings } from './settings.js';
import type { Triggers } from './triggers/open-triggers.js';
import type { Wire } from './wire.js';

/** What handlers are made of. One object for all of them, put together once when the server opens. */
export interface Parts {
  readonly settings: ServerSettings;
  readonly engine: Engine;
  readonly store: Store;
  readonly clock: Clock;
  /** Which other processes can be seen from here to be gone. */
  readonly host: Pick<Host, 'isGone'>;
  readonly log: Log;
  readonly directory: AgentDirectory;
  /** Every runtime behind one face: it finds the one that knows the agent. */
  readonly fleet: Fleet;
  /** Cards, entries as they come, streams. */
  readonly feed: RunFeed;
  /** What runs of this tenant ask of people; made when the tenant is first seen. */
  inbox(tenant: string): Promise<ApprovalInbox>;
  /** Images and files that clients have sent ahead. */
  readonly contents: Contents;
  readonly keys: ApiKeys;
  /** Positions over all tenants, as they leave the server. */
  readonly cursors: CursorSeal;
  /** What tenants and keys may still spend today. */
  readonly spending: Spending;
  /** How many runs of a tenant may wait for a worker. */
  readonly backlog: Backlog;
  /** Counts what happens, for /metrics. */
  readonly metrics: Metrics;
  readonly triggers: Triggers;
  /** Where people look at what the dispatcher does, where there is one that shows it. */
  readonly dispatcherPage: string | undefined;
  /** Whether this process can be given work by the dispatcher, where there is one and it works on runs. */
  isCallable(): boolean;
  readonly phases: Phases;
  /** How everything is written that leaves. */
  readonly wire: Wire;
  /** Starts nothing more, lets runs come to a safe point, and gives them back. What was written can still be read. */
  drain(): Promise<void>;
  /** The end of all of it, after `drain` if nobody has asked for that yet. */
  close(): Promise<void>;
}
