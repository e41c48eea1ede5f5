import type { Budget, Clock, Store } from 'flyball';
import type { Log } from '../log.js';
import type { Trigger } from './trigger.js';

/** How a trigger starts a run. */
export interface TriggeredStart {
  /** Names the run, alone or beside other things. Whoever starts it second gets RUN_EXISTS, and knows that it was started. */
  readonly id: string;
  readonly budget?: Partial<Budget>;
  readonly tenant: string;
  /** `trigger:<name>`. */
  readonly subject: string;
}

/** What triggers need of the server around them. */
export interface TriggerParts {
  /** As any other start: the input passes its guard, bounds are those of the agent or lower. Answers what the run is called. */
  start(agent: string, input: unknown, options: TriggeredStart): Promise<{ readonly id: string }>;
  /** Throws for a trigger that could never start anything. */
  readonly check?: (trigger: Trigger) => void;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Where secrets are found by name. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How a trigger stands. Times are milliseconds since 1970. */
export interface TriggerState {
  readonly name: string;
  readonly kind: 'cron' | 'webhook';
  readonly agent: string;
  readonly tenant: string;
  readonly schedule?: string;
  readonly timezone?: string;
  readonly style?: 'flyball' | 'github';
  readonly next?: number;
  /** When it last started a run, and which. For a webhook: since this server is up. */
  readonly last?: number;
  readonly lastRun?: string;
  /** Times at which no server was up, all together, and the last of them. */
  readonly missed?: number;
  readonly lastMissed?: number;
  /** Why the last attempt started nothing. */
  readonly failure?: string;
}
