import type { RunRecord } from '../ports/engine.js';

/** Crashes in a row without progress before a run is tried alone. */
const SUSPECT_AFTER = 3;

/**
 * Which run is on trial. A process that dies takes all its runs with it, the innocent ones too: those that crashed
 * several times without getting further are tried one after the other, so that each is blamed for itself only.
 */
export class Trials {
  private suspect: string | undefined;
  private readonly after: number;
  private readonly onAcquitted: () => void;

  constructor(maxResumes: number, onAcquitted: () => void) {
    this.after = Math.min(SUSPECT_AFTER, maxResumes);
    this.onAcquitted = onAcquitted;
  }

  /** While a run is on trial, no other suspect is looked for. */
  wanted(): { readonly fewerCrashesThan?: number } {
    return this.suspect === undefined ? {} : { fewerCrashesThan: this.after };
  }

  /** It may be what takes processes down, and has to wait until another one was tried. */
  hasToWait(record: RunRecord | undefined): boolean {
    if (record === undefined) return false;
    const crashes = record.crashes + (record.owner === undefined ? 0 : 1);
    if (crashes < this.after) return false;
    this.suspect ??= record.id;
    return this.suspect !== record.id;
  }

  isOnTrial(runId: string): boolean {
    return this.suspect === runId;
  }

  acquit(runId: string): void {
    if (this.suspect !== runId) return;
    this.suspect = undefined;
    this.onAcquitted();
  }
}
