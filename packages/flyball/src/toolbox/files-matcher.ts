import { Worker } from 'node:worker_threads';
import { FlyballError } from '../core/errors.js';

export interface LineMatch {
  readonly line: number;
  readonly text: string;
}

/** Finds the lines of a text that match. */
export interface Matcher {
  match(text: string, max: number): Promise<readonly LineMatch[]>;
  close(): Promise<void>;
}

const SHOWN_CHARACTERS = 300;
const WORKER_MEMORY_MB = 128;

export function literalMatcher(query: string, ignoreCase: boolean): Matcher {
  const wanted = ignoreCase ? query.toLowerCase() : query;
  return {
    async match(text, max) {
      const found: LineMatch[] = [];
      for (const [index, line] of text.split('\n').entries()) {
        const at = (ignoreCase ? line.toLowerCase() : line).indexOf(wanted);
        if (at >= 0) found.push({ line: index + 1, text: excerpt(line, at) });
        if (found.length >= max) break;
      }
      return found;
    },
    close: async () => undefined,
  };
}

function excerpt(line: string, at: number): string {
  const start = at < SHOWN_CHARACTERS - 100 ? 0 : at - 100;
  return line.slice(start, start + SHOWN_CHARACTERS).trimEnd();
}

/**
 * Runs in a thread of its own: the engine backtracks, a model can write a pattern that takes years, and a thread is
 * all that can be ended then. As text, because a file would have another name in the sources and in the package.
 */
const WORKER = `
const { parentPort, workerData } = require('node:worker_threads');
const pattern = new RegExp(workerData.source, workerData.flags);
parentPort.on('message', ({ text, max }) => {
  const found = [];
  const lines = text.split('\\n');
  for (let index = 0; index < lines.length && found.length < max; index++) {
    const line = lines[index].endsWith('\\r') ? lines[index].slice(0, -1) : lines[index];
    const match = pattern.exec(line);
    if (match === null) continue;
    const start = match.index < ${SHOWN_CHARACTERS - 100} ? 0 : match.index - 100;
    found.push({ line: index + 1, text: line.slice(start, start + ${SHOWN_CHARACTERS}).trimEnd() });
  }
  parentPort.postMessage(found);
});
`;

/** Line by line; throws at once for what is no regular expression. One text is matched at a time. */
export function patternMatcher(
  source: string,
  options: { readonly ignoreCase: boolean; readonly timeoutMs: number; readonly signal: AbortSignal },
): Matcher {
  const flags = options.ignoreCase ? 'i' : '';
  try {
    new RegExp(source, flags);
  } catch (error) {
    throw new FlyballError('EFFECT_FAILED', `${(error as Error).message}. Search literally, or fix the pattern.`);
  }
  const worker = new Worker(WORKER, {
    eval: true,
    workerData: { source, flags },
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: WORKER_MEMORY_MB },
  });
  let fail: (error: Error) => void = () => undefined;
  const stop = (error: Error): void => {
    fail(error);
    void worker.terminate();
  };
  const timer = setTimeout(() => stop(tooSlow(source, options.timeoutMs)), options.timeoutMs);
  const onAbort = (): void => stop(options.signal.reason as Error);
  options.signal.addEventListener('abort', onAbort, { once: true });
  return {
    match: (text, max) =>
      new Promise((resolve, reject) => {
        fail = reject;
        worker.once('message', resolve);
        worker.once('error', reject);
        worker.postMessage({ text, max });
      }).finally(() => worker.removeAllListeners()) as Promise<readonly LineMatch[]>,
    async close() {
      clearTimeout(timer);
      options.signal.removeEventListener('abort', onAbort);
      await worker.terminate();
    },
  };
}

function tooSlow(source: string, timeoutMs: number): FlyballError {
  return new FlyballError(
    'EFFECT_FAILED',
    `The pattern ${source} took longer than ${timeoutMs} ms. Repetitions inside repetitions, such as (a+)+, make it slow: ` +
      'simplify it, narrow glob or path, or search literally.',
  );
}
