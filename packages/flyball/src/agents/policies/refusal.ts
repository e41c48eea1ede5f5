/** Which rule refuses a call, and what the model reads about it. */
export interface Refusal {
  readonly rule: GateRule;
  readonly because: string;
}

/** A rule of the gate of the governed policy. */
export type GateRule =
  | 'unknown-tool'
  | 'arguments'
  | 'retries'
  | 'discovery'
  | 'required'
  | 'identity'
  | 'verification'
  | 'level'
  | 'subject'
  | 'owner'
  | 'order';
