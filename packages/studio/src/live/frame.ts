/** How work waits for the next picture; given from outside in tests. */
export type Schedule = (work: () => void, size?: number) => void;

/**
 * Collects what arrives and hands it over once a frame: a thousand events in a burst are one change of the page.
 * A hidden tab gets no frames, so there a timer takes over.
 */
export class FrameBatch<T> {
  private items: T[] = [];
  private scheduled = false;
  private readonly take: (items: readonly T[]) => void;
  private readonly schedule: Schedule;
  /** How long the thing is that grows. */
  private readonly size: () => number;

  constructor(take: (items: readonly T[]) => void, schedule: Schedule = nextFrame, size: () => number = () => 0) {
    this.take = take;
    this.schedule = schedule;
    this.size = size;
  }

  add(item: T): void {
    this.items.push(item);
    if (this.scheduled) return;
    this.scheduled = true;
    this.schedule(() => this.flush(), this.size());
  }

  flush(): void {
    this.scheduled = false;
    if (this.items.length === 0) return;
    const items = this.items;
    this.items = [];
    this.take(items);
  }
}

const HIDDEN_MS = 250;
/** A journal this many times longer is shown that many milliseconds later: folding and drawing it takes its time. */
const ENTRIES_PER_MS = 100;
const LONGEST_MS = 250;

/** The next frame, or a little later when what has to be drawn is long: scrolling keeps most of the time. */
export function nextFrame(work: () => void, size = 0): void {
  const wait = Math.min(LONGEST_MS, size / ENTRIES_PER_MS);
  if (document.visibilityState !== 'visible') setTimeout(work, HIDDEN_MS);
  else if (wait <= FRAME_MS) requestAnimationFrame(work);
  else setTimeout(() => requestAnimationFrame(work), wait);
}

const FRAME_MS = 16;
