import { unreachable } from './errors.js';

/** From the fewest to the most. */
export interface Interval {
  readonly min: number;
  readonly max: number;
}

/**
 * How many model calls a pattern makes, as data. One value gives the text of the catalogue, an interval before the run,
 * and the exact number after it.
 */
export type Formula =
  | number
  /** Fixed when the pattern is made. */
  | { readonly param: string }
  /** Known when it has ended: it tells it with `run.learned`. */
  | { readonly fact: string; readonly least: number; readonly most: Formula }
  /** What one use of a part costs: one call for a session, whatever it makes for an agent. Several parts are added up. */
  | { readonly part: string }
  | { readonly sum: readonly Formula[] }
  | { readonly times: readonly [Formula, Formula] };

/** What is known before a run. */
export interface Before {
  readonly params: Readonly<Record<string, unknown>>;
  readonly parts: Readonly<Record<string, Interval>>;
}

/** What is known after it. Parts: the calls of a pattern's own that one use of the part is, 1 for a session and 0 for an agent. */
export interface After {
  readonly params: Readonly<Record<string, unknown>>;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly parts: Readonly<Record<string, number>>;
}

const only = (n: number): Interval => ({ min: n, max: n });
const add = (a: Interval, b: Interval): Interval => ({ min: a.min + b.min, max: a.max + b.max });
/** Nothing of something without an end is nothing. */
const product = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : a * b);

/** Between what it may cost. */
export function predicted(formula: Formula, of: Before): Interval {
  if (typeof formula === 'number') return only(formula);
  if ('param' in formula) return only(numberAt(of.params, formula.param));
  if ('fact' in formula) return { min: formula.least, max: predicted(formula.most, of).max };
  if ('part' in formula) return of.parts[formula.part] ?? { min: 0, max: Number.POSITIVE_INFINITY };
  if ('sum' in formula) return formula.sum.map((term) => predicted(term, of)).reduce(add, only(0));
  if ('times' in formula) {
    const [a, b] = [predicted(formula.times[0], of), predicted(formula.times[1], of)];
    return { min: product(a.min, b.min), max: product(a.max, b.max) };
  }
  return unreachable(formula);
}

/** What it cost by itself, its parts left out: they are patterns with formulas of their own, or nobody's business. */
export function exact(formula: Formula, of: After): number {
  if (typeof formula === 'number') return formula;
  if ('param' in formula) return numberAt(of.params, formula.param);
  if ('fact' in formula) return numberAt(of.facts, formula.fact);
  if ('part' in formula) return of.parts[formula.part] ?? 0;
  if ('sum' in formula) return formula.sum.reduce<number>((sum, term) => sum + exact(term, of), 0);
  if ('times' in formula) return product(exact(formula.times[0], of), exact(formula.times[1], of));
  return unreachable(formula);
}

/** As a person writes it: `attempts × agent + (attempts - 1) × critic`. */
export function formulaText(formula: Formula): string {
  if (typeof formula === 'number') return String(formula);
  if ('param' in formula) return formula.param;
  if ('fact' in formula) return formula.fact;
  if ('part' in formula) return formula.part;
  if ('sum' in formula) return formula.sum.map(formulaText).join(' + ');
  if ('times' in formula)
    return formula.times
      .map((term) => (typeof term === 'object' && 'sum' in term ? `(${formulaText(term)})` : formulaText(term)))
      .join(' × ');
  return unreachable(formula);
}

/** How many fill a role: what an option says, a number of its own, or one where nothing is said. */
export function howMany(
  several: Readonly<Record<string, string | number>> | undefined,
  role: string,
  given: Readonly<Record<string, unknown>>,
): number {
  const said = given[role] ?? several?.[role];
  const count = typeof said === 'string' ? given[said] : said;
  return several?.[role] !== undefined && typeof count === 'number' ? count : 1;
}

function numberAt(values: Readonly<Record<string, unknown>>, name: string): number {
  const value = values[name];
  return typeof value === 'number' ? value : Number.NaN;
}
