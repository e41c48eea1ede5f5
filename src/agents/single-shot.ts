import { FlyballError, failureOf } from '../core/errors.js';
import { blocked, degraded, done, failed, type Outcome } from '../core/outcome.js';
import { append, type Prompt } from '../core/prompt.js';
import { claimNotice, type WhenUnproven } from '../core/proofs.js';
import type { Run } from '../core/run.js';
import type { Checked } from '../core/schema.js';
import type { Reply, Session } from '../core/session.js';
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
  readonly maxRepairs: number;
  readonly capture: ObservationCapture | undefined;
  read(run: Run, text: string): Promise<Checked<O>>;
  readonly prove: ((run: Run, output: unknown) => string | undefined) | undefined;
  readonly whenUnproven: WhenUnproven;
}

/** One model call, and at most `maxRepairs` more where the answer does not fit: the error is the last thing they read. */
export async function singleShot<O>(run: Run, parts: ShotParts<O>, start: Prompt): Promise<Outcome<AgentResult<O>>> {
  parts.capture?.begin(run);
  let prompt = start;
  let tokens = 0;
  let unfit: string | undefined;
  for (let repairs = 0; ; repairs++) {
    const reply = await run.ask(parts.session, prompt);
    tokens += reply.usage.input + reply.usage.output;
    await parts.capture?.flush(run, [replyObservation(parts.session.name, reply)]);
    const broken = brokenOff<O>(parts, reply);
    if (broken !== undefined) return broken;
    const output = await readReply(run, parts, reply);
    const result = (value: O): AgentResult<O> => ({ output: value, rawText: reply.text, tokens, model: reply.model });
    const claims = output.ok ? parts.prove?.(run, output.value) : undefined;
    if (output.ok && claims === undefined) return ended(reply, result(output.value));
    const isLast = reply.finish === 'length' || repairs >= parts.maxRepairs || unfit === reply.text;
    if (output.ok && claims !== undefined) {
      run.note({ kind: 'claim-unproven', claims, asked: repairs + 1 });
      if (isLast) return unproven(parts, result(output.value), claims);
      unfit = reply.text;
      prompt = append(reply.prompt, { role: 'user', content: claimNotice(claims), owner: 'loop', trust: 'system' });
      continue;
    }
    // the same mistake word for word: asking again would only buy it once more
    const problem = output.ok ? '' : output.problem;
    if (isLast) return failed(invalid(parts.session.name, problem));
    unfit = reply.text;
    const content = `That answer does not fit the required format. Give it again, corrected. ${problem}`;
    prompt = append(reply.prompt, { role: 'user', content, owner: 'loop', trust: 'system' });
  }
}

function unproven<O>(parts: ShotParts<O>, result: AgentResult<O>, claims: string): Outcome<AgentResult<O>> {
  const why = `The answer of ${parts.session.name} claims what the journal does not show: ${claims}`;
  if (parts.whenUnproven === 'degrade') return degraded(result, why);
  return failed(failureOf(new FlyballError('CLAIM_UNPROVEN', why)));
}

function brokenOff<O>({ session }: ShotParts<O>, { finish }: Reply<string>): Outcome<AgentResult<O>> | undefined {
  if (finish === 'content_filter') return blocked('the model refused to answer');
  if (finish !== 'error') return undefined;
  const why = `The model of ${session.name} ended its reply with an error. Ask it again later.`;
  return failed(failureOf(new FlyballError('MODEL_UNAVAILABLE', why, { retryable: true })));
}

async function readReply<O>(run: Run, parts: ShotParts<O>, { text, toolCalls }: Reply<string>): Promise<Checked<O>> {
  if (text.trim() === '')
    return {
      ok: false,
      problem: toolCalls.length > 0 ? 'There are no tools: answer in text.' : 'The answer is empty.',
    };
  return parts.read(run, text);
}

function ended<O>({ finish }: Reply<string>, result: AgentResult<O>): Outcome<AgentResult<O>> {
  return finish === 'length' ? degraded(result, 'the answer is cut at the limit of output tokens') : done(result);
}

function invalid(name: string, problem: string): ReturnType<typeof failureOf> {
  return failureOf(new FlyballError('REPLY_INVALID', `The answer of ${name} does not fit its schema: ${problem}`));
}
