import type { PlanIssue, Severity } from './plan.js';

const WEIGHT: Readonly<Record<Severity, number>> = { critical: 0, error: 1, blocked: 2, warning: 3 };

/**
 * The gravest issues as they are, and one for all the others, with their number and the steps that they are about: who
 * reads them still learns of every step that has to change.
 */
export function fewIssues(issues: readonly PlanIssue[], most: number): readonly PlanIssue[] {
  if (issues.length <= most) return issues;
  const gravest = [...issues].sort((a, b) => WEIGHT[a.severity] - WEIGHT[b.severity] || rank(a) - rank(b));
  const [first, ...rest] = gravest.slice(most - 1);
  if (first === undefined) return issues;
  const others = [first, ...rest];
  // a summary of summaries still says how many there are
  const count = others.reduce((sum, issue) => sum + (countIn(issue) ?? 1), 0);
  return [
    ...gravest.slice(0, most - 1),
    {
      check: 'size',
      severity: first.severity,
      action: 'replan',
      message: `${count}${MORE}`,
      steps: [...new Set(others.flatMap(({ steps }) => steps))],
    },
  ];
}

const SHOWN = 10;

/** As many as a prompt, a note or an error carries. */
export function shownIssues(issues: readonly PlanIssue[]): readonly PlanIssue[] {
  return fewIssues(issues, SHOWN);
}

/** That something was not looked at comes first, that something is not listed last. */
function rank(issue: PlanIssue): number {
  if (countIn(issue) !== undefined) return 2;
  return issue.check === 'size' ? 0 : 1;
}

const MORE = ' more issues of this plan are not listed one by one.';

function countIn({ check, message }: PlanIssue): number | undefined {
  return check === 'size' && message.endsWith(MORE) ? Number.parseInt(message, 10) : undefined;
}
