import { connect, HttpCallError, type Ingress, SendOpts } from '@restatedev/restate-sdk-clients';
import { FlyballError } from 'flyball';
import { askRestate } from './ask-restate.js';
import type { Settings } from './options.js';
import { entranceOf } from './services.js';

const ANSWER_MS = 2_000;
/** Runs that wait for Restate to be back. The sweep finds those beyond. */
const MOST = 100_000;
const AT_ONCE = 32;
const SERVICE_MISSING = 404;

/** Hands runs to Restate. What it does not take now is kept and offered again. */
export class Deliveries {
  private readonly settings: Settings;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly nodes: readonly Ingress[];
  private node = 0;
  private readonly kept = new Map<string, string | undefined>();
  private timer: NodeJS.Timeout | undefined;
  private waitMs = 0;
  /** Called where Restate does not know the workers. */
  onUnknown: () => void = () => undefined;

  constructor(settings: Settings) {
    this.settings = settings;
    const headers: Record<string, string> =
      settings.token === undefined ? {} : { authorization: `Bearer ${settings.token}` };
    this.headers = headers;
    this.nodes = settings.ingress.map((url) => connect({ url, headers, fetch: askRestate }));
  }

  /** `once`: Restate takes it only once under this name. */
  async send(runId: string, once?: string): Promise<void> {
    if (this.kept.size > 0) return this.keep(runId, once); // it is known to be away: nobody waits for that again
    try {
      await this.offer(runId, once);
    } catch (error) {
      this.settings.onProblem(notTaken(error), `handing run ${runId} to Restate`);
      this.keep(runId, once);
    }
  }

  /** Says once if no node of Restate answers now, so that a wrong address is not found only when the first run waits. */
  async check(): Promise<void> {
    const { ingress, onProblem } = this.settings;
    const isThere = async (url: string): Promise<void> => {
      const answer = await askRestate(`${url}/restate/health`, {
        headers: this.headers,
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(String(answer.status));
    };
    await Promise.any(ingress.map(isThere)).catch(({ errors }: AggregateError) => {
      const why = errors.map(whyOf).join(', ');
      const message = `Restate at ${ingress.join(', ')} does not answer (${why}). Check the address. Runs wait until it does.`;
      onProblem(new FlyballError('STORAGE_BUSY', message, { retryable: true }), 'looking for Restate');
    });
  }

  close(): void {
    clearTimeout(this.timer);
    this.kept.clear();
  }

  private keep(runId: string, once: string | undefined): void {
    if (this.kept.size < MOST) this.kept.set(runId, once);
    this.tryLater();
  }

  private tryLater(): void {
    if (this.timer !== undefined) return;
    this.waitMs = Math.min(2_000, Math.max(50, this.waitMs * 2));
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.offerKept();
    }, this.waitMs).unref();
  }

  private async offerKept(): Promise<void> {
    const some = [...this.kept].slice(0, AT_ONCE);
    const offers = some.map(async ([runId, once]) => {
      await this.offer(runId, once);
      if (this.kept.get(runId) === once) this.kept.delete(runId);
    });
    const results = await Promise.allSettled(offers);
    if (results.every(({ status }) => status === 'fulfilled')) this.waitMs = 0;
    if (this.kept.size > 0) this.tryLater();
  }

  /** Each node of a cluster in turn, from the one that answered last. */
  private async offer(runId: string, once: string | undefined): Promise<void> {
    const { service, handler } = entranceOf(this.settings);
    let failure: unknown;
    for (let tries = 0; tries < this.nodes.length; tries++) {
      try {
        const named = once === undefined ? {} : { idempotencyKey: once };
        const opts = SendOpts.from<object>({ ...named, timeout: ANSWER_MS });
        await this.nodes[this.node]?.send<object>({ service, handler, key: runId, parameter: {}, opts });
        return;
      } catch (error) {
        failure = error;
        if (error instanceof HttpCallError && error.status === SERVICE_MISSING) this.onUnknown();
        this.node = (this.node + 1) % this.nodes.length;
      }
    }
    throw failure;
  }
}

function notTaken(cause: unknown): FlyballError {
  const why =
    cause instanceof HttpCallError && cause.status === SERVICE_MISSING
      ? 'no worker has registered with it'
      : whyOf(cause);
  return new FlyballError('STORAGE_BUSY', `Restate did not take the run (${why}). It is offered again until it does.`, {
    retryable: true,
    cause,
  });
}

function whyOf(error: unknown): string {
  return String((error as { readonly cause?: Error }).cause?.message ?? (error as Error).message);
}
