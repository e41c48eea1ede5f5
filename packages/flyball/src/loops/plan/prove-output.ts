import { askingUntil, MOST_REASKS, type Read, Reasks } from '../../core/ask-until.js';
import { FlyballError, failureOf } from '../../core/errors.js';
import { degraded, failed, type Outcome } from '../../core/outcome.js';
import { append } from '../../core/prompt.js';
import { type Proofs, unproven, unprovenInText, type WhenUnproven } from '../../core/proofs.js';
import type { MadeCall, Run } from '../../core/run.js';
import type { Reply, Session } from '../../core/session.js';
import type { PlanResult } from './parts.js';

/** Tool calls that the output of a plan requires. */
export interface PlanProofs {
  /** What proves a value in the plan's output, where that holds JSON objects or says `field: value`. */
  readonly proofs: Proofs;
  /** `fail` where it is absent. */
  readonly whenUnproven?: WhenUnproven;
  /** How often an output that is not proven is asked for again; 2 where it is absent. */
  readonly maxReasks?: number;
}

/**
 * Holds what a finished plan says against what its steps called. The worker's model is asked to say it again, without
 * tools: the work is over, only the words can change.
 */
export async function proveOutput(
  run: Run,
  session: Session,
  { proofs, whenUnproven = 'fail', maxReasks = MOST_REASKS }: PlanProofs,
  result: PlanResult,
  calls: readonly MadeCall[],
): Promise<Outcome<PlanResult> | undefined> {
  const { tools: _tools, toolChoice: _choice, ...speaker } = session;
  // nothing lists what a field of these words can hold but the proofs
  const closed = Object.fromEntries(Object.keys(proofs).map((field) => [field, []]));
  const read = ({ text }: Pick<Reply<string>, 'text'>): Read<string> => {
    const claims = unprovenInText(proofs, text, calls, { closed });
    return claims === undefined ? { ok: true, value: text } : unproven(claims, false);
  };
  const reported = read({ text: result.output });
  if (reported.ok) return undefined;
  const prompt = append(undefined, { role: 'user', content: `You reported:\n${result.output}`, owner: 'plan' });
  const reasks = new Reasks(session.name, maxReasks);
  const first = reasks.after(run, { text: result.output, finish: 'stop', toolCalls: [], prompt }, reported);
  if (first instanceof FlyballError) return ended(whenUnproven, result, first);
  const asked = await askingUntil(run, reasks, (tip) => run.ask(speaker, tip), first, read);
  const said = { ...result, output: asked.reply.text };
  return asked.ok ? { stop: 'done', value: said } : ended(whenUnproven, said, asked.error);
}

function ended(whenUnproven: WhenUnproven, result: PlanResult, error: FlyballError): Outcome<PlanResult> {
  return whenUnproven === 'degrade' ? degraded(result, error.message) : failed(failureOf(error), { partial: result });
}
