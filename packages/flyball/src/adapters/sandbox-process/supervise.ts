import type { Captured, LimitName, SandboxLimits } from '../../ports/sandbox.js';
import { Capture } from './capture.js';
import { type ChildEnd, type Pipeline, type StageStart, startPipeline } from './pipeline.js';
import { killGroup } from './process-group.js';

export interface Supervision {
  readonly stdin: string | Uint8Array | undefined;
  readonly limits: SandboxLimits;
  readonly signal: AbortSignal;
  /** Asked again and again while the job runs: limits that are only seen from outside it. */
  readonly tripped?: () => LimitName | undefined;
  /** Ends what is not in the groups of the stages. */
  readonly killRest?: () => void;
}

export type Stopped = LimitName | 'aborted';

export interface Supervised {
  /** Why it was ended from outside, where it was. */
  readonly stopped: Stopped | undefined;
  readonly stages: readonly ChildEnd[];
  readonly stdout: Captured;
  readonly stderr: Captured;
  readonly wallMs: number;
}

const WATCH_MS = 25;
/** How long after the end of all processes something may still hold the streams. */
const LINGER_MS = 1000;

/** Runs a pipeline to its end or to the first limit, whichever comes first. No process of it is left when this returns. */
export async function supervise(stages: readonly StageStart[], how: Supervision): Promise<Supervised> {
  const began = performance.now();
  const [stdout, stderr] = [new Capture(how.limits.outputBytes), new Capture(how.limits.outputBytes)];
  const pipeline = startPipeline(stages, { stdin: how.stdin, stdout, stderr });
  const kill = () => {
    pipeline.leaders.forEach(killGroup);
    how.killRest?.();
  };
  const stopped = await exitOrStop(pipeline, how, kill);
  kill(); // also after an orderly end: what a program leaves running in the background is not kept
  await drainedOrReleased(pipeline);
  return {
    stopped: stopped ?? how.tripped?.(),
    stages: pipeline.ends(),
    stdout: stdout.end(),
    stderr: stderr.end(),
    wallMs: Math.round(performance.now() - began),
  };
}

async function exitOrStop(pipeline: Pipeline, how: Supervision, kill: () => void): Promise<Stopped | undefined> {
  let stopped: Stopped | undefined;
  const stop = (why: Stopped) => {
    stopped ??= why;
    kill();
  };
  const onAbort = () => stop('aborted');
  const wall = setTimeout(() => stop('wallMs'), how.limits.wallMs);
  const watch = setInterval(() => {
    const limit = how.tripped?.();
    if (limit !== undefined) stop(limit);
  }, WATCH_MS);
  how.signal.addEventListener('abort', onAbort, { once: true });
  if (how.signal.aborted) onAbort();
  try {
    await pipeline.exited;
  } finally {
    clearTimeout(wall);
    clearInterval(watch);
    how.signal.removeEventListener('abort', onAbort);
  }
  return stopped;
}

async function drainedOrReleased(pipeline: Pipeline): Promise<void> {
  const patience = setTimeout(() => pipeline.release(), LINGER_MS);
  await pipeline.drained;
  clearTimeout(patience);
}
