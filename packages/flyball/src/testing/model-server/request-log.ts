import { AssertionError } from 'node:assert';
import type { ServedRequest } from './wire.js';

type Received = ServedRequest & { clientWentAway: boolean };

/** What the server received, and who waits to hear of it. */
export class RequestLog {
  readonly requests: Received[] = [];
  private readonly watchers = new Set<() => void>();

  add(given: Omit<ServedRequest, 'n' | 'clientWentAway'>): ServedRequest {
    const received: Received = { ...given, n: this.requests.length + 1, clientWentAway: false };
    this.requests.push(received);
    this.notify();
    return received;
  }

  wentAway(n: number): void {
    const received = this.requests[n - 1];
    if (received !== undefined) received.clientWentAway = true;
    this.notify();
  }

  at(n: number): ServedRequest {
    const found = this.requests[n - 1];
    if (found !== undefined) return found;
    throw new AssertionError({ message: `The server received ${this.requests.length} requests; there is no ${n}.` });
  }

  reached(n: number): Promise<ServedRequest> {
    return this.when(() => this.requests[n - 1]);
  }

  async abandoned(n: number): Promise<void> {
    await this.when(() => (this.requests[n - 1]?.clientWentAway === true ? true : undefined));
  }

  private notify(): void {
    for (const watcher of this.watchers) watcher();
  }

  private when<T>(ready: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const watcher = (): void => {
        const found = ready();
        if (found === undefined) return;
        this.watchers.delete(watcher);
        resolve(found);
      };
      this.watchers.add(watcher);
      watcher();
    });
  }
}
