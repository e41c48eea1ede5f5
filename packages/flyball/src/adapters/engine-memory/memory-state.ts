import { runNotFound } from '../../core/engine-errors.js';
import { nextOperation, type Operation, type StoredOperation } from '../../core/operations.js';
import type { AnnouncedWorker, Claim, RunStatus } from '../../ports/engine.js';
import { TenantContents } from './contents.js';
import type { MemoryRun } from './memory-run.js';
import { WaitingLine } from './waiting-line.js';

export const TERMINAL: ReadonlySet<RunStatus> = new Set(['done', 'degraded', 'blocked', 'cancelled', 'failed']);

/**
 * Everything that the engine holds. Its parts share it.
 *
 * 1. A run is changed through `change`, so that the line of what is due always knows how it stands.
 * 2. `inOrder` has a place for every run that was ever created: cursors stay good when one is removed.
 */
export class MemoryState {
  readonly runs = new Map<string, MemoryRun>();
  readonly inOrder: (MemoryRun | undefined)[] = [];
  readonly operations: StoredOperation[] = [];
  /** Ids of owners that were declared gone. */
  readonly goneOwners = new Set<string>();
  readonly contents = new TenantContents();
  readonly line = new WaitingLine();
  readonly workers = new Map<string, AnnouncedWorker>();
  readonly listeners = new Set<(runId?: string) => void>();

  known(runId: string): MemoryRun {
    const run = this.runs.get(runId);
    if (run === undefined) throw runNotFound(runId);
    return run;
  }

  /** The run of a claim that still holds. */
  held(claim: Claim): MemoryRun | undefined {
    const run = this.runs.get(claim.runId);
    return run?.fence === claim.fence ? run : undefined;
  }

  change(run: MemoryRun, to: Partial<MemoryRun>): void {
    this.line.leave(run);
    Object.assign(run, to);
    this.line.enter(run);
  }

  record(operation: Operation): void {
    this.operations.push(nextOperation(this.operations.at(-1), operation));
  }

  notify(runId?: string): void {
    for (const listener of [...this.listeners]) listener(runId);
  }
}
