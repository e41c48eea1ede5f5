import { roundTrip } from '../core/codec.js';
import type { EventOf, InfoEvent } from '../core/events.js';
import type { Ledger } from '../core/ledger.js';
import type { DomainEvent } from '../core/run.js';
import type { Scope } from './open-effects.js';
import type { Recorded } from './recorded.js';

/** What a run tells its observers without it being history: told once over all lives of the run. */
export class Tellings {
  private readonly recorded: Recorded;
  private readonly tell: (event: InfoEvent) => void;
  private readonly told = new Map<string, number>();
  private readonly overlapped: Set<string>;
  private readonly warned: Set<string>;

  constructor(recorded: Recorded, tell: (event: InfoEvent) => void) {
    this.recorded = recorded;
    this.tell = tell;
    this.overlapped = new Set(recorded.overlaps);
    this.warned = new Set(recorded.warned);
  }

  note(path: string, note: { readonly kind: string }): void {
    this.once({ type: 'note', path, event: roundTrip(note) as DomainEvent }); // what cannot be stored fails on replay too
  }

  /** Tells what the code tells of itself, unless an earlier life has: of each scope, in the order of the telling. */
  once(event: EventOf<'note' | 'scope-start' | 'scope-end' | 'best'>): void {
    const { path } = event;
    const told = this.told.get(path) ?? 0;
    this.told.set(path, told + 1);
    if (told >= (this.recorded.told.get(path) ?? 0)) this.tell(event);
  }

  /** Overlapping effects in one scope are legal, but their names depend on the order of the calls: worth a mention. */
  overlap(scope: Scope): void {
    if (this.overlapped.has(scope.path)) return;
    this.overlapped.add(scope.path);
    this.tell({ type: 'scope-overlap', path: scope.path });
  }

  /** Once in each era. */
  warn(warnings: ReturnType<Ledger['warnings']>, era: number): void {
    for (const warning of warnings) {
      const name = `${era} ${warning.node} ${warning.axis}`;
      if (this.warned.has(name)) continue;
      this.warned.add(name);
      this.tell({ type: 'budget-warning', ...warning });
    }
  }
}
