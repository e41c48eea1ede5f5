import { antiPatterns } from './anti-patterns.js';
import { categories } from './categories.js';
import { everywhere } from './everywhere.js';
import { guides } from './guides.js';
import { mechanisms } from './mechanisms.js';
import { patterns } from './patterns/index.js';
import { stacks } from './stacks.js';
import type { PatternSpec, Relation } from './types.js';

/** All 214 relations: those of every agent and loop, and those of each pattern. */
export const relations: readonly Relation[] = [
  ...everywhere,
  ...patterns.flatMap(({ id, relations: own }) => own.map((relation) => ({ from: id, ...relation }))),
];

const byId: ReadonlyMap<string, PatternSpec> = new Map(patterns.map((spec) => [spec.id, spec]));

/** The pattern with this id, such as `R17`. */
export function patternSpec(id: string): PatternSpec | undefined {
  return byId.get(id.toUpperCase()) ?? patterns.find(({ exports: names }) => names.includes(id));
}

export { antiPatterns, categories, guides, mechanisms, patterns, stacks };
