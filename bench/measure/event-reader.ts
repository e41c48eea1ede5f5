import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';

/** What one reader saw of one run. */
export interface ReadRun {
  readonly entries: number;
  readonly bytes: number;
  /** Entries that did not follow on the one before: lost, doubled or out of order. */
  readonly wrong: number;
  readonly ended: boolean;
}

/** Milliseconds from the journal to the reader, as counts. */
export class Latencies {
  private readonly counts = new Uint32Array(10_001);
  count = 0;

  add(ms: number): void {
    const slot = Math.max(0, Math.min(10_000, Math.round(ms)));
    this.counts[slot] = (this.counts[slot] ?? 0) + 1;
    this.count++;
  }

  quantile(share: number): number {
    let left = share * this.count;
    for (const [ms, count] of this.counts.entries()) {
      left -= count;
      if (left < 0) return ms;
    }
    return Number.NaN;
  }
}

/** Reads server-sent events to the end and checks their order. `slowly`: takes a little, then nothing for a while. */
export function readToEnd(
  url: string,
  latencies: Latencies | undefined,
  how: { readonly slowly?: boolean } = {},
): Promise<ReadRun> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false }, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`${url} answered ${answer.statusCode}.`));
      if (how.slowly === true) dawdle(answer);
      const seen = new Seen(latencies);
      answer.setEncoding('latin1');
      answer.on('data', (chunk: string) => seen.take(chunk));
      answer.on('end', () => resolve(seen));
      answer.on('error', reject);
    });
    request.on('error', reject);
  });
}

function dawdle(answer: IncomingMessage): void {
  answer.on('data', () => {
    answer.pause();
    setTimeout(() => answer.resume(), 100);
  });
}

class Seen implements ReadRun {
  entries = 0;
  bytes = 0;
  wrong = 0;
  ended = false;
  private text = '';
  private next = 0;
  /** What was written before the reader came has been waiting for it, not the other way round. */
  private readonly since = Date.now();
  private readonly latencies: Latencies | undefined;

  constructor(latencies: Latencies | undefined) {
    this.latencies = latencies;
  }

  take(chunk: string): void {
    this.bytes += chunk.length;
    this.text += chunk;
    let from = 0;
    for (let end = this.text.indexOf('\n\n'); end >= 0; end = this.text.indexOf('\n\n', from)) {
      this.event(this.text.slice(from, end));
      from = end + 2;
    }
    this.text = this.text.slice(from);
  }

  private event(block: string): void {
    if (block.startsWith('event: end')) this.ended = true;
    if (!block.startsWith('id: 0.')) return;
    const seq = Number(block.slice(6, block.indexOf('\n')));
    if (seq !== this.next) this.wrong++;
    this.next = seq + 1;
    this.entries++;
    const at = /"at":(\d+)/.exec(block)?.[1];
    if (at !== undefined && Number(at) >= this.since) this.latencies?.add(Date.now() - Number(at));
  }
}

/** Asks for events and never reads a byte. */
export function deafReader(url: string): Socket {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.pause();
  socket.on('error', () => undefined); // the server gives it up in the end, as it should
  socket.once('connect', () => socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`));
  return socket;
}
