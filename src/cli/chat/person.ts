import { createInterface, type Interface } from 'node:readline';
import type { Screen } from '../screen.js';

/** The person at the keyboard, or the lines of a file where there is none. */
export interface Person {
  /** The next line; undefined when there will be none. */
  ask(question: string): Promise<string | undefined>;
  /** Called on Ctrl-C. */
  onInterrupt(listener: () => void): void;
  close(): void;
}

export function personOn(input: NodeJS.ReadableStream & { readonly isTTY?: boolean }, screen: Screen): Person {
  const terminal = input.isTTY === true && screen.live;
  const lines = createInterface({ input, terminal, ...(terminal ? { output: process.stdout } : {}) });
  const waiting: ((line: string | undefined) => void)[] = [];
  const buffered: string[] = [];
  let isOver = false;
  lines.on('line', (line) => {
    const reader = waiting.shift();
    if (reader === undefined) buffered.push(line);
    else reader(line);
  });
  lines.on('close', () => {
    isOver = true;
    for (const reader of waiting.splice(0)) reader(undefined);
  });
  return {
    ask: (question) => {
      show(lines, { question, terminal, screen });
      const ready = buffered.shift();
      if (ready !== undefined || isOver) return Promise.resolve(ready);
      return new Promise((resolve) => waiting.push(resolve));
    },
    onInterrupt: (listener) => {
      lines.on('SIGINT', listener);
      process.on('SIGINT', listener);
    },
    close: () => lines.close(),
  };
}

function show(
  lines: Interface,
  { question, terminal, screen }: { readonly question: string; readonly terminal: boolean; readonly screen: Screen },
): void {
  if (terminal) {
    lines.setPrompt(question);
    lines.prompt();
  } else {
    screen.line(question.trimEnd());
  }
}
