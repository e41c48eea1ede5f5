import { setTimeout as pause } from 'node:timers/promises';
import { FlyballError } from 'flyball';
import type { Settings } from './options.js';

const ANSWER_MS = 10_000;
const MOST_MS = 5_000;

/** Tells Restate where the workers are, until it has heard. */
export class Registration {
  private readonly settings: Settings;
  private readonly address: string;
  private readonly stopping = new AbortController();
  private working: Promise<void> | undefined;

  constructor(settings: Settings, address: string) {
    this.settings = settings;
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
    const { admin, token } = this.settings;
    let failure: unknown;
    for (const url of admin) {
      try {
        const answer = await fetch(`${url}/deployments`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          },
          body: JSON.stringify({ uri: this.address, force: true }),
          signal: AbortSignal.any([this.stopping.signal, AbortSignal.timeout(ANSWER_MS)]),
        });
        if (answer.ok) return void (await answer.arrayBuffer());
        failure = new Error(`${answer.status} ${(await answer.text()).slice(0, 300)}`);
      } catch (error) {
        failure = error;
      }
    }
    const why = (failure as { readonly cause?: Error }).cause?.message ?? (failure as Error).message;
    throw new FlyballError(
      'STORAGE_BUSY',
      `Restate at ${admin.join(', ')} did not accept the worker at ${this.address}: ${why}. It is tried again until it does.`,
      { retryable: true, cause: failure },
    );
  }
}
