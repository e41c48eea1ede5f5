import { rateOf, type Share } from '../metrics/accuracy.js';
import type { Interval } from '../metrics/bootstrap.js';

/** A cell as it is read, and as it is computed with. */
export interface Cell {
  readonly text: string;
  readonly value: string | number | null;
}

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

export function percent(value: number | null): Cell {
  return value === null ? NOTHING : { text: `${(value * 100).toFixed(1)} %`, value };
}

/** "412 / 571 = 72.2 %" */
export function share(of: Share): Cell {
  const rate = rateOf(of);
  return rate === null ? NOTHING : { text: `${of.hits} / ${of.of} = ${percent(rate).text}`, value: rate };
}

export function shareRate(of: Share): Cell {
  return percent(rateOf(of));
}

export function usd(value: number | null): Cell {
  return value === null ? NOTHING : { text: `$${value.toFixed(4)}`, value };
}

export function interval(of: Interval | null): Cell {
  if (of === null) return NOTHING;
  return { text: `${of.value.toFixed(3)} [${of.low.toFixed(3)}, ${of.high.toFixed(3)}]`, value: of.value };
}
