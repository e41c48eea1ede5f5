import { askUntil, NO_CALLS, type Read } from '../core/ask-until.js';
import { failureOf } from '../core/errors.js';
import { degraded, failed, type NotDone, type Outcome, withoutValue } from '../core/outcome.js';
import type { Prompt } from '../core/prompt.js';
import { unproven, type WhenUnproven } from '../core/proofs.js';
import type { Run } from '../core/run.js';
import type { Checked } from '../core/schema.js';
import type { Reply, Session } from '../core/session.js';
import { replied } from '../kit/seat.js';
import type { Prove } from '../loops/tool-loop/loop-parts.js';
import type { ObservationCapture } from '../memory/capture.js';
import { replyObservation } from '../memory/observe.js';

/** What a single shot ends with. */
export interface AgentResult<O = unknown> {
  readonly output: O;
  readonly rawText: string;
  readonly tokens: number;
  readonly model: string;
}

export interface ShotParts<O> {
  readonly session: Session;
  readonly maxReasks: number;
  readonly capture: ObservationCapture | undefined;
  read(run: Run, text: string): Promise<Checked<O>>;
  readonly prove: Prove | undefined;
  readonly whenUnproven: WhenUnproven;
}

/** One model call, asked again at most `maxReasks` times where the answer does not fit or is not proven. */
export async function singleShot<O>(
  run: Run,
  parts: ShotParts<O>,
  start: Prompt,
): Promise<{ readonly outcome: Outcome<AgentResult<O>>; readonly turns: number }> {
  parts.capture?.begin(run);
  let tokens = 0;
  let claimed: { readonly output: O } | undefined;
  const read = async (reply: Reply<string>): Promise<Read<O>> => {
    tokens += reply.usage.input + reply.usage.output;
    await parts.capture?.flush(run, [replyObservation(parts.session.name, reply)]);
    const output = await readReply(run, parts, reply);
    const claims = output.ok ? parts.prove?.(run, output.value, reply.text) : undefined;
    claimed = output.ok ? { output: output.value } : undefined;
    return claims === undefined ? output : unproven(claims, false);
  };
  const asked = await askUntil(run, parts.session, start, read, parts.maxReasks);
  const { reply } = asked;
  const result = (output: O): AgentResult<O> => ({ output, rawText: reply.text, tokens, model: reply.model });
  const endOf = (): Outcome<AgentResult<O>> => {
    if (asked.ok) return replied(parts.session, reply.finish, result(asked.value));
    const kept = parts.whenUnproven === 'degrade' ? claimed : undefined;
    if (kept !== undefined) return degraded(result(kept.output), asked.error.message);
    const isBrokenOff = reply.finish === 'content_filter' || reply.finish === 'error';
    return isBrokenOff
      ? withoutValue(replied(parts.session, reply.finish, undefined) as NotDone)
      : failed(failureOf(asked.error));
  };
  return { outcome: endOf(), turns: asked.tries };
}

async function readReply<O>(
  run: Run,
  parts: ShotParts<O>,
  { text, toolCalls, finish }: Reply<string>,
): Promise<Checked<O>> {
  if (finish === 'content_filter' || finish === 'error') return { ok: false, problem: 'It was broken off.' };
  if (text.trim() === '') return { ok: false, problem: toolCalls.length > 0 ? NO_CALLS : 'The answer is empty.' };
  return parts.read(run, text);
}
