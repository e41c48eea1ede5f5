import { antiPatterns, relations } from './catalogue.js';
import type { Condition, Relation } from './types.js';

/** Rules of the linter that are neither a relation nor an anti-pattern. */
const OWN_RULES = [
  'RESERVED',
  'SEAT-TOOLS',
  'SEAT-APART',
  'SEAT-MODEL',
  'WORST-CASE',
  'WIDTH',
  'OPAQUE',
  'UNPREDICTED',
  'UNDECLARED',
] as const;

const WORDS: Readonly<Record<Relation['kind'], string>> = {
  requires: 'requires',
  conflicts: 'conflicts with',
  'upgrades-to': 'upgrades to',
  tension: 'in tension with',
};

/** What the linter calls a finding about a relation: `O6 requires O17`. */
export function ruleOf({ from, kind, to }: Pick<Relation, 'from' | 'kind' | 'to'>): string {
  return `${from} ${WORDS[kind]} ${to.join(' or ')}`;
}

/** Every rule that a finding can have. */
export function ruleNames(): readonly string[] {
  return [...new Set([...relations.map(ruleOf), ...antiPatterns.map(({ id }) => id), ...OWN_RULES])];
}

/** The questions that a person can answer: those that a relation depends on. */
export function questionIds(): readonly string[] {
  return conditions('person');
}

/** The facts that a person can state: those that a relation depends on, or a check of a tension. */
export function factNames(): readonly string[] {
  return [...new Set([...conditions('fact'), 'log-prefix-edited'])];
}

function conditions(kind: 'person' | 'fact'): readonly string[] {
  return [...new Set(relations.flatMap(({ when }) => namesIn(when, kind)))];
}

function namesIn(when: Condition, kind: 'person' | 'fact'): readonly string[] {
  if (typeof when === 'string') return [];
  if ('anyOf' in when) return when.anyOf.flatMap((each) => namesIn(each, kind));
  if ('allOf' in when) return when.allOf.flatMap((each) => namesIn(each, kind));
  return kind in when ? [(when as Readonly<Record<string, string>>)[kind] ?? ''] : [];
}
