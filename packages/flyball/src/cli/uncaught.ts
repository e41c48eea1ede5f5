import type { Runtime } from '../runtime/runtime.js';
import { EXIT } from './exit-codes.js';

/** Whom an error that nobody caught belongs to. */
export interface Uncaught {
  /** Fails the run whose code left it, and answers its id: `Runtime.blame`. */
  readonly blame: (error: unknown) => string | undefined;
  readonly tell: (error: unknown, run: string | undefined) => void;
  /** It was thrown, and by no run: nobody knows what state the process is in. */
  readonly leave: (error: unknown) => void;
}

/**
 * One agent must not take the runs of all others down. What its code leaves uncaught fails its own run. A rejection that
 * belongs to no run is told and harms nobody; anything else that is thrown ends the process in an orderly way.
 */
export function handleUncaught({ blame, tell, leave }: Uncaught): () => void {
  const rejected = (error: unknown): void => tell(error, blame(error));
  const thrown = (error: unknown): void => {
    const run = blame(error);
    tell(error, run);
    if (run === undefined) leave(error);
  };
  process.on('unhandledRejection', rejected);
  process.on('uncaughtException', thrown);
  return () => {
    process.off('unhandledRejection', rejected);
    process.off('uncaughtException', thrown);
  };
}

/** The same for a command that runs one thing. What belongs to no run is told as Node tells it; thrown, it ends the command. */
export function handleUncaughtOf(runtimes: () => readonly Pick<Runtime, 'blame'>[]): () => void {
  return handleUncaught({
    blame: (error) => {
      for (const runtime of runtimes()) {
        const run = runtime.blame(error);
        if (run !== undefined) return run;
      }
      return undefined;
    },
    tell: (error, run) => {
      // the run tells of its own
      if (run === undefined) process.emitWarning(`Uncaught error: ${textOf(error)}`);
    },
    leave: (error) => {
      process.stderr.write(`${textOf(error)}\n`);
      process.exit(EXIT.failed); // the journal survives that
    },
  });
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
