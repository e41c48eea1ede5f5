/** A stream of this process that may lose its reader, or its disk, while we go on. */
export interface Output {
  readonly isTTY: boolean;
  readonly columns: number;
  write(text: string): unknown;
  /** Nobody reads it any more. */
  readonly isClosed: boolean;
  /** Why what was written did not arrive, where that is not because nobody wants it. */
  readonly failure: Error | undefined;
}

/**
 * A reader that goes away (`flyball runs | head`, a log collector that is restarted) ends nothing: what is being done is
 * done to its end, and only what would have been told is lost. The stream is written to as it was found: whatever is put
 * in the place of its `write` later is for others.
 */
export function outputOn(stream: NodeJS.WriteStream): Output {
  const write = stream.write.bind(stream);
  let isClosed = false;
  let failure: Error | undefined;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (GONE.has(error.code ?? '')) isClosed = true;
    else failure ??= error;
  });
  return {
    isTTY: stream.isTTY === true,
    get columns() {
      return stream.columns ?? 0;
    },
    get isClosed() {
      return isClosed;
    },
    get failure() {
      return failure;
    },
    write: (text) => isClosed || write(text),
  };
}

/** EIO is what a terminal says that was closed. */
const GONE = new Set(['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']);

/** Resolves when what was written so far has been handed over. */
export function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}
