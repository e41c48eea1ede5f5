import type { Defect, Location, RootCause } from '../../../core/work.js';
import type { Strategy } from '../contracts.js';
import { CAUSES, classify } from './causes.js';
import { type RepairRates, successRate } from './rates.js';

/** Cheapest and weakest first: a window, a section, everything. */
export const STRATEGIES: readonly Strategy[] = ['minimal-edit', 'section-rewrite', 'full-regeneration'];

/**
 * Up to `edit` a window may do, up to `rewrite` a section; above it everything is made anew. High, because cheap repairs
 * come first: a test that fails at a known line is severe, and mended at that line.
 */
export const SEVERITY = { edit: 0.8, rewrite: 0.9 } as const;
/** A strategy that is known to resolve fewer defects of a cause than this is passed over. */
export const P_MIN = 0.5;
/** A place with more lines than these is none that a small edit could mend. */
const PRECISE_LINES = 20;

export interface StrategyChoice {
  readonly strategy: Strategy;
  readonly why: string;
}

export interface StrategyContext {
  /** What the controller asks for: 0 to 1. */
  readonly intensity: number;
  fromIntensity(intensity: number): Strategy;
  readonly rates: RepairRates;
  /** Strategies that have failed for this defect. */
  readonly avoid?: readonly Strategy[];
  /** Where more is known than the defect itself says; `classify` decides where it is absent. */
  readonly cause?: RootCause;
}

/**
 * The cheapest strategy that is at least as strong as the severity and the controller ask, and that is likely to resolve
 * a defect of this cause. Where none is left at that strength, the strongest of the weaker ones that was not tried.
 */
export function chooseStrategy(defect: Defect, context: StrategyContext): StrategyChoice {
  const { intensity, fromIntensity, rates, avoid = [], cause = classify(defect) } = context;
  const asked = askedFor(defect, fromIntensity(intensity), intensity);
  const open = possible(defect).filter((strategy) => !avoid.includes(strategy));
  const enough = open.filter((strategy) => strength(strategy) >= strength(asked.strategy));
  if (enough.length > 0) return likeliest(enough, { ...asked, rates, cause });
  const weaker = open.at(-1);
  if (weaker !== undefined) return { strategy: weaker, why: `${asked.why}, but nothing that strong is left` };
  const again = stronger(asked.strategy, CAUSES[cause].usual);
  return { strategy: again, why: `everything was tried; ${again} again` };
}

/** What can be done at all: a window needs a line to be put around. */
export function possible(defect: Defect): readonly Strategy[] {
  return isPrecise(defect.location) ? STRATEGIES : STRATEGIES.slice(1);
}

export function isPrecise(location: Location | undefined): boolean {
  if (location?.line === undefined || !(location.line >= 1)) return false;
  return (location.endLine ?? location.line) - location.line < PRECISE_LINES;
}

export function strength(strategy: Strategy): number {
  return STRATEGIES.indexOf(strategy);
}

export function stronger(a: Strategy, b: Strategy): Strategy {
  return strength(a) >= strength(b) ? a : b;
}

function askedFor(defect: Defect, controller: Strategy, intensity: number): StrategyChoice {
  const severity = bySeverity(defect);
  return strength(controller) > strength(severity.strategy)
    ? { strategy: controller, why: `the controller asks for intensity ${Math.round(intensity * 100) / 100}` }
    : severity;
}

function bySeverity(defect: Defect): StrategyChoice {
  const { severity, scope, location } = defect;
  if (scope === 'global') return { strategy: 'full-regeneration', why: 'the whole output is concerned' };
  if (!(severity <= SEVERITY.rewrite))
    return { strategy: 'full-regeneration', why: `severity ${severity} is above ${SEVERITY.rewrite}` };
  if (severity <= SEVERITY.edit && isPrecise(location))
    return { strategy: 'minimal-edit', why: `severity ${severity} at a precise place` };
  const why = severity <= SEVERITY.edit ? 'the place is not precise' : `severity ${severity} is above ${SEVERITY.edit}`;
  return { strategy: 'section-rewrite', why };
}

function likeliest(
  enough: readonly Strategy[],
  { why, rates, cause }: { readonly why: string; readonly rates: RepairRates; readonly cause: RootCause },
): StrategyChoice {
  const rated = enough.map((strategy) => ({ strategy, rate: successRate(rates, cause, strategy) }));
  const passed = rated.findIndex(({ rate }) => rate === undefined || rate >= P_MIN);
  const best = passed >= 0 ? rated[passed] : rated.reduce((a, b) => ((b.rate ?? 0) > (a.rate ?? 0) ? b : a));
  const { strategy } = best as { readonly strategy: Strategy }; // there is at least one
  if (passed === 0) return { strategy, why };
  const unlikely = passed > 0 ? `${enough.slice(0, passed).join(' and ')} rarely helps` : 'nothing helps often';
  return { strategy, why: `${why}; ${unlikely} against ${cause}` };
}
