import type { Entry, EventOf } from '../../core/events.js';
import { isAsked, waitChange } from '../../core/waits.js';

type WaitStart = EventOf<'wait-start'>;

/** What a conversation waits for, folded from its journal while it is written. */
export class OpenWaits {
  private readonly open = new Map<string, WaitStart>();
  private readonly asked = new Set<string>();
  private ended = false;
  private readonly watchers = new Set<() => void>();

  apply({ event }: Entry): void {
    const change = waitChange(event);
    if (change?.start !== undefined) this.open.set(change.id, change.start);
    else if (change !== undefined) this.open.delete(change.id);
    if (event.type === 'signal-refused') this.asked.delete(event.token); // that question stands
    if (event.type === 'run-end') this.ended = true;
    if (event.type === 'run-resume') this.ended = false; // a bound was its end, and it goes on under a larger one
    for (const watcher of [...this.watchers]) watcher();
  }

  /** An open wait by its effect. */
  get(id: string): WaitStart | undefined {
    return this.open.get(id);
  }

  /** The next wait that nobody was asked about yet, or `ended` once the run has. Approvals and doubts come first. */
  async next(signal: AbortSignal): Promise<WaitStart | 'ended' | 'stopped'> {
    await this.until(() => this.first() !== undefined || this.ended, signal);
    const found = this.first();
    if (signal.aborted) return 'stopped';
    if (found === undefined) return 'ended';
    this.asked.add(found.token);
    return found;
  }

  /** Resolves when the wait is over, whoever answered it. */
  settled({ id }: WaitStart, signal: AbortSignal): Promise<void> {
    return this.until(() => !this.open.has(id), signal);
  }

  /** The answer was refused: the same question again. */
  askAgain({ token }: WaitStart): void {
    this.asked.delete(token);
  }

  private first(): WaitStart | undefined {
    const waits = [...this.open.values()].filter(({ token }) => !this.asked.has(token));
    return waits.find(isAsked) ?? waits[0];
  }

  private until(holds: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!holds() && !signal.aborted) return;
        this.watchers.delete(look);
        signal.removeEventListener('abort', look);
        resolve();
      };
      this.watchers.add(look);
      signal.addEventListener('abort', look);
      look();
    });
  }
}
