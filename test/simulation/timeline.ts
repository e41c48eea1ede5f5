import { VIRTUAL_START } from '../../packages/flyball/src/testing/virtual-clock.js';

interface Moment {
  readonly due: number;
  readonly order: number;
  callback: (() => void) | undefined;
}

/** Where code looks around again and again: macrotasks in a row without any use of the timeline before its next moment comes. */
const IDLE_TURNS = 4;

/** The one time behind all clocks: it moves on to the next moment when nobody has anything left to do at this one. */
export class Timeline {
  now = VIRTUAL_START;
  moments = 0;
  /** Called when time moves on. Answers false where that has taken too long. */
  onMoment: () => boolean = () => true;
  private isTooLong = false;
  private uses = 0;
  private order = 0;
  private readonly heap: Moment[] = [];

  /** Somebody is at work: time does not move meanwhile. */
  use(): void {
    this.uses++;
  }

  after(ms: number, callback: () => void): () => void {
    this.uses++;
    const moment: Moment = { due: this.now + (ms > 0 ? ms : 0), order: this.order++, callback };
    push(this.heap, moment);
    return () => {
      this.uses++;
      moment.callback = undefined;
    };
  }

  /** Goes on until it is over, nothing is left to come, so many moments have passed, or they have taken too long. */
  async run(isOver: () => boolean, most: number): Promise<'over' | 'dry' | 'long'> {
    const macrotasks = new Macrotasks();
    try {
      for (const end = this.moments + most; this.moments < end && !this.isTooLong; ) {
        await this.quiet(macrotasks);
        if (isOver()) return 'over';
        if (!this.fireNext()) return 'dry';
      }
      return 'long';
    } finally {
      macrotasks.release();
    }
  }

  private fireNext(): boolean {
    for (let next = pop(this.heap); next !== undefined; next = pop(this.heap)) {
      const { callback } = next;
      if (callback === undefined) continue; // it was cancelled
      this.now = Math.max(this.now, next.due);
      this.moments++;
      this.uses++;
      this.isTooLong = !this.onMoment();
      callback();
      return true;
    }
    return false;
  }

  /** Nobody has anything left to do: all promises are settled when a macrotask begins, and no other macrotask is to come. */
  private quiet(macrotasks: Macrotasks): Promise<void> {
    return new Promise((resolve) => {
      let before = this.uses;
      let left = IDLE_TURNS;
      const turn = (): void => {
        left = this.uses === before ? left - 1 : IDLE_TURNS;
        before = this.uses;
        if (macrotasks.left === 0 || left === 0) resolve();
        else macrotasks.next(turn);
      };
      macrotasks.next(turn);
    });
  }
}

/** Counts what everybody else has put off until the next turn of the event loop. */
class Macrotasks {
  left = 0;
  private readonly setImmediate = globalThis.setImmediate;

  constructor() {
    const counted = (callback: (...given: unknown[]) => void, ...given: unknown[]): NodeJS.Immediate => {
      this.left++;
      return this.setImmediate(() => {
        this.left--;
        callback(...given);
      });
    };
    globalThis.setImmediate = Object.assign(counted, this.setImmediate) as typeof setImmediate;
  }

  /** Without being counted. */
  next(callback: () => void): void {
    this.setImmediate(callback);
  }

  release(): void {
    globalThis.setImmediate = this.setImmediate;
  }
}

const isBefore = (a: Moment, b: Moment): boolean => a.due < b.due || (a.due === b.due && a.order < b.order);

function push(heap: Moment[], moment: Moment): void {
  let at = heap.length;
  while (at > 0) {
    const parentAt = (at - 1) >> 1;
    const parent = heap[parentAt] as Moment;
    if (isBefore(parent, moment)) break;
    heap[at] = parent;
    at = parentAt;
  }
  heap[at] = moment;
}

function pop(heap: Moment[]): Moment | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    const left = heap[2 * at + 1];
    const right = heap[2 * at + 2];
    const child = right !== undefined && left !== undefined && isBefore(right, left) ? right : left;
    if (child === undefined || isBefore(last, child)) break;
    heap[at] = child;
    at = child === left ? 2 * at + 1 : 2 * at + 2;
  }
  heap[at] = last;
  return first;
}
