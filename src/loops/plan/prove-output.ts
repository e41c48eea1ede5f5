import { FlyballError, failureOf } from '../../core/errors.js';
import { degraded, failed, type Outcome } from '../../core/outcome.js';
import { append, type Prompt } from '../../core/prompt.js';
import { claimNotice, type Proofs, unprovenClaims, type WhenUnproven } from '../../core/proofs.js';
import { findJson } from '../../core/read-json.js';
import type { MadeCall, Run } from '../../core/run.js';
import type { Session } from '../../core/session.js';
import type { PlanResult } from './parts.js';

export interface PlanProofs {
  /** What proves a value in the plan's output, where that holds a JSON object. */
  readonly proofs: Proofs;
  /** `fail` where it is absent. */
  readonly whenUnproven?: WhenUnproven;
  /** How often an output that is not proven is asked for again; 2 where it is absent. */
  readonly maxReasks?: number;
}

const DEFAULT_REASKS = 2;

/**
 * Holds what a finished plan says against what its steps called. The worker's model is asked to say it again, without
 * tools: the work is over, only the words can change.
 */
export async function proveOutput(
  run: Run,
  session: Session,
  { proofs, whenUnproven = 'fail', maxReasks = DEFAULT_REASKS }: PlanProofs,
  result: PlanResult,
  calls: readonly MadeCall[],
): Promise<Outcome<PlanResult> | undefined> {
  const { tools: _tools, toolChoice: _choice, ...speaker } = session;
  let output = result.output;
  let tip: Prompt = append(undefined, { role: 'user', content: `You reported:\n${output}`, owner: 'plan' });
  for (let asked = 0; ; asked++) {
    const claims = claimsIn(proofs, output, calls);
    if (claims === undefined) return asked === 0 ? undefined : { stop: 'done', value: { ...result, output } };
    run.note({ kind: 'claim-unproven', claims, asked: asked + 1 });
    if (asked >= maxReasks) return unproven(whenUnproven, { ...result, output }, claims);
    const notice = `${claimNotice(claims)}\nNothing can be called any more. Reply with the corrected report only, in the same form.`;
    const reply = await run.ask(
      speaker,
      append(tip, { role: 'user', content: notice, owner: 'plan', trust: 'system' }),
    );
    tip = reply.prompt;
    output = reply.text;
  }
}

function claimsIn(proofs: Proofs, output: string, calls: readonly MadeCall[]): string | undefined {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  const found = findJson(output, isObject, 'object');
  return found.ok ? unprovenClaims(proofs, found.value, calls) : undefined;
}

function unproven(whenUnproven: WhenUnproven, result: PlanResult, claims: string): Outcome<PlanResult> {
  const why = `The plan's output claims what the journal does not show: ${claims}`;
  if (whenUnproven === 'degrade') return degraded(result, why);
  return failed(failureOf(new FlyballError('CLAIM_UNPROVEN', why)), result);
}
