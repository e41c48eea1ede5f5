import type { PatternId } from '../core/use.js';
import type { Level } from './types.js';

/** What the linter has to say about one place of a composition. */
export interface Finding {
  /** An anti-pattern (`A3`), a relation (`O6 requires O17`), or a rule of the linter's own (`OPAQUE`). */
  readonly rule: string;
  readonly level: Level;
  /** The place: an agent, or a path in its composition; a scope in a run. */
  readonly at: string;
  readonly why: string;
  /** The smallest change that resolves it. */
  readonly change: string;
  /** Patterns that the change adds or takes away. */
  readonly patterns: readonly PatternId[];
}

const RANK = { error: 0, warning: 1, info: 2 } as const;

/** Errors first, and each finding once. */
export function inOrder(findings: readonly Finding[]): readonly Finding[] {
  const once = new Map(findings.map((finding) => [`${finding.rule} ${finding.at} ${finding.why}`, finding]));
  return [...once.values()].sort((a, b) => RANK[a.level] - RANK[b.level]);
}
