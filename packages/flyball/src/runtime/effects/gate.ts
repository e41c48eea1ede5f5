import {
  APPROVAL_RULES,
  type ApprovalRequest,
  type ApprovalRules,
  type ApprovalState,
  type Asking,
  addressees,
  FIXED_VERDICT_JSON_SCHEMA,
  recommendedVerdictSchema,
  UNDECIDED,
  VERDICT_JSON_SCHEMA,
  type Verdict,
  verdictSchema,
  weigh,
  withRecommended,
} from '../../core/approval.js';
import { canonicalJson } from '../../core/canonical.js';
import { actIdentity } from '../../core/codec.js';
import type { ErrorCode } from '../../core/errors.js';
import type { EffectId, EventOf } from '../../core/events.js';
import type { JsonSchema, StandardSchema } from '../../core/schema.js';
import type { Attempt } from '../attempt.js';
import type { Pending } from '../open-effects.js';
import { type Act, calledWith, isAskedAlready, needsApproval, needsLiveForkGate } from './act.js';
import { provenanceOf } from './act-provenance.js';
import { subWait, type WaitPlan } from './wait.js';

/** The act that may be made, which people may have changed; undefined when a no is already recorded. */
export async function passGates(attempt: Attempt, pending: Pending, act: Act): Promise<Act | undefined> {
  if (act.class !== 'pure' && needsLiveForkGate(attempt) && !(await passLiveForkGate(attempt, pending, act)))
    return undefined;
  return passGate(attempt, pending, act);
}

/** Whether a person said no to the very same earlier, which is then recorded as the end of this too. Nobody is asked. */
export function isRejected(attempt: Attempt, pending: Pending, act: Act): boolean {
  const no = attempt.journal.state.rejected(identityOf(act));
  if (no === undefined) return false;
  const why = `${no.by} rejected it at ${new Date(no.at).toISOString()}: ${no.reason}. The rejection applies to the whole run: do something else, or continue without it`;
  refuse(attempt, pending, act, 'APPROVAL_REJECTED', why);
  return true;
}

function identityOf(act: Act): string {
  return actIdentity(act.of, act.name, act.of === 'call' ? calledWith(act).input : act.input);
}

/** One question after the other until it is decided. Each is a wait of its own, so that a crash loses no verdict. */
async function passGate(attempt: Attempt, pending: Pending, first: Act): Promise<Act | undefined> {
  let act = first;
  let state = UNDECIDED;
  const proposed = new Set<string>();
  while (needsApproval(act)) {
    const rules = rulesFor(act);
    proposed.add(identityOf(act));
    const recommended = await act.recommend?.();
    const request = { ...requestFor(act, state, rules, recommended), provenance: provenanceOf(attempt, pending, act) };
    const question = { ...questionAbout(act, state, rules, pending, { request, recommended }), acts: [...proposed] };
    const end = await ask(attempt, pending, gateId(pending, state), question);
    if (pending.closedBy !== undefined) return drop(attempt, pending);
    if (end.timedOut === true) return refuse(attempt, pending, act, 'NO_ANSWER', 'nobody decided about it in time');
    const verdict = end.payload as Verdict;
    if (verdict.verdict === 'approve' && hasChangedSince(attempt, gateId(pending, state), act))
      return refuse(attempt, pending, act, 'DENIED', CHANGED);
    const by = end.from ?? 'a person';
    const weighed = weigh(state, verdict, by, rules, recommended);
    state = weighed.state;
    if (weighed.leads === 'approved') return act;
    if (weighed.leads === 'refused') return refuse(attempt, pending, act, 'APPROVAL_REJECTED', weighed.why);
    if (weighed.leads === 'ask') continue;
    const changed = await act.remake?.(weighed.value, gateId(pending, state));
    if (changed === undefined) return undefined; // what it was changed to was refused, and that is recorded
    act = changed;
    if (!isAskedAlready(attempt, gateId(pending, state)) && isRejected(attempt, pending, act)) return undefined;
    if (verdict.verdict !== 'approve') continue;
    if (!isAsAgreed(act, weighed.value, rules)) state = { ...state, agreed: [] };
    else if (state.agreed.length >= rules.people) return act;
  }
  return act;
}

/** A yes to what was recommended holds for that, and where nobody else is needed for it: guards may have seen it otherwise. */
function isAsAgreed(act: Act, recommended: unknown, rules: ApprovalRules): boolean {
  const isSame = identityOf(act) === actIdentity(act.of, act.name, recommended);
  return isSame && canonicalJson(rulesFor(act)) === canonicalJson(rules);
}

const CHANGED =
  'the tool has changed since somebody was asked about it. Call it again, so that they are asked about what it is now';

/** An earlier life, perhaps of another process, asked about a tool that is no longer the same. */
function hasChangedSince(attempt: Attempt, gate: EffectId, { toolHash }: Act): boolean {
  const asked = attempt.recorded.starts.get(gate)?.at(-1)?.event;
  if (asked?.type !== 'wait-start') return false;
  return (asked.request as Partial<ApprovalRequest> | undefined)?.toolHash !== toolHash;
}

function gateId(pending: Pending, { round }: ApprovalState): EffectId {
  return round === 0 ? `${pending.id}!gate` : `${pending.id}!gate.${round + 1}`;
}

/** The tool's own rules, made stricter by the guard that asked. */
function rulesFor({ rules: _rules, approvalRules }: Act): ApprovalRules {
  return { ...APPROVAL_RULES, ...approvalRules };
}

/**
 * Who may say whether an act took place that somebody had to approve: whoever could have said yes to it last, since a no
 * has it made again. Undefined where nobody had to approve it.
 */
export function askingAgain(act: Act, { subs }: Pending): Asking | undefined {
  if (!needsApproval(act)) return undefined;
  const isEscalation = ({ payload }: EventOf<'wait-end'>): boolean =>
    (payload as Partial<Verdict> | undefined)?.verdict === 'escalate';
  const escalations = [...(subs?.ended.values() ?? [])].filter(isEscalation).length;
  return askingAbout({ ...UNDECIDED, level: escalations - 1 }, rulesFor(act));
}

function askingAbout(state: ApprovalState, rules: ApprovalRules): Asking {
  const { scopes, alsoScopes } = addressees(state, rules);
  return {
    scopes,
    ...(alsoScopes === undefined ? {} : { alsoScopes }),
    notBy: state.agreed,
    ...(rules.requesterDecides === undefined ? {} : { requesterDecides: rules.requesterDecides }),
  };
}

function questionAbout(
  act: Act,
  state: ApprovalState,
  rules: ApprovalRules,
  pending: Pending,
  { request, recommended }: { readonly request: ApprovalRequest; readonly recommended: unknown },
): WaitPlan {
  const { timeoutMs } = addressees(state, rules);
  const mayTake = recommended !== undefined;
  return {
    kind: 'approval',
    name: `approve:${pending.id}${state.round === 0 ? '' : `.${state.round + 1}`}`,
    timeoutMs,
    request,
    schema: (act.remake === undefined
      ? unmodifiable
      : mayTake
        ? recommendedVerdictSchema
        : verdictSchema) as StandardSchema,
    jsonSchema: act.remake === undefined ? FIXED_VERDICT_JSON_SCHEMA : answerSchema(mayTake),
    asking: askingAbout(state, rules),
    ...(act.guarded === true
      ? { admitted: { args: act.input, ...approvalOf(act), ...(mayTake ? { recommended } : {}) } }
      : {}),
  };
}

function answerSchema(mayTake: boolean): JsonSchema {
  return mayTake ? withRecommended(VERDICT_JSON_SCHEMA) : VERDICT_JSON_SCHEMA;
}

function requestFor(act: Act, state: ApprovalState, rules: ApprovalRules, recommendedNow: unknown): ApprovalRequest {
  const { recommended: _unchecked, ...review } = act.review?.() ?? {};
  const { to } = addressees(state, rules);
  const reasons = [review.why, act.why, act.approval].filter((reason) => reason !== undefined);
  return {
    action: act.name,
    input: act.input,
    effect: act.class,
    ...(act.toolHash === undefined ? {} : { toolHash: act.toolHash }),
    ...review,
    ...(recommendedNow === undefined ? {} : { recommendation: 'modify', recommended: recommendedNow }),
    ...(reasons.length === 0 ? {} : { why: reasons.join('; ') }),
    ...(state.history.length === 0 ? {} : { history: state.history }),
    ...(to === undefined ? {} : { to }),
    ...(rules.people === 1 ? {} : { people: rules.people }),
  };
}

function approvalOf({ approval, approvalRules }: Act): Omit<NonNullable<EventOf<'wait-start'>['admitted']>, 'args'> {
  return {
    ...(approval === undefined ? {} : { approval }),
    ...(approvalRules === undefined ? {} : { rules: approvalRules }),
  };
}

/** A step has no arguments that anybody could check: it is approved or rejected as it is. */
const unmodifiable: StandardSchema<unknown, Verdict> = {
  '~standard': {
    version: 1,
    vendor: 'flyball',
    validate: (value) => {
      if ((value as { readonly verdict?: unknown } | null)?.verdict === 'modify')
        return { issues: [{ message: 'this cannot be modified: approve it, or reject it with a reason' }] };
      return verdictSchema['~standard'].validate(value);
    },
  },
};

/** In a live fork the first act on the world waits until somebody agrees that the fork may act at all. What they say stands. */
async function passLiveForkGate(attempt: Attempt, pending: Pending, act: Act): Promise<boolean> {
  while (attempt.journal.state.liveFork === 'undecided') {
    const elsewhere = attempt.effects.liveForkGate.inLine(pending, recordedAsker(attempt));
    if (elsewhere === undefined) await askAboutFork(attempt, pending, act);
    else await elsewhere;
    if (pending.closedBy !== undefined) return drop(attempt, pending) !== undefined;
  }
  if (attempt.journal.state.liveFork === 'approved') return true;
  refuse(attempt, pending, act, 'APPROVAL_REJECTED', 'this fork may not act on the world');
  return false;
}

async function askAboutFork(attempt: Attempt, pending: Pending, act: Act): Promise<void> {
  await ask(attempt, pending, `${pending.id}!live`, {
    kind: 'approval',
    name: 'approve:live-fork',
    request: { action: 'let this fork act on the world', first: act.name, input: act.input },
    schema: unmodifiable as StandardSchema,
    jsonSchema: FIXED_VERDICT_JSON_SCHEMA,
    ...(act.guarded === true ? { admitted: { args: act.input, ...approvalOf(act) } } : {}),
  });
  attempt.effects.liveForkGate.left(pending);
}

/** The effect for which an earlier life asked, and which still waits for the answer. */
function recordedAsker({ recorded, effects }: Attempt): EffectId | undefined {
  for (const [id, starts] of recorded.starts) {
    if (!id.endsWith('!live') || recorded.ends.has(id) || starts.at(-1)?.inherited !== undefined) continue;
    const asker = effects.open.get(id.slice(0, -'!live'.length));
    if (asker !== undefined && asker.closedBy === undefined) return asker.id;
  }
  return undefined;
}

function ask(attempt: Attempt, pending: Pending, id: EffectId, plan: WaitPlan): Promise<EventOf<'wait-end'>> {
  return subWait(attempt, pending, id, plan);
}

function drop(attempt: Attempt, pending: Pending): undefined {
  attempt.effects.drop(pending);
  return undefined;
}

function refuse(attempt: Attempt, pending: Pending, act: Act, code: ErrorCode, why: string): undefined {
  attempt.delivery.record({
    type: 'abort',
    id: pending.id,
    fp: pending.fp,
    of: act.of,
    name: act.name,
    ...calledWith(act),
    ...(act.class === 'pure' ? {} : { class: act.class }),
    failure: { code, message: `${act.name} was not approved: ${why}`, retryable: false },
    ...(act.of === 'call' ? { spent: { toolCalls: 1 } } : {}),
  });
  return undefined;
}
