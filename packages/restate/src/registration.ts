import { setTimeout as pause } from 'node:timers/promises';
import { FlyballError } from 'flyball';
import type { Admin } from './admin.js';
import type { Settings } from './options.js';

const ANSWER_MS = 10_000;
const MOST_MS = 5_000;
/** Of connections that could not be opened, or broke before there was an answer. */
const UNREACHED = /^(E[A-Z_]+|UND_ERR_SOCKET|UND_ERR_CONNECT_TIMEOUT)$/;

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
        this.settings.onProblem(error, '');
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
    try {
      const body = { uri: this.address, force: true };
      await this.admin.ask('POST', '/deployments', { body, withinMs: ANSWER_MS });
      this.hasSucceeded = true;
    } catch (failure) {
      throw new FlyballError('STORAGE_BUSY', this.told(failure), { retryable: true, cause: failure });
    }
  }

  /** Whether nobody is there, or somebody refuses: what helps differs. */
  private told(failure: unknown): string {
    const at = this.settings.admin.join(', ');
    const { code, name, message } = ((failure as Error).cause ?? failure) as NodeJS.ErrnoException;
    const why = name === 'TimeoutError' ? 'timeout' : UNREACHED.test(String(code)) ? code : undefined;
    if (why !== undefined)
      return `Restate's admin API at ${at} does not respond (${why}). Check that Restate is running, or set admin. Trying again.`;
    return `Restate at ${at} did not accept the worker at ${this.address}: ${message}. Trying again.`;
  }
}
