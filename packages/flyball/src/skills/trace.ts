/** One call that was made, and whether it did what it was made for. */
export interface TraceStep {
  readonly tool: string;
  readonly args: unknown;
  readonly ok: boolean;
  readonly result?: string;
}

/** What a skill is distilled from. */
export interface Trace {
  readonly task: string;
  readonly steps: readonly TraceStep[];
  readonly answer: string;
}

/** Whether the work succeeded, by somebody who knows. `unknown` is no success. */
export interface SuccessVerdict {
  readonly verdict: 'passed' | 'failed' | 'unknown';
  readonly because: string;
}
