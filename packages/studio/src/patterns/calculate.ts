import { type Formula, howMany, type Interval, predicted } from '../../../flyball/src/core/formula.js';

/** What a formula has to be told. */
export interface Unknowns {
  readonly params: readonly string[];
  /** Known only after a run: left out, they are anything between the two. */
  readonly facts: readonly { readonly name: string; readonly least: number; readonly most: Formula }[];
  readonly parts: readonly string[];
}

export function unknownsOf(formula: Formula): Unknowns {
  const params = new Set<string>();
  const facts = new Map<string, Unknowns['facts'][number]>();
  const parts = new Set<string>();
  const walk = (of: Formula): void => {
    if (typeof of === 'number') return;
    if ('param' in of) params.add(of.param);
    else if ('part' in of) parts.add(of.part);
    else if ('fact' in of) {
      facts.set(of.fact, { name: of.fact, least: of.least, most: of.most });
      walk(of.most);
    } else for (const term of 'sum' in of ? of.sum : of.times) walk(term);
  };
  walk(formula);
  return { params: [...params], facts: [...facts.values()], parts: [...parts] };
}

/** Numbers by name. A fact that is not given is not known yet. */
export type Given = Readonly<Record<string, number>>;

export type Calculated =
  | { readonly kind: 'calls'; readonly calls: Interval }
  | { readonly kind: 'problem'; readonly text: string };

/** The model calls of a formula with these numbers put in, as the runtime predicts them. */
export function calculated(
  formula: Formula,
  {
    params,
    parts,
    facts,
    several = {},
  }: {
    readonly params: Given;
    readonly parts: Given;
    readonly facts: Given;
    /** Roles that several fill. */
    readonly several?: Readonly<Record<string, string | number>>;
  },
): Calculated {
  const unknowns = unknownsOf(formula);
  const missing = unknowns.params.find((name) => !Number.isFinite(params[name]));
  if (missing !== undefined) return { kind: 'problem', text: `Enter a number for ${missing}.` };
  const before = {
    params,
    parts: Object.fromEntries(
      unknowns.parts.map((name) => {
        const calls = (parts[name] ?? 1) * howMany(several, name, params);
        return [name, { min: calls, max: calls }] as const;
      }),
    ),
  };
  for (const { name, least, most } of unknowns.facts) {
    const value = facts[name];
    const { max } = predicted(most, before);
    if (value !== undefined && !(value >= least && value <= max))
      return { kind: 'problem', text: `${name} is between ${least} and ${max}.` };
  }
  return { kind: 'calls', calls: predicted(withFacts(formula, facts), before) };
}

/** The formula with what is known put in. */
function withFacts(formula: Formula, facts: Given): Formula {
  if (typeof formula === 'number' || 'param' in formula || 'part' in formula) return formula;
  if ('fact' in formula) return facts[formula.fact] ?? formula;
  if ('sum' in formula) return { sum: formula.sum.map((term) => withFacts(term, facts)) };
  return { times: [withFacts(formula.times[0], facts), withFacts(formula.times[1], facts)] };
}

/** `5 to 7`. A part that nobody described has no most: it is stored as the largest number there is. */
export function intervalText({ min, max }: Interval): string {
  if (min === max) return String(min);
  return max < Number.MAX_SAFE_INTEGER ? `${min} to ${max}` : `at least ${min}`;
}
