import { setTimeout as pause } from 'node:timers/promises';
import { FlyballError } from 'flyball';
import type { Admin } from './admin.js';
import type { Settings } from './options.js';

const ANSWER_MS = 10_000;
const MOST_MS = 5_000;

/** Tells Restate where the workers are, until it has heard. */
export class Registration {
  private readonly settings: Settings;
  private readonly admin: Admin;
  private readonly address: string;
  private readonly stopping = new AbortController();
  private working: Promise<void> | undefined;
  /** Restate has heard once: from then on it knows where to call, also after it was away. */
  hasSucceeded = false;

  constructor(settings: Settings, admin: Admin, address: string) {
    this.settings = settings;
    this.admin = admin;
    this.address = address;
  }

  /** Resolves after the first attempt. Where that fails, it is repeated in the background. */
  async begin(): Promise<void> {
    if (this.working !== undefined) return;
    const first = this.attempt();
    this.working = first
      .catch((error: unknown) => {
        this.settings.onProblem(error, 'registering this worker with Restate');
        return this.repeat();
      })
      .finally(() => {
        this.working = undefined;
      });
    await first.catch(() => undefined);
  }

  async close(): Promise<void> {
    this.stopping.abort();
    await this.working;
  }

  private async repeat(): Promise<void> {
    const { signal } = this.stopping;
    for (let waitMs = 100; !signal.aborted; waitMs = Math.min(MOST_MS, waitMs * 2)) {
      await pause(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (
        !signal.aborted &&
        (await this.attempt().then(
          () => true,
          () => false,
        ))
      )
        return;
    }
  }

  private async attempt(): Promise<void> {
    const { admin } = this.settings;
    try {
      const body = { uri: this.address, force: true };
      await this.admin.ask('POST', '/deployments', { body, withinMs: ANSWER_MS });
      this.hasSucceeded = true;
    } catch (failure) {
      const why = (failure as { readonly cause?: Error }).cause?.message ?? (failure as Error).message;
      throw new FlyballError(
        'STORAGE_BUSY',
        `Restate at ${admin.join(', ')} did not accept the worker at ${this.address}: ${why}. It is tried again until it does.`,
        { retryable: true, cause: failure },
      );
    }
  }
}
