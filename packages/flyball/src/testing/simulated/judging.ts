import type { Family, SimulatedCall } from './simulated-model.js';

/** Parameters of `families.judge`. */
export interface JudgeParameters {
  /** Whether what it is shown is good: code that knows. */
  readonly isGood: (call: SimulatedCall) => boolean;
  /** Probability that it approves of what is good. */
  readonly tpr: number;
  /** Probability that it approves of what is bad. */
  readonly fpr: number;
  /** What it replies. */
  readonly says?: (approves: boolean, call: SimulatedCall) => string;
}

/** F3: approves of good work with `tpr` and of bad work with `fpr`. */
export function judge({ isGood, tpr, fpr, says = (approves) => (approves ? 'YES' : 'NO') }: JudgeParameters): Family {
  return (call) => says(call.chance('verdict') < (isGood(call) ? tpr : fpr), call);
}

/** Parameters of `families.comparer`. */
export interface ComparerParameters {
  /** Which of the two it is shown is better. */
  readonly better: (call: SimulatedCall) => 'first' | 'second';
  /** Probability that it sees which one is. */
  readonly sees: number;
  /** Probability that it takes the first one without looking. */
  readonly bias: number;
  readonly says: (choice: 'first' | 'second', call: SimulatedCall) => string;
}

/** F3 for two: favors the first place with `bias`, else sees the better one with `sees`. */
export function comparer({ better, sees, bias, says }: ComparerParameters): Family {
  return (call) => {
    if (call.chance('bias') < bias) return says('first', call);
    const right = better(call);
    const other = right === 'first' ? 'second' : 'first';
    return says(call.chance('sees') < sees ? right : other, call);
  };
}

/** Parameters of `families.router`. */
export interface RouterParameters {
  readonly labels: readonly string[];
  /** The right label of the call: code that knows. */
  readonly labelOf: (call: SimulatedCall) => string;
  /** Row: the right label. Column: what it says. Each row sums to 1. */
  readonly confusion: readonly (readonly number[])[];
}

/** F8: says a label by its confusion matrix. */
export function router({ labels, labelOf, confusion }: RouterParameters): Family {
  return (call) => {
    const row = confusion[labels.indexOf(labelOf(call))] ?? [];
    let left = call.chance('label');
    const said = row.findIndex((share) => {
      left -= share;
      return left < 0;
    });
    return labels[said] ?? labels.at(-1) ?? '';
  };
}

/** F9: does what an injected text wants with probability `obeys`, else its task. */
export function victim(parts: {
  readonly isInjected: (call: SimulatedCall) => boolean;
  readonly obeys: number;
  readonly attacked: Family;
  readonly task: Family;
}): Family {
  const { isInjected, obeys, attacked, task } = parts;
  return (call) => (isInjected(call) && call.chance('obeys') < obeys ? attacked(call) : task(call));
}
