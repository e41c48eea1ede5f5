import type { Owner } from '../core/events.js';

/** The machine a process runs on. Decides whether the owner of a run is gone. */
export interface Host {
  /** This process. */
  owner(): Owner;
  /** True only when proven: same host and another boot, or no process with this pid and start time. An expired lease proves nothing. */
  isGone(owner: Owner): boolean;
}
