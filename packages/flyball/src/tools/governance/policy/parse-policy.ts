import { type ApprovalRules, checkedRules } from '../../../core/approval.js';
import { canonicalJson, sha256 } from '../../../core/canonical.js';
import { ConfigError, failureOf } from '../../../core/errors.js';
import { deepFreeze } from '../deep-freeze.js';
import { checkObligations } from './obligations.js';
import { CONDITION_NAMES, parseConditions, parsePatterns } from './parse-conditions.js';
import type { Conditions, Policy, PolicyRule, Waiver } from './policy.js';
import { Fields } from './read-fields.js';

const EFFECTS = ['allow', 'deny', 'ask', 'oblige'] as const;
const RULE_FIELDS = ['id', 'effect', 'tools', 'when', 'unless', 'because', 'obligation', 'approval'];
const WAIVER_FIELDS = ['deny', 'scope', 'authority', 'expires'];
const MAX_RULES = 1000;

/**
 * A policy from data that JSON or YAML was parsed to. Throws ConfigError with a sentence about the first thing that is
 * wrong: a policy that is only half understood must not be in force. `now` is what waivers expire by.
 */
export function parsePolicy(data: unknown, { now }: { readonly now: number }): Policy {
  const canonical = canonicalText(data);
  // read from a copy: whoever holds the data must not be able to change the policy afterwards
  const fields = new Fields(JSON.parse(canonical), 'Policy', ['version', 'reviewedBy', 'default', 'rules', 'waivers']);
  const version = versionOf(fields);
  const rules = fields.list('rules').map(parseRule);
  if (rules.length > MAX_RULES) fields.fail('rules', `has ${rules.length} entries, and ${MAX_RULES} is the most`);
  refuseTwins(rules);
  checkObligations(rules);
  const waivers = fields.has('waivers')
    ? fields.list('waivers').map((each, at) => parseWaiver(each, at, rules, now))
    : [];
  const hash = sha256(canonical);
  return deepFreeze({
    version,
    reviewedBy: fields.text('reviewedBy'),
    ...(fields.has('default') ? { default: fields.oneOf('default', ['allow', 'deny', 'ask']) } : {}),
    rules,
    waivers,
    hash,
    label: `${version}@${hash.slice(0, 12)}`,
  });
}

function canonicalText(data: unknown): string {
  try {
    return canonicalJson(data ?? null);
  } catch (error) {
    throw new ConfigError(`Policy: it contains a value that is not valid JSON. ${failureOf(error).message}`);
  }
}

/** YAML reads `version: 3` as a number. */
function versionOf(fields: Fields): string {
  const value = fields.get('version');
  return Number.isSafeInteger(value) ? String(value) : fields.text('version');
}

function parseRule(data: unknown, at: number): PolicyRule {
  const fields = new Fields(data, `Policy rule ${nameOf(data, at)}`, RULE_FIELDS);
  const when = new Fields(fields.get('when') ?? {}, `${fields.where}, when`, CONDITION_NAMES);
  const effect = fields.oneOf('effect', EFFECTS);
  const rule = {
    id: fields.text('id'),
    tools: parsePatterns(fields, 'tools'),
    when: parseConditions(when),
    ...unlessOf(fields),
    because: fields.text('because'),
  };
  if (effect === 'oblige') return { ...rule, effect, firstCall: firstCallOf(fields) };
  if (fields.has('obligation')) fields.fail('obligation', `belongs to the effect oblige, not to ${effect}`);
  if (effect === 'ask') return { ...rule, effect, ...approvalOf(fields) };
  if (fields.has('approval')) fields.fail('approval', `belongs to the effect ask, not to ${effect}`);
  return { ...rule, effect };
}

const MINUTE_MS = 60_000;

/** Who has to agree: how many, with which scopes, and within what time. */
function approvalOf(fields: Fields): { readonly approval?: Partial<ApprovalRules> } {
  if (!fields.has('approval')) return {};
  const approval = new Fields(fields.get('approval'), `${fields.where}, approval`, [
    'people',
    'scopes',
    'withinMinutes',
  ]);
  const people = approval.has('people') ? approval.number('people') : 1;
  if (!(Number.isInteger(people) && people >= 1 && people <= 5))
    approval.fail('people', 'is how many have to agree: a whole number from 1 to 5');
  const minutes = approval.has('withinMinutes') ? approval.number('withinMinutes') : undefined;
  if (minutes !== undefined && !(minutes > 0)) approval.fail('withinMinutes', 'must be above 0');
  const rules = {
    people,
    ...(approval.has('scopes') ? { scopes: approval.texts('scopes') } : {}),
    ...(minutes === undefined ? {} : { timeoutMs: minutes * MINUTE_MS }),
  };
  requireMet(rules, approval);
  return { approval: rules };
}

/** By the checks that hold for every approval, wherever its rules come from. */
function requireMet(rules: Partial<ApprovalRules>, { where }: Fields): void {
  try {
    checkedRules(rules);
  } catch (error) {
    throw new ConfigError(`${where}: ${failureOf(error).message}`);
  }
}

function unlessOf(fields: Fields): { readonly unless?: Conditions } {
  if (!fields.has('unless')) return {};
  const unless = new Fields(fields.get('unless'), `${fields.where}, unless`, CONDITION_NAMES);
  if (!CONDITION_NAMES.some((name) => unless.has(name)))
    return unless.fail('the exception', 'is empty: it would always hold, and the rule never');
  return { unless: parseConditions(unless) };
}

function firstCallOf(fields: Fields): string {
  if (!fields.has('obligation')) fields.fail('obligation', 'is missing: name the tool as { firstCall: … }');
  const obligation = new Fields(fields.get('obligation'), `${fields.where}, obligation`, ['firstCall']);
  const name = obligation.text('firstCall');
  if (/[*?]/.test(name)) obligation.fail('firstCall', 'must name one tool, not a pattern');
  return name;
}

function parseWaiver(data: unknown, at: number, rules: readonly PolicyRule[], now: number): Waiver {
  const fields = new Fields(data, `Policy waiver ${at + 1}`, WAIVER_FIELDS);
  const deny = fields.text('deny');
  if (!rules.some((rule) => rule.id === deny && rule.effect === 'deny'))
    fields.fail('deny', `names "${deny}", which is not a deny rule of this policy`);
  const scope = new Fields(fields.get('scope'), `${fields.where}, scope`, ['tools', ...CONDITION_NAMES]);
  if (!['tools', ...CONDITION_NAMES].some((name) => scope.has(name)))
    fields.fail('scope', 'is empty: a waiver says for what it holds');
  return {
    deny,
    tools: scope.has('tools') ? parsePatterns(scope, 'tools') : ['*'],
    scope: parseConditions(scope),
    authority: fields.text('authority'),
    expires: expiryOf(fields, now),
  };
}

function expiryOf(fields: Fields, now: number): number {
  const text = fields.text('expires');
  const isDate = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.test(text);
  const expires = isDate ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(expires))
    fields.fail('expires', `"${text}" is not a date; write it like 2027-01-31 or 2027-01-31T12:00Z`);
  if (expires <= now) fields.fail('expires', `"${text}" has passed; remove or renew the waiver`);
  return expires;
}

function refuseTwins(rules: readonly PolicyRule[]): void {
  const seen = new Set<string>(['default']); // what decisions without a rule are told under
  for (const { id } of rules) {
    if (seen.has(id))
      throw new ConfigError(`Policy rule "${id}": the id is taken. Every decision names its rule by it.`);
    seen.add(id);
  }
}

function nameOf(data: unknown, at: number): string {
  const id = (data as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' && id !== '' ? `"${id}"` : `${at + 1}`;
}
