import type { Entry } from 'flyball';
import type { Fleet } from '../agents/fleet.js';
import { comparePositions } from './position.js';
import { RunFold } from './run-fold.js';

const PAGE = 1_000;
/** Less than any lease: until then nobody takes a run over from its process. */
const HEARD_MS = 1_000;

type Journals = Pick<Fleet, 'entries'>;

/**
 * What the journals of recently seen runs say, kept up to date by what is heard and read again where something was not.
 * Whatever a fold takes is told in order and without gaps: it is the one place that knows what comes next.
 */
export class RunFolds {
  private readonly journals: Journals;
  private readonly most: number;
  /** Least recently used first. */
  private readonly folds = new Map<string, RunFold>();
  private readonly catching = new Map<string, Promise<RunFold>>();
  /** Told of entries that a fold has taken, unless it has just begun: then they are its past. */
  private readonly onTaken: (fold: RunFold, entries: readonly Entry[]) => void;
  private readonly isPinned: (runId: string) => boolean;

  constructor(
    journals: Journals,
    options: {
      readonly most: number;
      readonly isPinned: (runId: string) => boolean;
      readonly onTaken: (fold: RunFold, entries: readonly Entry[]) => void;
    },
  ) {
    this.journals = journals;
    this.most = options.most;
    this.isPinned = options.isPinned;
    this.onTaken = options.onTaken;
  }

  get size(): number {
    return this.folds.size;
  }

  known(runId: string): RunFold | undefined {
    return this.folds.get(runId);
  }

  /** The fold of a run that is not there yet: it hears all of it. */
  begin(runId: string): void {
    this.touch(new RunFold(runId, { keepsNames: false }));
  }

  /** The run that was expected did not come. */
  forgetEmpty(runId: string): void {
    const fold = this.folds.get(runId);
    if (fold !== undefined && fold.position === undefined) this.folds.delete(runId);
  }

  /** Takes what was heard. False when the fold is not there or does not reach up to it: then it has to be read. */
  hear(runId: string, entries: readonly Entry[], now: number): boolean {
    const fold = this.folds.get(runId);
    if (fold === undefined) return false;
    this.take(fold, entries);
    if (fold.isBlind) {
      this.folds.delete(runId);
      return false;
    }
    const last = entries.at(-1);
    const reaches = last === undefined || (fold.position !== undefined && comparePositions(fold.position, last) >= 0);
    fold.heardAt = reaches ? now : Number.NEGATIVE_INFINITY;
    return reaches;
  }

  /** The fold of a run that was heard a moment ago, and so is driven here: nobody else can have written to it. */
  heard(runId: string, now: number): RunFold | undefined {
    const fold = this.folds.get(runId);
    return fold !== undefined && now - fold.heardAt < HEARD_MS ? fold : undefined;
  }

  /** The fold of a run with everything that its journal holds now. */
  async current(runId: string): Promise<RunFold> {
    const known = this.folds.get(runId);
    if (known?.ended !== undefined) return this.touch(known);
    const before = this.catching.get(runId);
    if (before !== undefined) await before.catch(() => undefined); // it may have read before the entry that matters
    const joined = this.catching.get(runId);
    if (joined !== undefined) return joined;
    const reading = this.catchUp(runId).finally(() => this.catching.delete(runId));
    this.catching.set(runId, reading);
    return reading;
  }

  private async catchUp(runId: string): Promise<RunFold> {
    const known = this.folds.get(runId);
    if (known !== undefined) {
      await this.readOn(known, true);
      if (!known.isBlind) return this.touch(known);
      this.folds.delete(runId);
    }
    for (const keepsNames of [false, true]) {
      const fold = new RunFold(runId, { keepsNames });
      await this.readOn(fold, false);
      if (!fold.isBlind) return this.touch(fold);
    }
    throw new Error('unreachable: a fold that keeps names is never blind');
  }

  private async readOn(fold: RunFold, tell: boolean): Promise<void> {
    for (;;) {
      const after = fold.position === undefined ? {} : { after: fold.position };
      const part = await this.journals.entries(fold.runId, { ...after, limit: PAGE });
      this.take(fold, part, tell);
      if (part.length < PAGE || fold.isBlind) return;
    }
  }

  private take(fold: RunFold, entries: readonly Entry[], tell = true): void {
    const taken = entries.filter((entry) => fold.apply(entry));
    if (tell && taken.length > 0 && !fold.isBlind) this.onTaken(fold, taken);
  }

  /** Used last; the one not used for longest goes when there are too many. */
  private touch(fold: RunFold): RunFold {
    this.folds.delete(fold.runId);
    this.folds.set(fold.runId, fold);
    if (this.folds.size > this.most) this.forgetOldest();
    return fold;
  }

  private forgetOldest(): void {
    for (const runId of this.folds.keys()) {
      if (this.isPinned(runId)) continue;
      this.folds.delete(runId);
      return;
    }
  }
}
