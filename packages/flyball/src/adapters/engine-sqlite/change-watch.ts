import type { Database } from './database.js';
import { integer } from './row.js';

/**
 * Tells listeners that something was posted or requeued. This process is told at once, and for which run; other processes
 * are noticed by the number that SQLite changes with their commits, asked for only while somebody listens.
 */
export class ChangeWatch {
  private readonly listeners = new Set<(runId?: string) => void>();
  private readonly database: Database;
  private readonly pollMs: number;
  private poll: NodeJS.Timeout | undefined;
  private seen = 0;
  private isClosed = false;

  constructor(database: Database, pollMs: number) {
    this.database = database;
    this.pollMs = pollMs;
  }

  watch(listener: (runId?: string) => void): () => void {
    const own = (runId?: string) => listener(runId); // the same function may watch twice, and each watch stops alone
    this.listeners.add(own);
    this.start();
    return () => {
      this.listeners.delete(own);
      if (this.listeners.size === 0) this.stop();
    };
  }

  notify(runId?: string): void {
    for (const listener of [...this.listeners]) listener(runId);
  }

  close(): void {
    this.isClosed = true;
    this.listeners.clear();
    this.stop();
  }

  private start(): void {
    if (this.poll !== undefined || this.isClosed) return;
    this.seen = this.version();
    this.poll = setInterval(() => this.look(), this.pollMs);
    this.poll.unref();
  }

  private stop(): void {
    clearInterval(this.poll);
    this.poll = undefined;
  }

  private look(): void {
    const version = this.version();
    if (version === this.seen) return;
    this.seen = version;
    this.notify();
  }

  /** A number that differs when unreadable: whoever is then called reads for himself and gets the error with its reason. */
  private version(): number {
    try {
      const row = this.database.get('PRAGMA data_version');
      return row === undefined ? -1 : integer(row, 'data_version');
    } catch {
      return -1;
    }
  }
}
