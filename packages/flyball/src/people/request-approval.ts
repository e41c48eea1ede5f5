import {
  type ApprovalRequest,
  type ApprovalRules,
  type ApprovalState,
  addressees,
  checkedRules,
  type Decision,
  OVERRIDE_VERDICT_JSON_SCHEMA,
  overrideVerdictSchema,
  recommendedVerdictSchema,
  UNDECIDED,
  VERDICT_JSON_SCHEMA,
  type Verdict,
  verdictSchema,
  weigh,
  withRecommended,
} from '../core/approval.js';
import type { Run, SignalSpec } from '../core/run.js';

/** How people decided about an output. `history` is every verdict on the way, oldest first. */
export type Decided =
  | { readonly verdict: 'approved'; readonly by: readonly string[]; readonly history: readonly Decision[] }
  | {
      readonly verdict: 'rejected';
      readonly why: string;
      readonly by?: string;
      readonly history: readonly Decision[];
    }
  /** The caller checks the new value as it checked the first, and asks again with this history. */
  | {
      readonly verdict: 'modified';
      readonly value: unknown;
      readonly by: string;
      readonly reason?: string;
      readonly history: readonly Decision[];
    }
  /** Silence approves nothing. */
  | { readonly verdict: 'timed-out'; readonly history: readonly Decision[] };

/**
 * Asks people to approve an output. Ends with a verdict, at a deadline, or when nobody is left to escalate to.
 *
 * The history in `request` goes on: modifications that were made in earlier calls count against `maxModifications`,
 * and what is asked now is a new proposal, so that nobody has agreed to it yet.
 */
export async function requestApproval(
  run: Run,
  request: ApprovalRequest,
  rules: Partial<ApprovalRules>,
  name: string,
): Promise<Decided> {
  const complete = checkedRules(rules);
  let state = stateAfter(request.history ?? []);
  for (;;) {
    const heard = await run.hear(questionFor(request, { state, rules: complete, name }));
    if (heard === 'timed-out') return { verdict: 'timed-out', history: state.history };
    const { value: verdict, from } = heard;
    const weighed = weigh(state, verdict, from, complete, request.recommended);
    state = weighed.state; // every verdict adds to the history, so the names of the waits never repeat
    const { history, agreed } = state;
    switch (weighed.leads) {
      case 'ask':
        break;
      case 'approved':
        return { verdict: 'approved', by: agreed, history };
      case 'refused':
        return { verdict: 'rejected', why: weighed.why, by: from, history };
      case 'modified':
        return { verdict: 'modified', value: weighed.value, by: from, ...reasonOf(verdict), history };
    }
  }
}

function reasonOf({ reason }: Verdict): { readonly reason?: string } {
  return reason === undefined ? {} : { reason };
}

function stateAfter(history: readonly Decision[]): ApprovalState {
  return {
    ...UNDECIDED,
    history,
    modifications: history.filter(({ verdict, recommended }) => verdict === 'modify' || recommended === true).length,
  };
}

function questionFor(
  request: ApprovalRequest,
  given: { readonly state: ApprovalState; readonly rules: ApprovalRules; readonly name: string },
): SignalSpec<Verdict> {
  const { state, rules, name } = given;
  const { to, scopes, alsoScopes, timeoutMs } = addressees(state, rules);
  const asked = state.history.length;
  return {
    name: asked === 0 ? name : `${name}.${asked + 1}`,
    ...answerFor(request),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    request: {
      ...request,
      ...(asked === 0 ? {} : { history: state.history }),
      ...(to === undefined ? {} : { to }),
      ...(rules.people === 1 ? {} : { people: rules.people }),
    } satisfies ApprovalRequest,
    approval: {
      scopes,
      ...(alsoScopes === undefined ? {} : { alsoScopes }),
      notBy: state.agreed,
      ...(rules.requesterDecides === undefined ? {} : { requesterDecides: rules.requesterDecides }),
    },
  };
}

function answerFor({
  overrides,
  recommended,
}: ApprovalRequest): Required<Pick<SignalSpec<Verdict>, 'schema' | 'jsonSchema'>> {
  const mayTake = recommended !== undefined;
  if (overrides !== undefined) {
    const jsonSchema = mayTake ? withRecommended(OVERRIDE_VERDICT_JSON_SCHEMA) : OVERRIDE_VERDICT_JSON_SCHEMA;
    return { schema: overrideVerdictSchema(mayTake), jsonSchema };
  }
  return mayTake
    ? { schema: recommendedVerdictSchema, jsonSchema: withRecommended(VERDICT_JSON_SCHEMA) }
    : { schema: verdictSchema, jsonSchema: VERDICT_JSON_SCHEMA };
}

/** Approval rules with their defaults. Throws if the rules can never be met. */
export function approvalRules(given: Partial<ApprovalRules>): ApprovalRules {
  return checkedRules(given);
}
