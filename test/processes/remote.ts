import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Budget, Outcome, RuntimeOptions } from 'flyball';
import type { ForkOptions } from '../../packages/flyball/src/runtime/runtime.js';
import { root } from '../../scripts/files.mjs';
import type { Strike } from '../programs/agent-process.js';

/** test/programs/agent-process.ts as seen from the test that starts it. */
export interface Remote {
  readonly pid: number;
  /** The signal it died of, or its exit code. */
  readonly exited: Promise<NodeJS.Signals | number>;
  open(opening: RemoteOpening): Promise<void>;
  start(
    agent: string,
    input: unknown,
    options?: { readonly id?: string; readonly budget?: Budget; readonly subject?: string },
  ): Promise<string>;
  fork(runId: string, options: ForkOptions): Promise<string>;
  resume(runId: string, options?: object): Promise<string>;
  /** At this time of the clock on the wall, to the millisecond. */
  resumeAt(runId: string, at: number): Promise<string>;
  signal(runId: string, name: string, payload?: unknown): Promise<string>;
  outcome(runId: string): Promise<Outcome<unknown>>;
  finished(runId: string): Promise<Outcome<unknown>>;
  /** Resolves when the process has said this. */
  told(what: string): Promise<void>;
  /** Another accident, from now on. */
  setStrike(strike: Strike): Promise<void>;
  /** Its clock is this far ahead from now on. */
  setClock(aheadMs: number): Promise<void>;
  /** Resolves when no body of an effect with this key runs there. */
  bodySettled(key: string): Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGSTOP and SIGCONT. */
  freeze(): void;
  thaw(): void;
}

export interface RemoteOpening {
  readonly path: string;
  readonly agents?: readonly string[];
  readonly options?: Partial<RuntimeOptions>;
  readonly aheadMs?: number;
  readonly stopAfterIntent?: boolean;
  readonly strike?: Strike;
}

const PROGRAM = join(root, 'dist-programs/agent-process.js');
const started = new Set<ChildProcessWithoutNullStreams>();

/** Ends what a failed test left behind, stopped processes included. */
export function killAll(): void {
  for (const child of started) child.kill('SIGKILL');
  started.clear();
}

/** Starts the process; it has its code in memory, but touches nothing before `open`. */
export function remote(): Remote {
  if (!existsSync(PROGRAM))
    throw new Error('The test programs are not built. Run `npm test`, or `node scripts/ensure.mjs` first.');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROGRAM], {
    env: { ...process.env, NODE_OPTIONS: '' }, // the hooks of a test runner are not for this process
  });
  started.add(child);
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (!text.includes('nobody catches this')) process.stderr.write(text);
  });
  child.stdin.on('error', () => undefined); // it was killed before it could read
  const exited = once(child, 'exit').then(([code, signal]) => {
    started.delete(child);
    return (signal ?? code) as NodeJS.Signals | number;
  });
  const said = new Set<string>();
  const listeners = new Map<string, () => void>();
  const open = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { tell, n, ...answer } = JSON.parse(line) as {
      tell?: string;
      n: number;
      value?: never;
      code?: string;
      message?: string;
    };
    if (tell !== undefined) {
      said.add(tell);
      listeners.get(tell)?.();
      return;
    }
    if (answer.code === undefined) open.get(n)?.resolve(answer.value as never);
    else open.get(n)?.reject(Object.assign(new Error(answer.message), { code: answer.code }));
    open.delete(n);
  });
  let requests = 0;
  // a killed process never answers: whoever waits for it waits for its end instead
  const request = <T>(method: string, ...parameters: readonly unknown[]): Promise<T> =>
    new Promise((resolve, reject) => {
      const n = ++requests;
      open.set(n, { resolve, reject });
      child.stdin.write(`${JSON.stringify({ n, method, parameters })}\n`);
    });

  return {
    pid: child.pid ?? 0,
    exited,
    open: (opening) => request('open', opening),
    start: (agent, input, options) => request('start', agent, input, options),
    resume: (runId, options) => request('resume', runId, options),
    resumeAt: (runId, at) => request('resume-at', runId, undefined, at),
    signal: (runId, name, payload) => request('signal', runId, name, payload),
    outcome: (runId) => request('outcome', runId),
    finished: (runId) => request('finished', runId),
    fork: (runId, options) => request('fork', runId, options),
    setStrike: (strike) => request('strike', strike),
    setClock: (aheadMs) => request('clock', aheadMs),
    bodySettled: (key) => request('body-settled', key),
    told: (what) => (said.has(what) ? Promise.resolve() : new Promise((resolve) => listeners.set(what, resolve))),
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
  };
}
