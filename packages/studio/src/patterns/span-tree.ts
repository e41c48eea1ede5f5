import { isInside } from '../../../flyball/src/views/paths.js';
import type { PatternUse } from '../../../flyball/src/views/patterns-in.js';

/** What the linter says about a run, or about the composition of its agent. */
export interface RunFinding {
  readonly rule: string;
  readonly level: 'error' | 'warning' | 'info';
  readonly from: 'journal' | 'composition';
  readonly at: string;
  /** The pattern that it is about. */
  readonly path?: string;
  readonly why: string;
  readonly change: string;
}

export interface SpanNode {
  readonly use: PatternUse;
  readonly findings: readonly RunFinding[];
  readonly children: readonly SpanNode[];
}

export interface SpanTree {
  readonly roots: readonly SpanNode[];
  /** Findings about the run as a whole, or about a pattern that is not shown yet. */
  readonly rest: readonly RunFinding[];
}

/** Patterns inside the patterns they ran in. A finding stands at the first pattern with its path. */
export function spanTree(uses: readonly PatternUse[], findings: readonly RunFinding[]): SpanTree {
  const left = new Set(findings);
  const take = (path: string): readonly RunFinding[] => {
    const own = [...left].filter((finding) => finding.path === path);
    for (const finding of own) left.delete(finding);
    return own;
  };
  const below = (inside: readonly PatternUse[]): readonly SpanNode[] => {
    const tops = inside.filter((use) => !inside.some((outer) => isWithin(use, outer)));
    return tops.map((use) => ({
      use,
      findings: take(use.path),
      children: below(inside.filter((other) => isWithin(other, use))),
    }));
  };
  const roots = below(uses);
  return { roots, rest: [...left] };
}

function isWithin(use: PatternUse, outer: PatternUse): boolean {
  return (
    use !== outer && use.generation === outer.generation && use.path !== outer.path && isInside(use.path, outer.path)
  );
}

/** How a pattern ends that was not cut short: one that failed or was stopped may have made fewer calls than it can. */
const WHOLE: ReadonlySet<string> = new Set(['done', 'degraded', 'returned']);

/** Whether a pattern made the calls that were predicted; undefined while it can still make more, or nobody said. */
export function asPredicted({ predicted, modelCalls, how }: PatternUse): 'yes' | 'fewer' | 'more' | undefined {
  if (predicted === undefined) return undefined;
  if (modelCalls > predicted.max) return 'more';
  if (how === undefined) return undefined;
  return modelCalls < predicted.min && WHOLE.has(how) ? 'fewer' : 'yes';
}
