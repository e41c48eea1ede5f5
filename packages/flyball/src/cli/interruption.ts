import type { Runtime } from '../index.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import type { Screen } from './screen.js';

/** Somebody stopped this process; the run was given back and can be resumed. */
export interface Interrupted {
  readonly kind: 'interrupted';
  readonly exitCode: ExitCode;
}

const DRAIN_MS = 60_000;
const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: EXIT.hungUp } as const;

/** The first Ctrl-C gives the run back at a safe point; the second leaves at once, which the journal survives too. */
export function interruptible(
  runtime: Runtime,
  screen: Screen,
): { readonly happened: Promise<Interrupted>; asked(): boolean; stop(): void } {
  let asked = false;
  let resolve: (rest: Interrupted) => void = () => undefined;
  const happened = new Promise<Interrupted>((given) => {
    resolve = given;
  });
  const handler = (signal: NodeJS.Signals): void => {
    const exitCode = SIGNALS[signal as keyof typeof SIGNALS];
    if (asked) process.exit(exitCode);
    asked = true;
    screen.complain('Stopping at a safe point. Press Ctrl-C again to exit immediately; nothing is lost either way.');
    runtime.close({ drainMs: DRAIN_MS }).then(
      () => resolve({ kind: 'interrupted', exitCode }),
      () => resolve({ kind: 'interrupted', exitCode }),
    );
  };
  for (const signal of Object.keys(SIGNALS)) process.on(signal, handler);
  return {
    happened,
    asked: () => asked,
    stop: () => {
      for (const signal of Object.keys(SIGNALS)) process.off(signal, handler);
    },
  };
}
