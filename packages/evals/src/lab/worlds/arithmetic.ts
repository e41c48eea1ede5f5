import type { Questions } from 'flyball/testing/simulated';
import { draw } from '../simulated.js';
import { evaluate } from './expression.js';

/** Items have five digits, so that all prompts of a world have one length. */
export const mark = (item: number): string => `Task #${String(item).padStart(5, '0')}`;

const numberFrom = (item: number, place: string, from: number, to: number): number =>
  from + Math.floor(draw('W1', place, item) * (to - from + 1));

function expressionOf(item: number): string {
  const [a, b, c] = ['a', 'b', 'c'].map((place) => numberFrom(item, place, 11, 99));
  return draw('W1', 'sign', item) < 0.5 ? `${a} + ${b} × ${c}` : `(${a} - ${b}) × ${c}`;
}

/** W1: arithmetic. The evaluator is the truth. */
export const arithmetic: Questions = {
  ask: (item) => `${mark(item)}: how much is ${expressionOf(item)}? Reply with the number.`,
  truth: (item) => String(evaluate(expressionOf(item))),
  wrong: (item, n) => String(evaluate(expressionOf(item)) + 1 + n),
};

type Hand = readonly number[];

/** An expression over all numbers that makes 24, by trying all of them; undefined where there is none. */
export function solve24(hand: Hand): string | undefined {
  const search = (parts: readonly { readonly value: number; readonly text: string }[]): string | undefined => {
    const [only] = parts;
    if (parts.length === 1 && only !== undefined) return Math.abs(only.value - 24) < 1e-9 ? only.text : undefined;
    for (const [i, a] of parts.entries())
      for (const [j, b] of parts.entries()) {
        if (i === j) continue;
        const rest = parts.filter((_part, at) => at !== i && at !== j);
        const joined = [
          { value: a.value + b.value, text: `(${a.text} + ${b.text})` },
          { value: a.value - b.value, text: `(${a.text} - ${b.text})` },
          { value: a.value * b.value, text: `(${a.text} × ${b.text})` },
          ...(b.value === 0 ? [] : [{ value: a.value / b.value, text: `(${a.text} / ${b.text})` }]),
        ];
        for (const one of joined) {
          const found = search([...rest, one]);
          if (found !== undefined) return found;
        }
      }
    return undefined;
  };
  return search(hand.map((value) => ({ value, text: String(value) })));
}

/** Whether an expression uses each number once and makes 24. */
export function makes24(hand: Hand, text: string): boolean {
  const used = (text.match(/\d+/g) ?? []).map(Number);
  const sorted = (numbers: readonly number[]): string => [...numbers].sort((a, b) => a - b).join();
  if (sorted(used) !== sorted(hand)) return false;
  return Math.abs(evaluate(text) - 24) < 1e-9;
}

const solved = new Map<number, { readonly hand: Hand; readonly solution: string }>();

function gameOf(item: number): { readonly hand: Hand; readonly solution: string } {
  const known = solved.get(item);
  if (known !== undefined) return known;
  for (let n = 0; ; n++) {
    const hand = [0, 1, 2, 3].map((place) => 1 + Math.floor(draw('W1 24', item, n, place) * 9));
    const solution = solve24(hand);
    if (solution === undefined) continue;
    solved.set(item, { hand, solution });
    return { hand, solution };
  }
}

/** W1: the game of 24. A solver finds the answer, and a checker accepts every other right one too. */
export const game24: Questions & { readonly hand: (item: number) => Hand } = {
  ask: (item) => `${mark(item)}: make 24 of ${gameOf(item).hand.join(', ')}. Use each number once.`,
  truth: (item) => gameOf(item).solution,
  wrong: (item, n) => `${gameOf(item).hand.join(' + ')} + ${n + 1}`,
  hand: (item) => gameOf(item).hand,
};
