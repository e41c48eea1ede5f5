import { type ApprovalRules, stricter } from '../../../core/approval.js';
import { matchesAny } from '../text-glob.js';
import { conditionsHold, type Strictness } from './conditions.js';
import type { Policy, PolicyAction, PolicyDecision, PolicyEffect, PolicyRule, Waiver } from './policy.js';

/**
 * Pure. Invariants:
 * 1. A deny that matches and is not waived wins over everything.
 * 2. Then an obligation that is not met, then ask, then allow. Among rules of one effect the first in the file is named.
 * 3. Every ask that matches has its say about who has to agree: a broad rule does not hide a stricter one.
 * 4. Where none of them matches, the default decides; without one, only what is pure and stays inside is allowed.
 */
export function evaluatePolicy(policy: Policy, action: PolicyAction): PolicyDecision {
  const matching = policy.rules.filter((rule) => ruleHolds(rule, action));
  const denied = matching.find((rule) => rule.effect === 'deny' && waiverOf(policy, rule, action) === undefined);
  const decisive = denied ?? matching.find((rule) => isOwed(rule, action)) ?? first(matching, 'ask', 'allow');
  const decision = decisive === undefined ? byDefault(policy, action) : byRule(decisive, matching);
  return { ...decision, why: `${decision.why}${waived(policy, matching, action)}` };
}

function ruleHolds(rule: PolicyRule, action: PolicyAction): boolean {
  if (!matchesAny(rule.tools, action.tool)) return false;
  // what is owed cannot itself wait for being paid
  if (rule.effect === 'oblige' && rule.firstCall === action.tool) return false;
  const strictness = strictnessOf(rule.effect);
  if (!conditionsHold(rule.when, action, strictness)) return false;
  // an exception from a prohibition has to cover everything; an exception from a permission, anything
  const opposite = strictness === 'any' ? 'every' : 'any';
  return rule.unless === undefined || !conditionsHold(rule.unless, action, opposite);
}

function strictnessOf(effect: PolicyEffect): Strictness {
  return effect === 'allow' ? 'every' : 'any';
}

function isOwed(rule: PolicyRule, { calledTools }: PolicyAction): boolean {
  return (
    rule.effect === 'oblige' && !(Object.hasOwn(calledTools, rule.firstCall) && (calledTools[rule.firstCall] ?? 0) > 0)
  );
}

function first(rules: readonly PolicyRule[], ...effects: readonly PolicyEffect[]): PolicyRule | undefined {
  for (const effect of effects) {
    const found = rules.find((rule) => rule.effect === effect);
    if (found !== undefined) return found;
  }
  return undefined;
}

function byRule(rule: PolicyRule, matching: readonly PolicyRule[]): PolicyDecision {
  return {
    verdict: rule.effect,
    rule: rule.id,
    why: rule.because,
    ...(rule.effect === 'oblige' ? { firstCall: rule.firstCall } : {}),
    ...(rule.effect === 'ask' ? askedBy(matching) : {}),
  };
}

function askedBy(matching: readonly PolicyRule[]): { readonly approval?: Partial<ApprovalRules> } {
  const asking = matching.flatMap((rule) => (rule.effect === 'ask' ? (rule.approval ?? []) : []));
  return asking.length === 0 ? {} : { approval: asking.reduce<Partial<ApprovalRules>>(stricter, {}) };
}

function byDefault(policy: Policy, action: PolicyAction): PolicyDecision {
  if (policy.default !== undefined)
    return {
      verdict: policy.default,
      rule: 'default',
      why: `No rule matches; the policy's default is ${policy.default}.`,
    };
  const isRoutine = action.class === 'pure' && !action.legs.includes('outbound');
  return isRoutine
    ? { verdict: 'allow', rule: 'default', why: 'No rule matches, and it only reads.' }
    : { verdict: 'deny', rule: 'default', why: 'No rule allows it, and it changes something or reaches outside.' };
}

function waiverOf(policy: Policy, rule: PolicyRule, action: PolicyAction): Waiver | undefined {
  return policy.waivers.find(
    (waiver) =>
      waiver.deny === rule.id &&
      action.now < waiver.expires && // it may have been valid when the file was read
      matchesAny(waiver.tools, action.tool) &&
      conditionsHold(waiver.scope, action, 'every'),
  );
}

function waived(policy: Policy, matching: readonly PolicyRule[], action: PolicyAction): string {
  const used = matching.flatMap((rule) => (rule.effect === 'deny' ? (waiverOf(policy, rule, action) ?? []) : []));
  return used.map(({ deny, authority }) => ` (${deny} is waived by ${authority})`).join('');
}
