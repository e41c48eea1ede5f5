import { Problem } from '../problem.js';

/** How many streams each principal holds open. */
export class StreamSlots {
  private readonly open = new Map<string, number>();
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  /** Takes a slot; returns how to give it back. */
  take(principal: string): () => void {
    const held = this.open.get(principal) ?? 0;
    if (held >= this.most)
      throw new Problem(429, 'RATE_LIMITED', `This credential has ${held} open streams, which is the maximum.`, {
        retryable: true,
        next: 'Close one of them first.',
        headers: { 'retry-after': '5' },
      });
    this.open.set(principal, held + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const left = (this.open.get(principal) ?? 1) - 1;
      if (left <= 0) this.open.delete(principal);
      else this.open.set(principal, left);
    };
  }
}
