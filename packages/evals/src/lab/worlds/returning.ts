import { draw } from '../simulated.js';
import { mark } from './arithmetic.js';
import { evaluate } from './expression.js';

/** Days between two sessions of a user, on a clock of the world. */
const DAY_MS = 86_400_000;
/** Sessions that a user comes back for. */
export const SESSIONS = 50;

/** What users want: words that no other kind has, and the rule of what comes out. */
const KINDS: readonly { readonly words: string; readonly rule: string }[] = [
  { words: 'convert meter reading', rule: 'a × 3 + b' },
  { words: 'refund kettle purchase', rule: 'a - b' },
  { words: 'renew garden permit', rule: 'a + b × 2' },
  { words: 'reroute courier parcel', rule: '(a + b) × 2' },
  { words: 'translate harbor notice', rule: 'a × b' },
  { words: 'balance quarter ledger', rule: 'a + b' },
  { words: 'measure window frame', rule: '(a - b) × 4' },
  { words: 'schedule dentist visit', rule: 'a × 2 - b' },
];

/** A session of a user. */
export interface Visit {
  readonly kind: string;
  readonly a: number;
  readonly b: number;
  /** On the clock of the world. */
  readonly atMs: number;
  readonly ask: string;
  readonly truth: string;
}

const numberOf = (...of: readonly (string | number)[]): number => 101 + Math.floor(draw('W8', ...of) * 899);
const resultOf = (words: string, a: number, b: number): string =>
  `r${evaluate(KINDS.find((kind) => kind.words === words)?.rule ?? 'a', { a, b })}`;

/**
 * W8: users who come back over fifty sessions. A user wants the same again with probability `recurs`, and something that
 * was never asked for before otherwise. The rule of a kind is the truth.
 */
export function returning(recurs: number) {
  const first = (user: number): number => Math.floor(draw('W8', 'first', user) * KINDS.length);
  /** Kinds in the order in which a user comes to want them. */
  const kindOf = (user: number, session: number): number => {
    let kinds = 0;
    for (let n = 1; n <= session; n++) if (draw('W8', 'again', user, n) >= recurs) kinds++;
    const isAgain = session > 0 && draw('W8', 'again', user, session) < recurs;
    return (first(user) + (isAgain ? 0 : kinds)) % KINDS.length;
  };
  return {
    visit: (user: number, session: number): Visit => {
      const { words } = KINDS[kindOf(user, session)] as (typeof KINDS)[number];
      const [a, b] = [numberOf('a', user, session), numberOf('b', user, session)];
      const ask = `${mark(user)}: ${words} n${a} m${b}`;
      const atMs = Math.round((session + draw('W8', 'at', user, session)) * DAY_MS);
      return { kind: words, a, b, atMs, ask, truth: resultOf(words, a, b) };
    },
  };
}

/** What a text that holds a task of W8 asks for, by code: kind, values and what comes out. */
export function solvedIn(text: string): {
  readonly kind: string;
  readonly a: string;
  readonly b: string;
  readonly truth: string;
} {
  const [, kind = '', a = '', b = ''] = /Task #\d+: ([a-z ]+) (n\d+) (m\d+)/.exec(text) ?? [];
  return { kind, a, b, truth: resultOf(kind, Number(a.slice(1)), Number(b.slice(1))) };
}
