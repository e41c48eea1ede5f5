import { contextOf } from './context.js';
import { type Finding, inOrder } from './finding.js';
import { relationFindings } from './lint-relations.js';
import { useFindings } from './lint-uses.js';
import { agentRules } from './rules-agents.js';
import { humanizerRules } from './rules-humanizers.js';
import { integrationRules } from './rules-integration.js';
import { namedRules } from './rules-named.js';
import type { Composition, Decisions } from './subject.js';

/**
 * What a composition lacks, and what is wrong with it, before it runs: requirements, conflicts, seats, the worst case and
 * the known mistakes. Reads descriptions only: nothing is run, and no model is asked.
 */
export function lint(subject: Composition): readonly Finding[] {
  const context = contextOf(subject);
  const rules = Object.values({ ...agentRules, ...humanizerRules, ...integrationRules, ...namedRules });
  const found = [
    ...useFindings(context),
    ...relationFindings(context),
    ...rules.flatMap((rule) => rule?.(context) ?? []),
  ];
  return inOrder(withoutAccepted(found, subject.decisions));
}

/** What a person looked at and accepted, with a reason, is no finding any more. */
export function withoutAccepted(findings: readonly Finding[], decisions: Decisions = {}): readonly Finding[] {
  const { accepted = {} } = decisions;
  return findings.filter(({ rule, at }) => accepted[rule] === undefined && accepted[`${rule} at ${at}`] === undefined);
}
