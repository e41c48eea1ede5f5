import {
  ANONYMOUS,
  type ApprovalRules,
  type EscalationLevel,
  isEntitled,
  type Needs,
  scopesInWords,
} from './approval-rules.js';
import { isBlank, SEEN_PATTERN } from './blank.js';
import { starterIn } from './other-runs.js';
import type { RequestProvenance } from './request-provenance.js';
import type { JsonSchema, StandardSchema } from './schema.js';

export {
  ANONYMOUS,
  APPROVAL_RULES,
  type ApprovalRules,
  type Asking,
  checkedRules,
  type EscalationLevel,
  isEntitled,
  type Needs,
  needsOf,
  scopesInWords,
  stricter,
} from './approval-rules.js';

/**
 * How people decide: one protocol for an action at its gate and for an output before it is committed. Pure: whoever
 * asks keeps the state, which is folded from the verdicts in the journal.
 *
 * Invariants:
 * 1. It ends: modifications and escalations are counted, and a wait without a verdict ends at its deadline.
 * 2. Silence approves nothing.
 * 3. What was modified is asked about again: an edit cannot pass the gate that the original could not.
 */

export type Risk = 'low' | 'medium' | 'high' | 'critical';

/** What a person answers to an approval request. */
export type Verdict =
  /** With `recommended`, approves the recommendation instead. */
  | { readonly verdict: 'approve'; readonly reason?: string; readonly recommended?: true }
  /** Final for this action for the rest of the run. With `reask`, the agent may ask for the same action again. */
  | { readonly verdict: 'reject'; readonly reason: string; readonly reask?: boolean }
  /** New arguments of the action, or a new output. */
  | { readonly verdict: 'modify'; readonly value: unknown; readonly reason?: string }
  | { readonly verdict: 'escalate'; readonly reason: string };

/** What a person needs to know to decide about an action. */
export interface Review {
  readonly why?: string;
  readonly expectedEffect?: string;
  /** How it can be undone, or that it cannot. */
  readonly undo?: string;
  readonly alternatives?: readonly string[];
  readonly scores?: Readonly<Record<string, number>>;
  readonly confidence?: number;
  readonly risk?: Risk;
  readonly recommendation?: 'approve' | 'reject' | 'modify';
  /** With `modify`: new arguments or a new output, which a person can accept as it is. */
  readonly recommended?: unknown;
}

/** An approval request, as stored in the wait and shown in the inbox. */
export interface ApprovalRequest extends Review {
  /** A tool that wants to act, or `commit` for an output. */
  readonly action: string;
  readonly input?: unknown;
  readonly output?: unknown;
  /** Effect class of the action. */
  readonly effect?: string;
  /** Hash of the tool when this was asked. An approval is valid only for this version. */
  readonly toolHash?: string;
  /** Earlier decisions about the same action: approvals, modifications and escalations. */
  readonly history?: readonly Decision[];
  /** Who is asked, after an escalation. */
  readonly to?: string;
  /** Failed gates that an approval would override. The approval then needs a reason. */
  readonly overrides?: readonly string[];
  /** How many people have to agree; absent if one is enough. */
  readonly people?: number;
  /** Where the arguments or the output come from. */
  readonly provenance?: RequestProvenance;
}

/** What a doubt shows: an action whose end was not recorded, and the key under which it was made. */
export interface DoubtRequest {
  readonly action: string;
  readonly input: unknown;
  readonly effect: string;
  readonly key: string;
  /** Why it is in doubt and only a person can tell, and the question. */
  readonly why: string;
}

/** What a person decided about a request. */
export interface Decision {
  readonly verdict: Verdict['verdict'];
  readonly by: string;
  readonly reason?: string;
  /** An approval of the recommendation instead. */
  readonly recommended?: true;
}

/** Where a question about one thing stands. */
export interface ApprovalState {
  /** Index of the escalation level that is asked; -1 for the first addressees. */
  readonly level: number;
  readonly modifications: number;
  /** Questions asked so far: what makes each wait's name its own. */
  readonly round: number;
  readonly history: readonly Decision[];
  /** Those who agreed to what is proposed now. */
  readonly agreed: readonly string[];
}

export const UNDECIDED: ApprovalState = { level: -1, modifications: 0, round: 0, history: [], agreed: [] };

export type Weighed =
  | { readonly leads: 'approved'; readonly state: ApprovalState }
  | { readonly leads: 'refused'; readonly why: string; readonly state: ApprovalState }
  /** The same question goes to somebody else. */
  | { readonly leads: 'ask'; readonly state: ApprovalState }
  /** Goes through every check again with this value, and is then asked about anew. */
  | { readonly leads: 'modified'; readonly value: unknown; readonly state: ApprovalState };

/** Whether two names are spellings of one: spaces, case and signs that nobody sees make no second person. */
export function samePerson(a: string, b: string): boolean {
  return comparableName(a) !== '' && comparableName(a) === comparableName(b);
}

/**
 * Nobody is no person, however it is written; nor is whoever did not say who they are, nor a run: for one of those the
 * people behind it are asked for, and who was called like a run would not be among them.
 */
export function isPerson(name: string): boolean {
  return (
    comparableName(name) !== '' && comparableName(name) !== ANONYMOUS && starterIn(comparableName(name)) === undefined
  );
}

/** The same text for all spellings of a name: what a rule about names is checked on. */
export function comparableName(name: string): string {
  const visible = name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  // up and down: letters that have one capital in common become one letter
  return visible.toUpperCase().toLowerCase().normalize('NFKC').trim();
}

/** Why somebody may not answer, as the end of a sentence; undefined where they may. The one place that decides it. */
export function whyMayNotAnswer(
  needs: Needs,
  who: { readonly by: string; readonly scopes: readonly string[] },
): string | undefined {
  if (!isEntitled(needs, who.scopes)) return `it requires the scope ${scopesInWords(needs)}`;
  if (needs.notBy.some((one) => samePerson(one, who.by)))
    return 'they have already agreed, and another person is required';
  if (needs.requesters?.some((one) => samePerson(one, who.by)))
    return 'they requested it, so somebody else has to decide';
  return undefined;
}

/** What follows from one more verdict. `recommended` is what was recommended in place of what was asked about. */
export function weigh(
  state: ApprovalState,
  verdict: Verdict,
  by: string,
  rules: ApprovalRules,
  recommended?: unknown,
): Weighed {
  const takes = verdict.verdict === 'approve' && verdict.recommended === true;
  const decision: Decision = {
    verdict: verdict.verdict,
    by,
    ...(verdict.reason === undefined ? {} : { reason: verdict.reason }),
    ...(takes ? { recommended: true } : {}),
  };
  const next: ApprovalState = { ...state, round: state.round + 1, history: [...state.history, decision] };
  switch (verdict.verdict) {
    case 'approve': {
      const isOneMore = isPerson(by) && !state.agreed.some((one) => samePerson(one, by));
      if (takes) {
        const changed = modified(state, next, recommended, rules);
        // nobody but the one who took it has agreed to it
        return changed.leads === 'modified'
          ? { ...changed, state: { ...changed.state, agreed: isPerson(by) ? [by] : [] } }
          : changed;
      }
      const agreed = isOneMore ? [...state.agreed, by] : state.agreed;
      return { leads: agreed.length >= rules.people ? 'approved' : 'ask', state: { ...next, agreed } };
    }
    case 'reject':
      return { leads: 'refused', why: `${by} rejected it: ${verdict.reason}`, state: next };
    case 'modify':
      return modified(state, next, verdict.value, rules);
    case 'escalate':
      if (state.level + 1 >= rules.escalation.length)
        return {
          leads: 'refused',
          why: `${by} escalated it, but there is nobody left to ask: ${verdict.reason}`,
          state: next,
        };
      return { leads: 'ask', state: { ...next, level: state.level + 1 } };
  }
}

function modified(state: ApprovalState, next: ApprovalState, value: unknown, rules: ApprovalRules): Weighed {
  if (state.modifications >= rules.maxModifications)
    return { leads: 'refused', why: `it was already modified ${rules.maxModifications} times`, state: next };
  return { leads: 'modified', value, state: { ...next, modifications: state.modifications + 1, agreed: [] } };
}

/** Who may answer the next question, and how long it stands. */
export function addressees(
  state: ApprovalState,
  rules: ApprovalRules,
): Partial<EscalationLevel> & Pick<EscalationLevel, 'scopes'> {
  const level = rules.escalation[state.level];
  if (level !== undefined) return level;
  const { scopes, alsoScopes, timeoutMs } = rules;
  return {
    scopes,
    ...(alsoScopes === undefined ? {} : { alsoScopes }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

const REASON = { pattern: SEEN_PATTERN } as const;
/** A field that may not be there. As a schema that nothing fits, because generators of clients know no `false`. */
const ABSENT = { not: {} } as const;
const APPROVED = { verdict: { const: 'approve' }, reask: ABSENT, value: ABSENT } as const;
const REJECTED = {
  properties: { verdict: { const: 'reject' }, reason: REASON, value: ABSENT, recommended: ABSENT },
  required: ['reason'],
} as const;
const ESCALATED = {
  properties: { verdict: { const: 'escalate' }, reason: REASON, reask: ABSENT, value: ABSENT, recommended: ABSENT },
  required: ['reason'],
} as const;

export const VERDICT_JSON_SCHEMA = {
  type: 'object',
  required: ['verdict'],
  properties: {
    verdict: { enum: ['approve', 'reject', 'modify', 'escalate'] },
    reason: { type: 'string' },
    reask: { type: 'boolean' },
    value: {},
  },
  anyOf: [
    { properties: { ...APPROVED, recommended: ABSENT } },
    REJECTED,
    ESCALATED,
    { properties: { verdict: { const: 'modify' }, reask: ABSENT, recommended: ABSENT }, required: ['value'] },
  ],
} as const satisfies JsonSchema;

/** The same where something is recommended, which a yes can be about. */
export function withRecommended(schema: {
  readonly properties: object;
  readonly anyOf: readonly object[];
  readonly [key: string]: unknown;
}): JsonSchema {
  const taken = {
    properties: { ...APPROVED, recommended: { const: true } },
    required: ['recommended'],
  };
  const properties = { ...schema.properties, recommended: { const: true } };
  return { ...schema, properties, anyOf: [...schema.anyOf, taken] };
}

/** For what can only be approved or rejected as it is. */
export const FIXED_VERDICT_JSON_SCHEMA = {
  type: 'object',
  required: ['verdict'],
  properties: {
    verdict: { enum: ['approve', 'reject', 'escalate'] },
    reason: { type: 'string' },
    reask: { type: 'boolean' },
  },
  anyOf: VERDICT_JSON_SCHEMA.anyOf.slice(0, 3),
} as const satisfies JsonSchema;

/** For what is closed to people too: a yes overrides it, and says why. */
export const OVERRIDE_VERDICT_JSON_SCHEMA = {
  ...VERDICT_JSON_SCHEMA,
  anyOf: [
    { properties: { ...APPROVED, reason: REASON, recommended: ABSENT }, required: ['reason'] },
    ...VERDICT_JSON_SCHEMA.anyOf.slice(1),
  ],
} as const satisfies JsonSchema;

/** As `verdictSchema`, where a yes needs a reason too. */
export function overrideVerdictSchema(mayTake: boolean): StandardSchema<unknown, Verdict> {
  return schemaFor(mayTake, unexplained);
}

function unexplained(given: Verdict): string | undefined {
  const { verdict, reason } = given;
  if (verdict !== 'approve' || given.recommended === true || !isBlank(reason ?? '')) return undefined;
  return 'approving something below its thresholds requires a reason: { "verdict": "approve", "reason": "…" }';
}

/** What is wrong with a verdict on what waits under one of the schemas above, in words for a person. */
export function verdictProblem(schema: JsonSchema, value: unknown): string | undefined {
  const allowed = (schema['properties'] as { readonly verdict?: { readonly enum?: readonly string[] } } | undefined)
    ?.verdict?.enum;
  if (allowed === undefined) return undefined; // a schema of somebody's own
  const mayTake = 'recommended' in ((schema['properties'] ?? {}) as object);
  const problem = problemWith(value, mayTake);
  if (problem !== undefined) return problem;
  const given = value as Verdict;
  if (!allowed.includes(given.verdict)) return `it can only be decided with ${allowed.join(', ')}, without changes`;
  const [first] = (schema['anyOf'] ?? []) as readonly { readonly required?: readonly string[] }[];
  return first?.required === undefined ? undefined : unexplained(given);
}

/** Published for whoever takes verdicts: a refusal needs its reason, a modification its value. */
export const verdictSchema: StandardSchema<unknown, Verdict> = schemaFor(false);
/** As `verdictSchema`, where something is recommended. */
export const recommendedVerdictSchema: StandardSchema<unknown, Verdict> = schemaFor(true);

function schemaFor(
  mayTake: boolean,
  more: (verdict: Verdict) => string | undefined = () => undefined,
): StandardSchema<unknown, Verdict> {
  return {
    '~standard': {
      version: 1,
      vendor: 'flyball',
      validate: (value) => {
        const problem = problemWith(value, mayTake) ?? more(value as Verdict);
        return problem === undefined ? { value: value as Verdict } : { issues: [{ message: problem }] };
      },
    },
  };
}

function isVerdict(name: unknown): boolean {
  return (VERDICT_JSON_SCHEMA.properties.verdict.enum as readonly unknown[]).includes(name);
}

type GivenVerdict = Readonly<Partial<Record<'verdict' | 'reason' | 'reask' | 'value' | 'recommended', unknown>>>;

function problemWith(value: unknown, mayTake: boolean): string | undefined {
  const given = (value ?? {}) as GivenVerdict;
  return misplacedIn(given, mayTake) ?? missingIn(given);
}

/** A member that does not go with the verdict. */
function misplacedIn(given: GivenVerdict, mayTake: boolean): string | undefined {
  if (given.recommended !== undefined && (given.verdict !== 'approve' || given.recommended !== true))
    return 'recommended must be true and can only be used with approve: { "verdict": "approve", "recommended": true }';
  if (given.recommended !== undefined && !mayTake)
    return 'there is no recommendation: omit "recommended", or set new arguments with { "verdict": "modify", "value": … }';
  if (given.value !== undefined && isVerdict(given.verdict) && given.verdict !== 'modify')
    return `${given.verdict} does not take a value. To change the action, send { "verdict": "modify", "value": … }; otherwise omit the value`;
  if (given.reask !== undefined && (given.verdict !== 'reject' || typeof given.reask !== 'boolean'))
    return 'reask must be true or false and can only be used with reject: { "verdict": "reject", "reason": "…", "reask": true }';
  return undefined;
}

/** A member that the verdict needs. */
function missingIn(given: GivenVerdict): string | undefined {
  const hasReason = typeof given.reason === 'string' && !isBlank(given.reason);
  switch (given.verdict) {
    case 'approve':
      return given.reason === undefined || typeof given.reason === 'string' ? undefined : 'the reason must be text';
    case 'reject':
    case 'escalate':
      return hasReason
        ? undefined
        : `${given.verdict} requires a reason: { "verdict": "${given.verdict}", "reason": "…" }`;
    case 'modify':
      return 'value' in given ? undefined : 'modify requires a value: { "verdict": "modify", "value": … }';
    default:
      return 'a verdict is one of { "verdict": "approve" }, { "verdict": "reject", "reason": "…" }, { "verdict": "modify", "value": … } and { "verdict": "escalate", "reason": "…" }';
  }
}
