import type { StandardSchema } from '../../core/schema.js';
import type { Attempt } from '../attempt.js';
import type { Pending } from '../pending.js';
import type { Act } from './act.js';
import { subWait, type WaitPlan } from './wait.js';

/** What a person answers to an approval. */
export interface Verdict {
  readonly verdict: 'approve' | 'reject';
  readonly reason?: string;
}

export const VERDICT_SCHEMA = {
  type: 'object',
  required: ['verdict'],
  properties: { verdict: { enum: ['approve', 'reject'] }, reason: { type: 'string' } },
} as const;

const verdictSchema: StandardSchema<unknown, Verdict> = {
  '~standard': {
    version: 1,
    vendor: 'flyball',
    validate: (value) => {
      const verdict = (value as { verdict?: unknown } | null | undefined)?.verdict;
      if (verdict === 'approve' || verdict === 'reject') return { value: value as Verdict };
      return {
        issues: [
          {
            message: 'an approval is answered with { "verdict": "approve" } or { "verdict": "reject", "reason": "…" }',
          },
        ],
      };
    },
  },
};

/** Somebody has to agree before this act. */
export function needsGate(attempt: Attempt, act: Act): boolean {
  return needsApproval(act) || (act.class !== 'pure' && needsLiveForkGate(attempt));
}

/** Answers whether to go on; a no is already recorded. */
export async function passGates(attempt: Attempt, pending: Pending, act: Act): Promise<boolean> {
  if (act.class !== 'pure' && needsLiveForkGate(attempt) && !(await passLiveForkGate(attempt, pending, act)))
    return false;
  return !needsApproval(act) || passGate(attempt, pending, act);
}

/** Irreversible acts always do; others when a guard says so. */
function needsApproval(act: Act): boolean {
  return act.class === 'irreversible' || act.approval !== undefined;
}

function needsLiveForkGate(attempt: Attempt): boolean {
  return attempt.lineage.fork?.live === true && !attempt.liveForkApproved;
}

/** An irreversible act needs a person's yes before its INTENT. */
function passGate(attempt: Attempt, pending: Pending, act: Act): Promise<boolean> {
  return passes(attempt, pending, act, `${pending.id}!gate`, {
    kind: 'approval',
    name: `approve:${pending.id}`,
    request: {
      action: act.name,
      input: act.input,
      effect: act.class,
      ...whyOf(act),
    },
    ...(act.guarded === true ? { admitted: { args: act.input, ...approvalOf(act) } } : {}),
  });
}

function approvalOf({ approval }: Act): { readonly approval?: string } {
  return approval === undefined ? {} : { approval };
}

function whyOf({ why, approval }: Act): { readonly why?: string } {
  const reasons = [why, approval].filter((reason) => reason !== undefined);
  return reasons.length === 0 ? {} : { why: reasons.join('; ') };
}

/** In a live fork the first act on the world waits until somebody agrees that the fork may act at all. */
async function passLiveForkGate(attempt: Attempt, pending: Pending, act: Act): Promise<boolean> {
  const passed = await passes(attempt, pending, act, `${pending.id}!live`, {
    kind: 'approval',
    name: 'approve:live-fork',
    request: { action: 'let this fork act on the world', first: act.name, input: act.input },
  });
  if (passed) attempt.liveForkApproved = true;
  return passed;
}

async function passes(attempt: Attempt, pending: Pending, act: Act, id: string, plan: WaitPlan): Promise<boolean> {
  const end = await subWait(attempt, pending, id, {
    ...plan,
    schema: verdictSchema as StandardSchema,
    jsonSchema: VERDICT_SCHEMA,
  });
  if (pending.closedBy !== undefined) {
    attempt.drop(pending);
    return false;
  }
  const answer = end.payload as Verdict;
  if (answer.verdict === 'approve') return true;
  const why = answer.reason ?? `${end.from ?? 'a person'} rejected it`;
  attempt.record({
    type: 'abort',
    id: pending.id,
    fp: pending.fp,
    of: act.of,
    name: act.name,
    failure: { code: 'APPROVAL_REJECTED', message: `${act.name} was not approved: ${why}`, retryable: false },
    ...(act.of === 'call' ? { spent: { toolCalls: 1 } } : {}),
  });
  return false;
}
