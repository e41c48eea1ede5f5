import type { SandboxDescription } from './sandbox.js';

/**
 * Evaluates JavaScript that a model wrote. The code is the body of an async function: it reads `input`, may log to
 * `console`, may call the functions it was given, and returns JSON. It reaches nothing else.
 *
 * Contract: every evaluation starts from nothing; a limit that trips ends it and is named in the result; what the code
 * throws is a result. `evaluate` rejects only when the sandbox itself is not there.
 */
export interface CodeSandbox {
  readonly name: string;
  describe(): SandboxDescription;
  evaluate(job: CodeJob, how: { readonly signal: AbortSignal }): Promise<CodeResult>;
}

/** JavaScript to run in a sandbox, with its input, functions and limits. */
export interface CodeJob {
  readonly code: string;
  /** JSON, readable as `input`. */
  readonly input?: unknown;
  /** What the code may call, by name, with JSON in and JSON out: `await name(value)`. They should change nothing. */
  readonly functions?: Readonly<Record<string, (value: unknown) => unknown>>;
  readonly limits?: Partial<CodeLimits>;
  /** Without it, the code reads the clock of the machine and real random numbers. */
  readonly repeatable?: Repeatable;
}

/**
 * What makes an evaluation repeatable: the same code with the same input, answers, times and seed makes the same calls in
 * the same order and ends the same, on every machine. Answers reach the code in the order of its calls, one after the other.
 */
export interface Repeatable {
  /** What the code reads as the time, in milliseconds, once that many of its calls are answered. */
  now(answered: number): number;
  /** Where its random numbers begin: a whole number below 2³². */
  readonly seed: number;
}

export interface CodeLimits {
  readonly wallMs: number;
  readonly memoryMb: number;
  /** Of the returned JSON, and of what is logged. */
  readonly outputBytes: number;
  readonly calls: number;
}

export const CODE_LIMITS: CodeLimits = { wallMs: 5000, memoryMb: 64, outputBytes: 64 * 1024, calls: 100 };

export type CodeEnd =
  | { readonly how: 'value'; readonly value: unknown }
  | { readonly how: 'error'; readonly name: string; readonly message: string; readonly stack?: string }
  | { readonly how: 'limit'; readonly limit: keyof CodeLimits; readonly allowed: number }
  /** Everything is done and the code still waits. */
  | { readonly how: 'stuck' }
  | { readonly how: 'aborted' };

/** How sandboxed JavaScript ended, and what it logged. */
export interface CodeResult {
  readonly end: CodeEnd;
  readonly logs: readonly string[];
  /** Lines that did not fit. */
  readonly elidedLogs: number;
  readonly usage: { readonly wallMs: number };
}
