import { EXIT } from '../exit-codes.js';
import type { Screen } from '../screen.js';

/** Resolves when somebody wants the process to end. The second time it ends at once, which the journal survives too. */
export function stopped(screen: Screen): Promise<'SIGINT' | 'SIGTERM'> {
  return new Promise((resolve) => {
    let asked = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (asked) process.exit(signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated);
        asked = true;
        screen.complain(
          'Stopping: runs are brought to a safe point. Press Ctrl-C again to leave at once; nothing is lost.',
        );
        resolve(signal);
      });
    }
  });
}
