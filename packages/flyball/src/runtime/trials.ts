import type { DueQuery, RunRecord } from '../ports/engine.js';

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

  /** Which runs may be taken, and how many of them at once: those above suspicion, or the next one to be tried. */
  get lines(): readonly { readonly crashes: NonNullable<DueQuery['crashes']>; readonly limit: number }[] {
    const innocent = { crashes: { below: this.after }, limit: Number.POSITIVE_INFINITY };
    return this.suspect === undefined ? [innocent, { crashes: { from: this.after }, limit: 1 }] : [innocent];
  }

  /** It may be what takes processes down, and has to wait until another one was tried. */
  hasToWait({ id, crashes, owner }: RunRecord): boolean {
    return this.suspect !== undefined && this.suspect !== id && crashes + (owner === undefined ? 0 : 1) >= this.after;
  }

  /** It was claimed: from here on it is on trial, where it is suspect and no other one is. */
  claimed({ id, crashes }: RunRecord): void {
    if (crashes >= this.after) this.suspect ??= id;
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
