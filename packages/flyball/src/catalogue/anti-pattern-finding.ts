import type { PatternId } from '../core/use.js';
import { antiPatterns } from './catalogue.js';
import type { Context } from './context.js';
import type { Finding } from './finding.js';
import { shown } from './lint-relations.js';
import type { System } from './subject.js';
import type { AntiPatternId, Level } from './types.js';

/** What a rule found, and the smallest change after which it would not. Patterns stand in it by id: `Add {V5}.` */
export interface Found {
  readonly at: string;
  readonly why: string;
  readonly change: string;
  /** The worst level of the anti-pattern where it is absent. */
  readonly level?: Level;
}

/** What a rule found, as that anti-pattern. */
export function foundAnti(id: AntiPatternId, { at, why, change, level }: Found): Finding {
  const spec = antiPatterns.find((each) => each.id === id);
  const named = [...change.matchAll(/\{(\w+)\}/g)].map(([, pattern]) => pattern as PatternId);
  return {
    rule: id,
    level: level ?? spec?.level ?? 'warning',
    at,
    why: `${spec?.name}: ${why}`,
    change: change.replaceAll(/\{(\w+)\}/g, (_all, pattern: PatternId) => shown(pattern)),
    patterns: [...new Set(named)],
  };
}

/** What no definition says is not held against it: whoever reads the finding is told what to state. */
export function notStated(rule: AntiPatternId, at: string, key: keyof System, fields: readonly string[]): Finding {
  const why = `nobody says whether it has ${fields.join(', ')}.`;
  return foundAnti(rule, { at, why, change: `State it in \`system.${key}\`.`, level: 'info' });
}

/** Where the first of these patterns stands; its id where the host brings it. */
export const placeOf = ({ placed }: Context, ...ids: readonly string[]): string =>
  placed.find(({ use }) => ids.includes(use.id))?.at ?? ids.join(', ');
