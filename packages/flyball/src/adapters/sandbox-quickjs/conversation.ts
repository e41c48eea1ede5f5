import type { ChildProcess } from 'node:child_process';
import type { CodeJob, Repeatable } from '../../ports/code-sandbox.js';
import { Capture } from '../sandbox-process/capture.js';
import { killGroup } from '../sandbox-process/process-group.js';
import type { WorkerAnswer, WorkerEnd, WorkerJob, WorkerLine } from './protocol.js';
import { startWorker } from './quickjs-process.js';
import { readWorkerLine } from './worker-lines.js';

type Said = WorkerEnd | { readonly how: 'aborted' } | { readonly how: 'missing'; readonly message: string };

export interface Heard {
  readonly said: Said;
  readonly logs: readonly string[];
  readonly elidedLogs: number;
  readonly wallMs: number;
}

/** Starting Node and loading QuickJS is not the code's time, but it has an end too. */
const START_MS = 20_000;
/** The worker ends by itself at the limit; this much later it is killed. */
const GRACE_MS = 500;

/** One evaluation with a worker of its own: sends the job, answers calls, and kills the worker at the end, whatever it was. */
export class Conversation {
  private readonly job: WorkerJob;
  private readonly functions: NonNullable<CodeJob['functions']>;
  private readonly repeatable: Repeatable | undefined;
  private readonly signal: AbortSignal;
  private readonly child: ChildProcess;
  private readonly stderr = new Capture(8192);
  private readonly began = performance.now();
  private readonly heard: Promise<Heard>;
  private settle: (heard: Omit<Heard, 'wallMs'>) => void = () => undefined;
  private timer: NodeJS.Timeout;
  private readyAt: number | undefined;
  private calls = 0;
  private received = 0;
  private rest = '';

  constructor(job: WorkerJob, { functions = {}, repeatable }: CodeJob, signal: AbortSignal) {
    this.job = job;
    this.functions = functions;
    this.repeatable = repeatable;
    this.signal = signal;
    this.child = startWorker(job.limits);
    this.timer = setTimeout(() => this.end(this.limit('wallMs')), START_MS);
    this.heard = new Promise((resolve) => {
      this.settle = (heard) =>
        resolve({ ...heard, wallMs: Math.round(performance.now() - (this.readyAt ?? this.began)) });
    });
    this.listen();
    this.send(job);
  }

  async result(): Promise<Heard> {
    const onAbort = () => this.end({ how: 'aborted' });
    this.signal.addEventListener('abort', onAbort, { once: true });
    if (this.signal.aborted) onAbort();
    try {
      return await this.heard;
    } finally {
      clearTimeout(this.timer);
      this.signal.removeEventListener('abort', onAbort);
      if (this.child.pid !== undefined) killGroup(this.child.pid);
    }
  }

  private listen(): void {
    this.child.stdin?.on('error', () => undefined); // it may be gone before it has read everything
    this.child.stderr?.on('data', (chunk: Buffer) => this.stderr.write(chunk));
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => this.receive(text));
    this.child.once('error', (error) => this.end({ how: 'missing', message: error.message }));
    this.child.once('close', () => this.end(this.death()));
  }

  private receive(text: string): void {
    this.received += text.length;
    // logs, calls and result each have their own limit inside; a worker that exceeds all of them together is not ours
    if (this.received > this.job.limits.outputBytes * (this.job.limits.calls + 4) + 65_536)
      return this.end(this.limit('outputBytes'));
    const lines = `${this.rest}${text}`.split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.hear(readWorkerLine(line));
  }

  private hear(line: WorkerLine | undefined): void {
    if (line === undefined)
      return this.end({ how: 'error', name: 'Error', message: 'The sandbox answered with nonsense.' });
    if (line.type === 'ready') {
      this.readyAt = performance.now();
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.end(this.limit('wallMs')), this.job.limits.wallMs + GRACE_MS);
    } else if (line.type === 'missing') this.end({ how: 'missing', message: line.message });
    else if (line.type === 'end') this.settle({ said: line.end, logs: line.logs, elidedLogs: line.elidedLogs });
    else void this.call(line).then((answer) => this.send(answer));
  }

  private async call(call: WorkerLine & { readonly type: 'call' }): Promise<WorkerAnswer> {
    const answer = await this.made(call);
    return this.repeatable === undefined ? answer : { ...answer, now: this.repeatable.now(call.id) };
  }

  /** Counted here as well: the worker's own count is a promise of the side that is not believed. */
  private async made({ id, name, value }: WorkerLine & { readonly type: 'call' }): Promise<WorkerAnswer> {
    const made = Object.hasOwn(this.functions, name) ? this.functions[name] : undefined;
    if (made === undefined || ++this.calls > this.job.limits.calls)
      return { id, error: `There is no function ${name}.` };
    try {
      return { id, value: JSON.stringify(await made(JSON.parse(value) as unknown)) ?? 'null' };
    } catch (error) {
      return { id, error: error instanceof Error ? error.message : String(error) };
    }
  }

  private send(line: WorkerJob | WorkerAnswer): void {
    this.child.stdin?.write(`${JSON.stringify(line)}\n`);
  }

  private end(said: Said): void {
    this.settle({ said, logs: [], elidedLogs: 0 });
  }

  private limit(limit: 'wallMs' | 'outputBytes'): WorkerEnd {
    return { how: 'limit', limit, allowed: this.job.limits[limit] };
  }

  /** It ended without saying how: while loading something is missing; later it is the lack of memory that ends a process. */
  private death(): Said {
    const text = this.stderr.end().head.trim().slice(-500);
    if (this.readyAt === undefined) return { how: 'missing', message: text || 'it gives no reason' };
    const signal = this.child.signalCode;
    if (signal === 'SIGXCPU') return this.limit('wallMs');
    if (signal !== null) return { how: 'limit', limit: 'memoryMb', allowed: this.job.limits.memoryMb };
    return { how: 'error', name: 'Error', message: `The sandbox ended with exit code ${this.child.exitCode}: ${text}` };
  }
}
