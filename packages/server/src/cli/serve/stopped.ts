import type { Screen } from 'flyball/internal';
import { EXIT, type ExitCode } from 'flyball/internal';

/** A terminal that is closed stops what runs in it, as orderly as a person or a service manager does. */
const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: EXIT.hungUp } as const;

/** Resolves with the exit code when somebody wants the process to end. The second time it ends at once, which the journal survives too. */
export function stopped(screen: Screen): { readonly asked: Promise<ExitCode>; stop(code: ExitCode): void } {
  let stop: (code: ExitCode) => void = () => undefined;
  const asked = new Promise<ExitCode>((resolve) => {
    stop = resolve;
  });
  let isAsked = false;
  for (const [signal, code] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      if (isAsked) process.exit(code);
      isAsked = true;
      screen.complain(
        'Stopping: waiting for runs to reach a safe point. Press Ctrl-C again to exit immediately; nothing is lost.',
      );
      stop(signal === 'SIGTERM' ? EXIT.ok : code); // a service manager that stops a service expects no failure
    });
  }
  return { asked, stop: (code) => stop(code) };
}
