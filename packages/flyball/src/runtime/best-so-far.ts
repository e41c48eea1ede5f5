import type { Outcome } from '../core/outcome.js';

/** Why a scope was opened: for a child agent, for a pattern, for one whose parts answer something else, or for a part. */
export type ScopeKind = 'child' | 'pattern' | 'own-pattern' | 'part';

/**
 * The best value so far, as it was told in a scope. It is kept for the level that the scope is part of: the run, or a
 * child, whose type it has. Patterns nest without children, so of several that tell one the outermost is believed.
 */
export class BestSoFar {
  private readonly path: string;
  private readonly level: BestSoFar;
  /** How many patterns around it, counted from its level; infinite inside of one whose parts answer something else. */
  private readonly depth: number;
  private readonly isOwn: boolean;
  private kept: { readonly value: unknown; readonly depth: number } | undefined;

  constructor(path: string, opened: ScopeKind, parent: BestSoFar | undefined) {
    this.path = path;
    const isLevel = parent === undefined || opened === 'child';
    this.level = isLevel ? this : parent.level;
    this.depth = isLevel ? 0 : opened === 'part' ? parent.depth : parent.inside;
    this.isOwn = opened === 'own-pattern' || (opened === 'part' && !isLevel && parent.isOwn);
  }

  private get inside(): number {
    return this.isOwn ? Number.POSITIVE_INFINITY : this.depth + 1;
  }

  /** Path of the level that keeps it; undefined where a pattern around this one has told its own. */
  tell(value: unknown): string | undefined {
    const { level, depth } = this;
    if (depth === Number.POSITIVE_INFINITY || depth > (level.kept?.depth ?? depth)) return undefined;
    level.kept = { value, depth };
    return level.path;
  }

  /** What the run had before: whoever tells anything knows better. */
  begin(best: { readonly value: unknown } | null): void {
    if (best !== null) this.kept = { value: best.value, depth: Number.POSITIVE_INFINITY };
  }

  /** The end of this level: with the best so far where it has no value and no partial one of its own. */
  into(outcome: Outcome<unknown>): Outcome<unknown> {
    const isWithout = outcome.stop !== 'done' && outcome.stop !== 'degraded' && outcome.stop !== 'suspended';
    if (this.kept === undefined || !isWithout || outcome.partial !== undefined) return outcome;
    return { ...outcome, partial: this.kept.value };
  }
}
