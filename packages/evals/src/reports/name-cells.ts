import type { Summary } from '../metrics/summary.js';
import { type Cell, whole, word } from './table.js';

/** How a row begins that is about one condition. */
export function nameCells(one: Summary, n = one.simulations): readonly Cell[] {
  return [word(one.model), word(one.agent), word(nameOf(one.retrieval)), whole(n)];
}

export function nameOf(retrieval: string): string {
  return retrieval === '' ? 'no' : retrieval;
}
