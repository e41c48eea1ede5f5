/** What somebody else than the log writes to the streams of this process, line by line. */
export type Captured = (stream: 'stdout' | 'stderr', line: string) => void;

/** A line that never ends is told in pieces. */
const LONGEST = 16_384;

/**
 * Agents and their packages print. In a log of JSON a line of theirs is one that no collector can read, so each becomes
 * a line of the log. Answers how to let go.
 */
export function captureOutput(tell: Captured): () => void {
  const stops = [
    capture(process.stdout, (line) => tell('stdout', line)),
    capture(process.stderr, (line) => tell('stderr', line)),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function capture(stream: NodeJS.WriteStream, tell: (line: string) => void): () => void {
  const write = stream.write;
  let rest = '';
  const take = (text: string): void => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') tell(line);
    for (; rest.length > LONGEST; rest = rest.slice(LONGEST)) tell(rest.slice(0, LONGEST));
  };
  stream.write = ((chunk: string | Uint8Array, ...more: unknown[]): boolean => {
    take(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'));
    const done = more.find((each) => typeof each === 'function') as (() => void) | undefined;
    if (done !== undefined) process.nextTick(done);
    return true;
  }) as typeof stream.write;
  return () => {
    stream.write = write;
    if (rest !== '') tell(rest);
  };
}
