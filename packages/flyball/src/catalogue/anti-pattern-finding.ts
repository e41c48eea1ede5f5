import type { PatternId } from '../core/use.js';
import { antiPatterns } from './catalogue.js';
import type { Finding } from './finding.js';
import { shown } from './lint-relations.js';
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
