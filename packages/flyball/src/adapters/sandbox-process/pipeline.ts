import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { Capture } from './capture.js';
import { type Stdio, withDescriptors } from './inherited-descriptors.js';
import { closePipes, makePipes } from './kernel-pipes.js';

/** Stands among the descriptors of a stage for one that the process writes a report to. */
export const REPORT = Symbol('report');

/** One process of a pipeline, as it is to be started. */
export interface StageStart {
  readonly file: string;
  readonly arguments: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Descriptors from 3 on: what is to be read there, or `REPORT`. */
  readonly descriptors?: readonly (string | Uint8Array | typeof REPORT)[];
}

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** It could not even be started. */
  readonly failure?: Error;
  /** What it wrote to its report descriptor, and the first of what it wrote to stderr. */
  readonly report: string;
  readonly stderr: string;
}

export interface Pipeline {
  /** Process ids of those that could be started; each leads a group. */
  readonly leaders: readonly number[];
  /** All processes have exited; what they left behind may still hold the streams. */
  readonly exited: Promise<void>;
  /** Every stream has ended. */
  readonly drained: Promise<void>;
  /** Lets go of streams that somebody out of reach still holds. */
  release(): void;
  ends(): readonly ChildEnd[];
}

/** Starts the stages as processes, each the leader of a group of its own, with a pipe of the kernel between neighbors. */
export function startPipeline(
  stages: readonly StageStart[],
  io: { readonly stdin: string | Uint8Array | undefined; readonly stdout: Capture; readonly stderr: Capture },
): Pipeline {
  const pipes = makePipes(stages.length - 1);
  const children = stages.map((stage, index) => {
    const input = pipes[index - 1]?.reader ?? (io.stdin === undefined ? 'ignore' : 'pipe');
    return new StageProcess(stage, [input, pipes[index]?.writer ?? 'pipe'], io);
  });
  closePipes(pipes); // this process must not hold them, or a reader never sees the end
  feed(children[0]?.child.stdin, io.stdin);
  return {
    leaders: children.flatMap(({ leader }) => leader ?? []),
    exited: Promise.all(children.map(({ exited }) => exited)).then(() => undefined),
    drained: Promise.all(children.map(({ closed }) => closed)).then(() => undefined),
    release: () => {
      for (const stream of children.flatMap(({ child }) => child.stdio)) stream?.destroy();
    },
    ends: () => children.map((each) => each.end()),
  };
}

const KEPT_OF_STAGE = 4096;

class StageProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<void>;
  readonly closed: Promise<void>;
  private readonly stderr = new Capture(KEPT_OF_STAGE);
  private readonly report = new Capture(KEPT_OF_STAGE);
  private how: Pick<ChildEnd, 'code' | 'signal' | 'failure'> = { code: null, signal: null };

  constructor(
    stage: StageStart,
    ends: readonly [Stdio, Stdio],
    io: { readonly stdout: Capture; readonly stderr: Capture },
  ) {
    this.child = start(stage, ends);
    this.child.stdout?.on('data', (chunk: Buffer) => io.stdout.write(chunk));
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr.write(chunk);
      io.stderr.write(chunk);
    });
    this.attend(stage.descriptors ?? []);
    this.exited = new Promise((resolve) => {
      this.child.once('exit', (code, signal) => {
        this.how = { code, signal };
        resolve();
      });
      this.child.once('error', (failure) => {
        this.how = { code: null, signal: null, failure };
        resolve();
      });
    });
    this.closed = new Promise((resolve) => {
      this.child.once('close', () => resolve());
      if (this.leader === undefined) this.child.once('error', () => resolve()); // never started: no close follows
    });
  }

  get leader(): number | undefined {
    return this.child.pid;
  }

  end(): ChildEnd {
    return { ...this.how, report: this.report.end().head, stderr: this.stderr.end().head };
  }

  private attend(descriptors: readonly (string | Uint8Array | typeof REPORT)[]): void {
    for (const [index, content] of descriptors.entries()) {
      const stream = this.child.stdio[index + 3];
      if (content === REPORT) stream?.on('data', (chunk: Buffer) => this.report.write(chunk));
      else feed(stream as Writable | null | undefined, content);
    }
  }
}

function start(stage: StageStart, ends: readonly [Stdio, Stdio]): ChildProcess {
  const more = (stage.descriptors ?? []).map(() => 'pipe' as const);
  return withDescriptors([...ends, 'pipe', ...more], (stdio) =>
    spawn(stage.file, stage.arguments, {
      env: stage.env,
      detached: true, // a group and session of its own: no terminal, and one signal reaches all of it
      shell: false,
      stdio,
      ...(stage.cwd === undefined ? {} : { cwd: stage.cwd }),
    }),
  );
}

/** A program may end without reading what it is given: that is its own affair. */
function feed(stream: Writable | null | undefined, content: string | Uint8Array | undefined): void {
  stream?.on('error', () => undefined);
  if (content !== undefined) stream?.end(content);
}
