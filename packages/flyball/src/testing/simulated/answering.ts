import { betaOf, normalOf } from './draw.js';
import type { Questions } from './questions.js';
import type { Family, SimulatedCall } from './simulated-model.js';

/** Parameters of `families.oracle`. */
export interface OracleParameters {
  readonly questions: Questions;
  /** Probability of the right answer. */
  readonly p: number;
  /** How many wrong answers there are, all equally likely: 1 where it is absent. */
  readonly wrong?: number;
  /** Share of the items on which all samples say the same: what samples of one model have in common. */
  readonly common?: number;
  /** Instead of one p for all items: p of an item is drawn from Beta(a, b), whole numbers. */
  readonly difficulty?: { readonly a: number; readonly b: number };
  /** Share of calls that give no answer. */
  readonly abstains?: number;
}

/** F1: right with p, else one of the wrong answers. */
export function oracle({ questions, p, wrong = 1, common = 0, difficulty, abstains = 0 }: OracleParameters): Family {
  return (call) => {
    const isCommon = call.shared('common') < common;
    const chance = (purpose: string): number => (isCommon ? call.shared(purpose) : call.chance(purpose));
    if (chance('abstains') < abstains) return { text: '', finish: 'error' };
    const able =
      difficulty === undefined ? p : betaOf(difficulty.a, difficulty.b, (n) => call.shared(`difficulty ${n}`));
    if (chance('right') < able) return questions.truth(call.item);
    return questions.wrong(call.item, Math.floor(chance('which') * wrong));
  };
}

/** The mark of notes that help. */
export const HINT = 'HINT';

/** Parameters of `families.improver`. */
export interface ImproverParameters {
  readonly questions: Questions;
  /** Probability of a right answer at first. */
  readonly p: number;
  /** The same where its prompt holds a note that helps. */
  readonly helped: number;
  /** Share of calls that do not look at the notes. */
  readonly forgets?: number;
  /** Wrong answers that it chooses from. */
  readonly wrong?: number;
}

/** F2: right with p, and with `helped` once somebody said something useful. */
export function improver({ questions, p, helped, forgets = 0, wrong = 1_000 }: ImproverParameters): Family {
  return (call) => {
    const isHelped = call.text.includes(HINT) && call.chance('forgets') >= forgets;
    if (call.chance('right') < (isHelped ? helped : p)) return questions.truth(call.item);
    return questions.wrong(call.item, Math.floor(call.chance('which') * wrong));
  };
}

/** F2, the other side: notes that help with probability `useful`. */
export function critic({ useful }: { readonly useful: number }): Family {
  return (call) => (call.chance('useful') < useful ? `Task #${call.item}: ${HINT}` : `Task #${call.item}: try again`);
}

/** Parameters of `families.reader`. */
export interface ReaderParameters {
  readonly questions: Questions;
  /** What has to stand in the prompt for the answer to be known; nothing where it is absent. */
  readonly needs?: (item: number) => string;
  /** Tokens after which a fact is used with probability 1/e. */
  readonly length: number;
  /** `decay`: exp(-tokens / length). `middle`: what stands at the edges is used, by the same law from the nearer edge. */
  readonly curve?: 'decay' | 'middle';
  /** Probability of a right answer without the fact. */
  readonly guess?: number;
}

const CHARS_PER_TOKEN = 4;

/** How likely a reader uses what it needs, by the tokens it has to read. */
export function attention(tokens: number, length: number): number {
  return Math.exp(-tokens / length);
}

/** F4: uses a fact of its context the less, the longer the context is. */
export function reader({ questions, needs, length, curve = 'decay', guess = 0 }: ReaderParameters): Family {
  return (call) => {
    const fact = needs?.(call.item);
    const at = fact === undefined ? 0 : call.text.indexOf(fact);
    const distance = curve === 'decay' ? call.text.length : Math.min(at, call.text.length - at);
    const able = at < 0 ? guess : Math.max(guess, attention(distance / CHARS_PER_TOKEN, length));
    return call.chance('uses') < able ? questions.truth(call.item) : questions.wrong(call.item, 0);
  };
}

/** Parameters of `families.hopper`. */
export interface HopperParameters {
  readonly questions: Questions;
  /** Probability of getting one hop right. */
  readonly p: number;
  readonly hops: number;
  /** What is lost on top where all hops are made in one call. */
  readonly gap: number;
}

/** F5: a chain of hops. `Hop <n>` in the prompt asks for one; without it all are made at once, and the gap is lost. */
export function hopper({ questions, p, hops, gap }: HopperParameters): Family {
  return (call) => {
    const isOne = /Hop \d+/.test(call.text);
    const able = isOne ? p : p ** hops * (1 - gap);
    return call.chance('hop') < able ? questions.truth(call.item) : questions.wrong(call.item, 0);
  };
}

/** F6: proposes the right move with probability `hit`, else one of the others. */
export function mover(moves: (call: SimulatedCall) => readonly [string, ...string[]], hit: number): Family {
  return (call) => {
    const [right, ...others] = moves(call);
    if (others.length === 0 || call.chance('move') < hit) return right;
    return others[Math.floor(call.chance('which') * others.length)] ?? right;
  };
}

/** F6, the other side: says the value of a state, with noise of this deviation. */
export function scorer(value: (call: SimulatedCall) => number, sigma: number): Family {
  return (call) => (value(call) + sigma * normalOf(call.chance('u'), call.chance('v'))).toFixed(6);
}
