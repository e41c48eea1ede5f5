/** Who is talked with: somebody at a keyboard, or the lines of a pipe. */
export interface Person {
  /** The next line they give; undefined when there will be none any more, or the question was withdrawn. */
  ask(question: string, how: Asking): Promise<string | undefined>;
  /** Called with every Ctrl-C and every request to end. */
  onInterrupt(listener: (signal: 'SIGINT' | 'SIGTERM') => void): void;
  close(): void;
}

export interface Asking {
  /**
   * `message`: what was typed ahead counts, and lines that are pasted together are one message. `decision`: only what is
   * typed after the question was read counts, because an answer given before it was not meant for it.
   */
  readonly kind: 'message' | 'decision';
  /** The question is void: somebody else has answered it. */
  readonly withdrawn: AbortSignal;
}

/** Tells about the signals of the process, and stops when it is told to. */
export function onProcessSignals(listener: (signal: 'SIGINT' | 'SIGTERM') => void): () => void {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}
