import { ConfigError } from './errors.js';

/** Who has to agree, and until when. */
export interface ApprovalRules {
  /** How many different people have to agree. */
  readonly people: number;
  /** A person needs one of these scopes to decide. If empty, anybody may decide. */
  readonly scopes: readonly string[];
  /** More lists of scopes, if several rules apply: a person needs one scope of each list. */
  readonly alsoScopes?: readonly (readonly string[])[];
  /** How long each request stays open. Without it, there is no limit. */
  readonly timeoutMs?: number;
  /** Who is asked next after an escalation, in order. After the last level, the action is refused. */
  readonly escalation: readonly EscalationLevel[];
  readonly maxModifications: number;
  /** Whether people who requested the run may decide about its actions. Defaults to the runtime's option. */
  readonly requesterDecides?: boolean;
}

/** Who is asked next when a request is escalated. */
export interface EscalationLevel {
  readonly to: string;
  readonly scopes: readonly string[];
  readonly alsoScopes?: readonly (readonly string[])[];
  readonly timeoutMs?: number;
}

export const APPROVAL_RULES: ApprovalRules = { people: 1, scopes: [], escalation: [], maxModifications: 3 };

/** Who may answer a question: one scope of each list, none of these people, and not whoever asked for the act. */
export interface Needs {
  readonly scopes: readonly string[];
  readonly alsoScopes?: readonly (readonly string[])[];
  readonly notBy: readonly string[];
  /**
   * Who asked for what is decided about: whoever started the run, of a fork who started what it goes on with, and everybody
   * who told it something before it asked. Absent where they may decide themselves, or nobody is known.
   */
  readonly requesters?: readonly string[];
}

/** Whom a wait for a verdict is addressed to, as the code that asks says it. */
export interface Asking extends Omit<Needs, 'requesters'> {
  readonly requesterDecides?: boolean;
}

/** Whoever did not say who they are: nobody in particular asked for what such a run does. */
export const ANONYMOUS = 'anonymous';

/** Who may answer, with the requesters left out where they may not decide. Undefined: anybody may. */
export function needsOf(
  asking: Asking,
  run: { readonly requesters: readonly string[]; readonly requesterDecides: boolean },
): Needs | undefined {
  const { requesterDecides = run.requesterDecides, ...needs } = asking;
  const asked = requesterDecides ? [] : [...new Set(run.requesters)].filter((one) => one !== ANONYMOUS);
  if (asked.length === 0 && needs.notBy.length === 0 && listsOf(needs).length === 0) return undefined;
  return { ...needs, ...(asked.length === 0 ? {} : { requesters: asked }) };
}

interface Scoped {
  readonly scopes?: readonly string[] | undefined;
  readonly alsoScopes?: readonly (readonly string[])[] | undefined;
}

/** Whether these scopes are enough; `'*'` stands for all of them. */
export function isEntitled(needs: Scoped, own: readonly string[]): boolean {
  return own.includes('*') || listsOf(needs).every((list) => list.some((scope) => own.includes(scope)));
}

/** `a or b, and c`: what it takes, for people. */
export function scopesInWords(needs: Scoped): string {
  return listsOf(needs)
    .map((list) => list.join(' or '))
    .join(', and ');
}

/**
 * Both hold; nothing that one of them asks for is lifted by the other. More people, less time, fewer modifications, and
 * a scope for each. Of two ways to escalate the longer one counts, and at each level both: the rules with fewer levels
 * ask there for what they ask for at their last.
 */
export function stricter(
  a: Partial<ApprovalRules> | undefined,
  b: Partial<ApprovalRules> | undefined,
): Partial<ApprovalRules> {
  const both = [a ?? {}, b ?? {}];
  const people = named(both.map((one) => one.people));
  const modifications = named(both.map((one) => one.maxModifications));
  const [scopes, ...alsoScopes] = narrowed(both.flatMap(listsOf));
  const escalation = levelsOf(both);
  return {
    ...(people.length === 0 ? {} : { people: Math.max(...people) }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(alsoScopes.length === 0 ? {} : { alsoScopes }),
    ...leastTime(both),
    ...(escalation.length === 0 ? {} : { escalation }),
    ...(modifications.length === 0 ? {} : { maxModifications: Math.min(...modifications) }),
    ...requesterIn(both),
  };
}

/** Who says that somebody else has to decide, is not overruled. */
function requesterIn(both: readonly Partial<ApprovalRules>[]): { readonly requesterDecides?: boolean } {
  const said = both.flatMap(({ requesterDecides }) => (requesterDecides === undefined ? [] : [requesterDecides]));
  return said.length === 0 ? {} : { requesterDecides: !said.includes(false) };
}

function levelsOf(both: readonly Partial<ApprovalRules>[]): readonly EscalationLevel[] {
  const length = Math.max(...both.map(({ escalation = [] }) => escalation.length));
  return Array.from({ length }, (_, at) => {
    const levels = both.map((rules) => rules.escalation?.[at] ?? rules.escalation?.at(-1) ?? rules);
    const [scopes = [], ...alsoScopes] = narrowed(levels.flatMap(listsOf));
    const to = new Set(levels.flatMap((level) => ('to' in level ? [level.to] : [])));
    return {
      to: [...to].join(' and '),
      scopes,
      ...(alsoScopes.length === 0 ? {} : { alsoScopes }),
      ...leastTime(levels),
    };
  });
}

function listsOf({ scopes = [], alsoScopes = [] }: Scoped): readonly (readonly string[])[] {
  return [scopes, ...alsoScopes].filter((list) => list.length > 0);
}

/** Without the lists that another one implies: who has one of `a` has one of `a, b`. */
function narrowed(lists: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const implies = (one: readonly string[], other: readonly string[]) => one.every((scope) => other.includes(scope));
  return lists.filter(
    (list, at) => !lists.some((other, n) => n !== at && implies(other, list) && (n < at || !implies(list, other))),
  );
}

function leastTime(given: readonly { readonly timeoutMs?: number | undefined }[]): { readonly timeoutMs?: number } {
  const times = named(given.map(({ timeoutMs }) => timeoutMs));
  return times.length === 0 ? {} : { timeoutMs: Math.min(...times) };
}

function named(values: readonly (number | undefined)[]): readonly number[] {
  return values.filter((value) => value !== undefined);
}

const MEMBERS = ['people', 'scopes', 'alsoScopes', 'timeoutMs', 'escalation', 'maxModifications', 'requesterDecides'];
const LEVEL_MEMBERS = ['to', 'scopes', 'alsoScopes', 'timeoutMs'];

/** Approval rules with their defaults. Throws if the rules can never be met. */
export function checkedRules(given: Partial<ApprovalRules>): ApprovalRules {
  requireMembers(given, 'An approval', MEMBERS);
  const stated = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const rules: ApprovalRules = { ...APPROVAL_RULES, ...stated };
  if (!Number.isInteger(rules.people) || rules.people < 1)
    throw new ConfigError(`An approval needs at least one person, got people: ${rules.people}.`);
  if (!Number.isInteger(rules.maxModifications) || rules.maxModifications < 0)
    throw new ConfigError(`maxModifications must be a whole number of at least 0, got ${rules.maxModifications}.`);
  if (rules.requesterDecides !== undefined && typeof rules.requesterDecides !== 'boolean')
    throw new ConfigError(`requesterDecides must be true or false, got ${shown(rules.requesterDecides)}.`);
  requireScopesAndTime(rules);
  if (!Array.isArray(rules.escalation))
    throw new ConfigError('escalation must be a list of levels: [{ to: "the head", scopes: ["mail:head"] }].');
  for (const level of rules.escalation) requireLevel(level);
  return rules;
}

function requireLevel(level: EscalationLevel): void {
  requireMembers(level, 'A level of escalation', LEVEL_MEMBERS);
  if (!isWord(level.to)) throw new ConfigError('An escalation level needs a recipient: to: "the head".');
  requireScopesAndTime(level);
}

function requireScopesAndTime({ scopes, alsoScopes = [], timeoutMs }: EscalationLevel | ApprovalRules): void {
  if (!isWords(scopes))
    throw new ConfigError(`The scopes of an approval must be a list of strings, got ${shown(scopes)}.`);
  if (!Array.isArray(alsoScopes) || !alsoScopes.every((list) => isWords(list) && list.length > 0))
    throw new ConfigError(`alsoScopes of an approval must be a list of lists of strings, got ${shown(alsoScopes)}.`);
  if (timeoutMs !== undefined && !(timeoutMs > 0 && Number.isFinite(timeoutMs)))
    throw new ConfigError(`The timeout of an approval must be a number of milliseconds above 0, got ${timeoutMs}.`);
}

/** A misspelt member would silently ask for less. */
function requireMembers(given: unknown, what: string, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new ConfigError(`${what} must be an object with some of ${known.join(', ')}, got ${shown(given)}.`);
  const stray = Object.keys(given).find((name) => !known.includes(name));
  if (stray !== undefined) throw new ConfigError(`${what} has no field "${stray}". Known fields: ${known.join(', ')}.`);
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isWord);
}

function isWord(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
