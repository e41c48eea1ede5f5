import type { Owner } from '../core/events.js';

/** The machine a process runs on, as far as ownership needs it. */
export interface Host {
  /** This process. */
  owner(): Owner;
  /** True only when proven: same host and another boot, or no process with this pid and start time. An expired lease proves nothing. */
  isGone(owner: Owner): boolean;
}
