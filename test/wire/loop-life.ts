import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Outcome } from 'flyball';
import type { ToolLoopResult } from 'flyball/loops';
import { root } from '../../scripts/files.mjs';
import type { LoopJob } from '../programs/loop-process.js';

/** test/programs/loop-process.ts as seen from the test that starts it. */
export interface LoopLife {
  /** The signal it died of, or its exit code. */
  readonly exited: Promise<NodeJS.Signals | number>;
  /** Gives it its job. */
  begin(job: LoopJob): void;
  /** Resolves when it has told this. */
  told(what: string): Promise<void>;
  /** How the run ended, where it got that far. */
  outcome(): Outcome<ToolLoopResult> | undefined;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

const PROGRAM = join(root, 'dist-programs/loop-process.js');
const living = new Set<ChildProcessWithoutNullStreams>();

/** Ends what a failed test left behind. */
export function endLives(): void {
  for (const child of living) child.kill('SIGKILL');
  living.clear();
}

/** Starts the process: it loads its code and waits for its job. */
export function newLife(): LoopLife {
  if (!existsSync(PROGRAM))
    throw new Error('The test programs are not built. Run `npm test`, or `node scripts/ensure.mjs` first.');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROGRAM], {
    env: { ...process.env, NODE_OPTIONS: '' }, // the hooks of a test runner are not for this process
  });
  living.add(child);
  child.stderr.setEncoding('utf8').on('data', (text: string) => process.stderr.write(text));
  child.stdin.on('error', () => undefined); // it was killed before it could read
  const exited = once(child, 'exit').then(([code, signal]) => {
    living.delete(child);
    return (signal ?? code) as NodeJS.Signals | number;
  });
  const said = new Set<string>();
  const listeners = new Map<string, () => void>();
  let ended: Outcome<ToolLoopResult> | undefined;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { tell, outcome } = JSON.parse(line) as { tell: string; outcome?: Outcome<ToolLoopResult> };
    ended = outcome ?? ended;
    said.add(tell);
    listeners.get(tell)?.();
  });
  return {
    exited,
    begin: (job) => void child.stdin.write(`${JSON.stringify(job)}\n`),
    told: (what) => (said.has(what) ? Promise.resolve() : new Promise((resolve) => listeners.set(what, resolve))),
    outcome: () => ended,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
