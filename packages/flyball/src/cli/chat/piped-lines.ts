import { createInterface } from 'node:readline';
import { type Asking, onProcessSignals, type Person } from './person.js';

/** Lines from a file or a program. Each is the answer to the next question, and is written behind it, so that the output reads as a conversation. */
export function pipedLines(input: NodeJS.ReadableStream, write: (text: string) => void): Person {
  const lines = createInterface({ input, terminal: false });
  const ready: string[] = [];
  const stops: (() => void)[] = [];
  let isOver = false;
  let wake: () => void = () => undefined;
  lines.on('line', (line) => {
    ready.push(line);
    wake();
  });
  lines.on('close', () => {
    isOver = true;
    wake();
  });

  const next = ({ withdrawn }: Asking): Promise<string | undefined> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (ready.length === 0 && !isOver && !withdrawn.aborted) return;
        wake = () => undefined;
        withdrawn.removeEventListener('abort', look);
        resolve(withdrawn.aborted ? undefined : ready.shift());
      };
      wake = look;
      withdrawn.addEventListener('abort', look);
      look();
    });

  return {
    async ask(question, how) {
      write(question);
      const line = await next(how);
      write(`${line ?? ''}\n`);
      return line;
    },
    onInterrupt: (listener) => void stops.push(onProcessSignals(listener)),
    close: () => {
      lines.close();
      for (const stop of stops) stop();
    },
  };
}
