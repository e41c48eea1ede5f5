import type { CodeEnd, CodeLimits } from '../../ports/code-sandbox.js';

/** Lines of JSON between this process and the one that evaluates. The other side is not believed: every line is checked. */
export interface WorkerJob {
  readonly code: string;
  /** JSON, or undefined for no input. */
  readonly input: string | undefined;
  readonly functions: readonly string[];
  readonly limits: CodeLimits;
  /** The time when the code begins, and where its random numbers begin; undefined: those of this machine. */
  readonly repeatable: { readonly now: number; readonly seed: number } | undefined;
  /** Package with the build of QuickJS to load. */
  readonly variant: string;
}

/** Answer to a call: JSON text, or what went wrong. */
export interface WorkerAnswer {
  readonly id: number;
  readonly value?: string;
  readonly error?: string;
  /** The time from here on, where it is not that of the machine. */
  readonly now?: number;
}

export type WorkerLine =
  /** QuickJS is loaded and the clock runs. */
  | { readonly type: 'ready' }
  | { readonly type: 'missing'; readonly message: string }
  | { readonly type: 'call'; readonly id: number; readonly name: string; readonly value: string }
  | { readonly type: 'end'; readonly end: WorkerEnd; readonly logs: readonly string[]; readonly elidedLogs: number };

/** The value is JSON text: whether it is any is for the reader to find out. */
export type WorkerEnd =
  | Exclude<CodeEnd, { readonly how: 'value' | 'aborted' }>
  | { readonly how: 'value'; readonly json: string };
