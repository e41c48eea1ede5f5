import { rateOf, type Share } from '../metrics/accuracy.js';
import type { Interval } from '../metrics/bootstrap.js';
import type { FigureName, Mean } from '../metrics/figures.js';

/** A cell as it is read, and as it is computed with. */
export interface Cell {
  readonly text: string;
  readonly value: string | number | null;
  /** How many simulations, calls, tokens or tasks it is over. */
  readonly n?: number;
  /** Where its simulations are: `flyball evals show <folder> --condition … --figure …`. */
  readonly behind?: Behind;
}

/** Which figure of which condition a cell shows. */
export interface Behind {
  /** Label of the condition. */
  readonly condition: string;
  readonly figure: FigureName;
  /** Tasks whose own gold path writes before verification are left out. */
  readonly withoutExempt?: true;
}

/** A table of a report. */
export interface Table {
  /** Short and stable: names files and anchors. */
  readonly id: string;
  readonly title: string;
  readonly note?: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

export interface Column {
  readonly label: string;
  readonly numeric: boolean;
}

/** `*` marks a column of numbers. */
export function columns(...labels: readonly string[]): readonly Column[] {
  return labels.map((label) => ({ label: label.replace(/\*$/, ''), numeric: label.endsWith('*') }));
}

export function word(text: string): Cell {
  return { text, value: text };
}

/** The id of a simulation, as much of it as tells it from others. */
export function simulationId(id: string): Cell {
  return { text: id.slice(0, 8), value: id };
}

const NOTHING: Cell = { text: '–', value: null };

export function whole(value: number): Cell {
  return { text: String(value), value };
}

export function decimal(value: number | null, digits: number): Cell {
  return value === null ? NOTHING : { text: value.toFixed(digits), value };
}

export function signed(value: number | null, digits: number): Cell {
  if (value === null) return NOTHING;
  const text = Math.abs(value).toFixed(digits);
  // what rounds to nought has no sign
  return { text: Number(text) === 0 ? text : `${value < 0 ? '−' : '+'}${text}`, value };
}

/** "412 / 571 = 72.2 %" */
export function share(of: Share): Cell {
  const rate = rateOf(of);
  const text = rate === null ? '0 / 0' : `${of.hits} / ${of.of} = ${(rate * 100).toFixed(1)} %`;
  return { text, value: rate, n: of.of };
}

export function usd(value: number | null): Cell {
  return value === null ? NOTHING : { text: `$${value.toFixed(4)}`, value };
}

export function interval(of: Interval | null): Cell {
  if (of === null) return NOTHING;
  return { text: `${of.value.toFixed(3)} [${of.low.toFixed(3)}, ${of.high.toFixed(3)}]`, value: of.value };
}

/** A mean says what it is over where that is not the N of its row. */
export function mean({ value, of }: Mean, rowN: number, form: (value: number | null) => Cell): Cell {
  const cell = form(value);
  return { ...cell, text: of === rowN || value === null ? cell.text : `${cell.text} (n = ${of})`, n: of };
}
