import type { Entry, EventType } from '../../../flyball/src/core/events.js';
import { TimelineFold } from '../../../flyball/src/views/timeline.js';

/** An entry as one row of the event list. */
export interface EventLine {
  readonly generation: number;
  readonly seq: number;
  readonly at: number;
  readonly kind: EventType;
  readonly symbol: string;
  readonly text: string;
  readonly detail?: string;
  readonly depth: number;
  readonly offsetMs: number;
  /** A process was lost before this. */
  readonly isCrash?: true;
}

/** One line for each entry, those included that a terminal would leave out: here every entry can be opened. */
export class LineFold {
  private readonly timeline = new TimelineFold();
  private readonly told: EventLine[] = [];
  private startedAt: number | undefined;

  apply(entry: Entry): void {
    this.startedAt ??= entry.at;
    const { generation, seq, at, event } = entry;
    const line = this.timeline.apply(entry);
    this.told.push({
      generation,
      seq,
      at,
      kind: event.type,
      symbol: line?.symbol ?? '·',
      text: line?.text ?? event.type.replaceAll('-', ' '),
      depth: line?.depth ?? 0,
      offsetMs: at - this.startedAt,
      ...(event.type === 'attempt-start' && event.why === 'takeover' ? { isCrash: true } : {}),
      ...(line?.detail === undefined ? {} : { detail: line.detail }),
    });
  }

  lines(): readonly EventLine[] {
    return this.told.slice();
  }
}

export function linesOf(entries: readonly Entry[]): readonly EventLine[] {
  const fold = new LineFold();
  for (const entry of entries) fold.apply(entry);
  return fold.lines();
}
