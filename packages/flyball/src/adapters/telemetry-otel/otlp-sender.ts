import type { Entry } from '../../core/events.js';
import { otlpRequest } from './otlp-request.js';

/** How traces are sent to a collector. */
export interface SendOptions {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly service?: string | undefined;
  readonly queue?: number | undefined;
  readonly timeoutMs?: number | undefined;
  readonly onProblem?: ((error: unknown, runId: string) => void) | undefined;
}

const QUEUE = 256;
const TIMEOUT_MS = 10_000;

interface Waiting {
  readonly runId: string;
  readonly entries: readonly Entry[];
  readonly endedWell: boolean;
}

/** Sends one trace after another. Nothing waits for the collector: what it does not take is dropped and counted. */
export class OtlpSender {
  private readonly options: SendOptions;
  private readonly waiting: Waiting[] = [];
  private readonly counts = { sent: 0, dropped: 0 };
  private sending: Promise<void> | undefined;

  constructor(options: SendOptions) {
    this.options = options;
  }

  take(runId: string, entries: readonly Entry[]): void {
    const end = entries.findLast(({ event }) => event.type === 'run-end')?.event;
    this.waiting.push({ runId, entries, endedWell: end?.type === 'run-end' && end.outcome.stop === 'done' });
    this.makeRoom();
    this.sending ??= this.sendAll().finally(() => {
      this.sending = undefined;
    });
  }

  async flush(): Promise<void> {
    while (this.sending !== undefined) await this.sending;
  }

  state() {
    return { ...this.counts, waiting: this.waiting.length };
  }

  private makeRoom(): void {
    if (this.waiting.length <= (this.options.queue ?? QUEUE)) return;
    const routine = this.waiting.findIndex(({ endedWell }) => endedWell);
    const [dropped] = this.waiting.splice(Math.max(routine, 0), 1);
    this.drop(new Error('Too many traces wait for the collector.'), dropped?.runId ?? '');
  }

  private async sendAll(): Promise<void> {
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) await this.send(next);
  }

  private async send({ runId, entries }: Waiting): Promise<void> {
    const { url, headers = {}, service = 'flyball', timeoutMs = TIMEOUT_MS } = this.options;
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(otlpRequest(service, runId, entries)),
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.arrayBuffer(); // frees the connection
      if (!response.ok) throw new Error(`The collector answered ${response.status}.`);
      this.counts.sent++;
    } catch (error) {
      this.drop(error, runId);
    }
  }

  /** A listener that throws must not stop the traces after this one. */
  private drop(error: unknown, runId: string): void {
    this.counts.dropped++;
    try {
      this.options.onProblem?.(error, runId);
    } catch {
      // it has nobody left to tell
    }
  }
}
