import type { Entry, EventOf } from '../../core/events.js';

type WaitStart = EventOf<'wait-start'>;

/** What a conversation waits for, folded from its journal while it is written. */
export class OpenWaits {
  private readonly open = new Map<string, WaitStart>();
  private readonly asked = new Set<string>();
  private ended = false;
  private readonly watchers = new Set<() => void>();

  apply({ event }: Entry): void {
    if (event.type === 'wait-start') this.open.set(event.id, event);
    if (event.type === 'wait-end') this.open.delete(event.id);
    if (event.type === 'run-end') this.ended = true;
    for (const watcher of this.watchers) watcher();
  }

  /** The next wait that nobody was asked about yet, or `ended` once the run has. Approvals and doubts come first. */
  next(signal: AbortSignal): Promise<WaitStart | 'ended' | 'stopped'> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.first();
        if (found === undefined && !this.ended && !signal.aborted) return;
        this.watchers.delete(look);
        signal.removeEventListener('abort', look);
        if (found !== undefined) this.asked.add(found.token);
        resolve(signal.aborted ? 'stopped' : (found ?? 'ended'));
      };
      this.watchers.add(look);
      signal.addEventListener('abort', look);
      look();
    });
  }

  /** The answer was refused: the same question again. */
  askAgain({ token }: WaitStart): void {
    this.asked.delete(token);
  }

  private first(): WaitStart | undefined {
    const waits = [...this.open.values()].filter(({ token }) => !this.asked.has(token));
    return waits.find(({ kind }) => kind !== 'signal') ?? waits[0];
  }
}
