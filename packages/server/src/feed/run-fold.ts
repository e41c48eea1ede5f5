import type { Entry, EventOf } from 'flyball';
import { isTerminal, type Outcome } from 'flyball';
import type {
  ActKind,
  AskKind,
  AxisUse,
  ChildKind,
  ControlKind,
  EffectId,
  PatternKind,
  RollbackKind,
  WaitKind,
} from 'flyball/internal';
import { isAsked, PhaseFold, Privacy, passOver, UsageFold, useOf, waitChange } from 'flyball/internal';
import { isNext, type Position } from './position.js';

/** What a journal says so far, as small as it can be kept: for cards, for privacy, and for the bill. */
export class RunFold {
  readonly runId: string;
  readonly privacy: Privacy;
  /** Names of effects are kept from the first entry on: needed as soon as something is private. */
  readonly keepsNames: boolean;
  /** The last entry taken. */
  position: Position | undefined;
  entries = 0;
  attempts = 0;
  takeovers = 0;
  lastAt = 0;
  /** When this process last wrote to it. */
  heardAt = Number.NEGATIVE_INFINITY;
  outcome: Outcome<unknown> | undefined;
  input: unknown;
  private readonly use = new UsageFold();
  private readonly phases = new PhaseFold();
  private readonly waits = new Map<EffectId, Pick<EventOf<'wait-start'>, 'kind'>>();

  constructor(runId: string, options: { readonly keepsNames: boolean }) {
    this.runId = runId;
    this.keepsNames = options.keepsNames;
    this.privacy = new Privacy([]);
  }

  /** Takes the next entry. False for one that is not the next: it was taken before, or some are missing. */
  apply(entry: Entry): boolean {
    if (!isNext(this.position, entry)) return false;
    this.position = { generation: entry.generation, seq: entry.seq };
    this.entries++;
    this.lastAt = Math.max(this.lastAt, entry.at);
    this.privacy.mark(entry);
    if (this.keepsNames) this.privacy.name(entry);
    this.use.apply(entry);
    this.phases.apply(entry);
    this.live(entry);
    this.wait(entry);
    return true;
  }

  /** Something is private, and what it is called was not kept: this fold cannot say what to hide. */
  get isBlind(): boolean {
    return !this.keepsNames && !this.privacy.isEmpty;
  }

  get ended(): Outcome<unknown>['stop'] | undefined {
    return this.outcome !== undefined && isTerminal(this.outcome.stop) ? this.outcome.stop : undefined;
  }

  get asks(): number {
    let open = 0;
    for (const wait of this.waits.values()) if (isAsked(wait)) open++;
    return open;
  }

  get phase(): string | undefined {
    return this.phases.last;
  }

  get spentUsd(): number {
    // what may have been paid counts against what a tenant has left
    return this.use.spent.costUsd + this.use.possibly.costUsd;
  }

  get limits(): UsageFold['limits'] {
    return this.use.limits;
  }

  usage(): Record<string, AxisUse> {
    return useOf(this.use);
  }

  private live({ event }: Entry): void {
    switch (event.type) {
      case 'run-start':
        this.input = event.input;
        break;
      case 'attempt-start':
        this.attempts++;
        if (event.why === 'takeover') this.takeovers++;
        this.reopen();
        break;
      case 'run-resume':
        this.reopen();
        break;
      case 'run-end':
        this.outcome = event.outcome;
        break;
      default: // says nothing about the life of the run
        passOver<
          | AskKind
          | ActKind
          | ChildKind
          | WaitKind
          | ControlKind
          | RollbackKind
          | PatternKind
          | 'generation-start'
          | 'generation-end'
          | 'run-pause'
          | 'note'
          | 'pin'
          | 'post'
        >(event);
    }
  }

  private reopen(): void {
    if (this.ended === undefined) this.outcome = undefined;
  }

  private wait({ event }: Entry): void {
    const change = waitChange(event);
    if (change?.start === undefined) {
      if (change !== undefined) this.waits.delete(change.id);
      return;
    }
    this.waits.set(change.id, { kind: change.start.kind });
  }
}
