import { askingUntil, MOST_REASKS, NO_CALLS, Reasks } from '../../core/ask-until.js';
import { type Amounts, AXES, isAmount } from '../../core/budget.js';
import { fingerprint } from '../../core/codec.js';
import { ConfigError, EffectError, type FlyballError, failureOf } from '../../core/errors.js';
import type { EventOf, RecordedReply } from '../../core/events.js';
import { type Framing, framed } from '../../core/framing.js';
import { through } from '../../core/join-seams.js';
import { partRefused, unfitPart } from '../../core/media-fit.js';
import type { ModelCallContext, ModelDelta, ModelReply, Reasoning, TokenUsage } from '../../core/model.js';
import { costOf } from '../../core/prices.js';
import { append, messagesOf, type Prompt } from '../../core/prompt.js';
import { isJson, readJson } from '../../core/read-json.js';
import { closed, outputLimitOf, underSetup } from '../../core/request.js';
import type { Run } from '../../core/run.js';
import { checkSampling } from '../../core/sampling.js';
import { check, type StandardSchema } from '../../core/schema.js';
import type { Input, Reply, Session } from '../../core/session.js';
import type { EffectContext, ToolRef } from '../../core/tool.js';
import type { Attempt } from '../attempt.js';
import type { Pending, Scope } from '../open-effects.js';
import { ask, keyOf, runBody, WithSignal } from './effect.js';
import {
  addUsage,
  addWasted,
  amountsOf,
  type CallPlan,
  callPlanner,
  dearestPrice,
  NO_TOOLS,
  priceOfReply,
  rememberLinks,
  requestFor,
  restOf,
  soundUsage,
  storeLinks,
  wastedIn,
  within,
} from './model-request.js';

const DEFAULT_TIMEOUT_MS = 120_000;

/** What is asked, and how it is planned in the budget of the moment. */
interface Asked {
  readonly session: Session<unknown>;
  /** What made the session what it is. */
  readonly framings: readonly string[];
  readonly prompt: Prompt;
  readonly plan: () => CallPlan;
}

/** One model call. With an output schema, the model is asked again until the reply fits, a limited number of times. */
export function askModel<T>(
  attempt: Attempt,
  scope: Scope,
  given: { readonly session: Session<T>; readonly input: Input; readonly framings: readonly Framing[] },
): Promise<Reply<T>> {
  const { input } = given;
  const session = given.framings.length === 0 ? given.session : framed(given.framings, given.session);
  checkSampling(`the session "${session.name}"`, session.sampling);
  const framings = given.framings.map(({ id }) => id);
  const asked = { session, input, framings };
  return session.output === undefined ? askOnce(attempt, scope, asked) : askUntilFits(attempt, scope, asked);
}

async function askUntilFits<T>(attempt: Attempt, scope: Scope, given: Framed<T>): Promise<Reply<T>> {
  const { session, input, framings } = given;
  if (typeof session.output?.['~standard']?.validate !== 'function')
    throw new ConfigError(
      `The output of the session "${session.name}" is not a Standard Schema. Pass a schema from zod, valibot or arktype, or convert a JSON Schema with jsonSchemaStandard(schema) from flyball/tools.`,
    );
  const journal: Pick<Run, 'note'> = { note: (event) => attempt.journal.tellings.note(scope.path, event) };
  const reasks = new Reasks(session.name, session.maxReasks ?? MOST_REASKS);
  const asked = await askingUntil(
    journal,
    reasks,
    (tip) => askOnce(attempt, scope, { session, input: tip, framings }),
    input,
    ({ value, problem }) => (problem === undefined ? { ok: true, value } : { ok: false, problem }),
  );
  if (!asked.ok) throw asked.error;
  return asked.reply;
}

/** What a session is asked, and what made the session what it is. */
interface Framed<T> {
  readonly session: Session<T>;
  readonly input: Input;
  readonly framings: readonly string[];
}

/** A reply, and what is wrong with it where the session has a schema that it does not fit. */
type OneReply<T> = Reply<T> & { readonly problem?: string };

function askOnce<T>(attempt: Attempt, scope: Scope, given: Framed<T>): Promise<OneReply<T>> {
  const { session, input, framings } = given;
  const conversation = underSetup(session, input);
  const prompt = closed(session, conversation);
  const id = `${scope.path}#${scope.effects}`;
  const plan = callPlanner(attempt, scope, session, prompt);
  const isKnown = attempt.recorded.ends.has(id) || attempt.recorded.starts.has(id);
  const refusal = isKnown ? undefined : refusalFor(session, prompt);
  return ask<OneReply<T>>(attempt, scope, {
    kind: 'ask',
    name: session.name,
    fp: fingerprint('ask', session.name, framings.length === 0 ? prompt.id : [prompt.id, ...framings]),
    want: isKnown || refusal !== undefined ? {} : plan().want,
    drive: (pending) =>
      refusal === undefined
        ? drive(attempt, pending, { session: session as Session<unknown>, framings, prompt, plan })
        : refuse(attempt, pending, session.name, refusal),
    answer: (end) => {
      const { reply, failure, fp } = end as EventOf<'ask-end'>;
      if (fp === undefined) rememberLinks(attempt, prompt); // of a call that was never made nothing was stored
      if (reply === undefined)
        return new EffectError(failure ?? { code: 'MODEL_UNAVAILABLE', message: 'no reply', retryable: true });
      const model = reply.model ?? session.model.id;
      attempt.delivery.calls.answeredBy(scope.ledger, scope.path, model);
      const { text, toolCalls = [] } = reply;
      const about = { effect: end.id, path: scope.path, session: session.name, model, prompt, text, toolCalls };
      attempt.delivery.calls.replied(scope.ledger, about);
      return replyFor(session, conversation, reply);
    },
  });
}

/** A part that the model cannot take: known before anything is reserved, and so before anything is paid. */
function refusalFor<T>({ model }: Session<T>, prompt: Prompt): FlyballError | undefined {
  if (!prompt.hasMedia) return undefined;
  const part = unfitPart(model.capabilities, messagesOf(prompt));
  return part === undefined ? undefined : partRefused(model, part);
}

/** Journaled as the end of a call that was never made: another life may have another model, and the code went by this. */
async function refuse(attempt: Attempt, { id, fp }: Pending, session: string, refusal: FlyballError): Promise<void> {
  attempt.delivery.record({ type: 'ask-end', id, fp, session, failure: failureOf(refusal), spent: {} });
}

function replyFor<T>(session: Session<T>, conversation: Prompt, reply: RecordedReply): OneReply<T> {
  const toolCalls = reply.toolCalls ?? [];
  return {
    value: answerIn(reply, session.output !== undefined) as T,
    text: reply.text,
    ...(reply.problem === undefined ? {} : { problem: reply.problem }),
    toolCalls,
    finish: reply.finish,
    usage: reply.usage,
    costUsd: reply.costUsd,
    model: reply.model ?? session.model.id,
    ...(reply.reasoning === undefined ? {} : { reasoning: reply.reasoning }),
    ...(reply.logProbs === undefined ? {} : { logProbs: reply.logProbs }),
    ...(reply.offered === undefined ? {} : { offered: reply.offered }),
    prompt: append(conversation, {
      role: 'assistant',
      content: reply.text,
      owner: session.name,
      ...(toolCalls.length > 0 ? { toolCalls } : {}),
      ...reasoningFor(reply),
    }),
  };
}

/** Providers want their reasoning back only within a turn that goes on, or when it is signed. */
function reasoningFor({ reasoning, opaqueReasoning, toolCalls }: RecordedReply): { readonly reasoning?: Reasoning } {
  if (opaqueReasoning !== undefined) return { reasoning: { text: reasoning ?? '', opaque: opaqueReasoning } };
  return reasoning === undefined || toolCalls === undefined ? {} : { reasoning: { text: reasoning } };
}

function answerIn(reply: RecordedReply, hasSchema: boolean): unknown {
  if (!hasSchema) return reply.text;
  // the model proposed calls instead of answering, or answered what does not fit
  if (reply.toolCalls !== undefined || reply.problem !== undefined) return undefined;
  return reply.value === undefined ? (JSON.parse(reply.text) as unknown) : reply.value;
}

/** Calls whose earlier attempts are in the books: one that waits in line is driven again. */
const inTheBooks = new WeakSet<Pending>();

async function drive(attempt: Attempt, pending: Pending, asked: Asked): Promise<void> {
  const { session, framings, prompt, plan } = asked;
  const { ledger } = pending.scope;
  const lost = (attempt.recorded.starts.get(pending.id) ?? []).filter((entry) => entry.inherited === undefined);
  ledger.release(pending.reserved ?? {});
  // a reservation that a crash left open may have been paid for: it stays taken, and the call is reserved again
  if (lost.length > 0 && !inTheBooks.has(pending)) ledger.mayHaveCost(pending.reserved ?? {}, { shown: false });
  inTheBooks.add(pending);
  pending.reserved = undefined;
  const { want, maxOutputTokens, longest } = plan(); // the budget may be another than when the code asked
  if (longest !== want && attempt.admission.waitsForRoom(pending, longest, () => plan().want)) return;
  const refusal = ledger.reserve(want);
  if (refusal !== undefined) {
    pending.phase = 'held'; // it is not in flight: it waits for the bound to be delivered
    return attempt.books.bounds.trip(refusal);
  }
  pending.reserved = want;
  storeLinks(attempt, prompt);
  attempt.journal.push({
    type: 'ask-start',
    id: pending.id,
    fp: pending.fp,
    session: session.name,
    model: session.model.id,
    tip: prompt.id,
    reserved: want,
    attempt: lost.length + 1,
    ...(maxOutputTokens < outputLimitOf(session) ? { maxOutputTokens } : {}),
    ...(framings.length === 0 ? {} : { framings }),
  });
  await attempt.journal.barrier();
  if (pending.closedBy !== undefined) return attempt.effects.drop(pending);
  await converse(attempt, pending, { ...asked, maxOutputTokens }, lost.length + 1);
}

async function converse(
  attempt: Attempt,
  pending: Pending,
  { session, prompt, maxOutputTokens }: Asked & { readonly maxOutputTokens: number },
  nth: number,
): Promise<void> {
  const began = attempt.clock.monotonic();
  const tally = { input: 0, output: 0, costUsd: 0 };
  const timeoutMs = session.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  let offered: readonly string[] | undefined;
  const end = await runBody(attempt, pending, { key: keyOf(attempt, pending), timeoutMs }, (how) => {
    const send = (tools: readonly ToolRef[]): Promise<ModelReply> => {
      if (tools !== session.tools && session.tools !== undefined) offered = tools.map(({ name }) => name);
      return generate(attempt, pending, { session, prompt, tools, maxOutputTokens }, how, nth);
    };
    const tools = toolsFor(attempt, pending, session);
    return tools instanceof Promise ? tools.then(send) : send(tools);
  });
  if (pending.closedBy !== undefined) return attempt.effects.drop(pending);
  if (end.ended !== 'value') {
    const failure = failureOf(end.ended === 'error' ? end.error : end.reason, 'MODEL_UNAVAILABLE');
    // a call that was cut off may have been paid for
    if (end.ended === 'error')
      addWasted(attempt, session, tally, wastedIn(session, prompt, end.error, maxOutputTokens));
    const known = end.ended === 'stopped' ? pending.used?.() : undefined;
    const isUnknown = end.ended === 'stopped' && known === undefined;
    const possibly = isUnknown ? { possibly: restOf(pending.reserved, tally) } : {};
    const spent = known ?? amountsOf(tally);
    return attempt.delivery.record({ type: 'ask-end', id: pending.id, failure, spent, ...possibly });
  }
  const reply = end.value;
  const usage = soundUsage(session, prompt, reply.usage, maxOutputTokens);
  addUsage(tally, usage, costOf(usage, priceOfReply(attempt, session, reply.model)));
  addWasted(attempt, session, tally, reply.wasted);
  const read = session.output === undefined ? NOTHING_READ : await readReply(session, session.output, reply);
  const ms = attempt.clock.monotonic() - began;
  recordReply(attempt, pending, reply, { usage, offered, costUsd: tally.costUsd, ms, ...read }, amountsOf(tally));
}

/** The tools that a request may carry: those of the session, or what the seam leaves of them. */
function toolsFor(
  attempt: Attempt,
  pending: Pending,
  session: Session<unknown>,
): readonly ToolRef[] | Promise<readonly ToolRef[]> {
  const { seams } = attempt.host;
  const given = session.tools ?? NO_TOOLS;
  if (seams['tools.load'] === undefined) return given;
  const isSame = (left: readonly ToolRef[]): boolean =>
    left.length === given.length && left.every((tool, index) => tool === given[index]);
  const load = through(seams, 'tools.load', async (list) => list);
  const loaded = Promise.resolve(load(given, attempt.guards.context(pending.id)));
  return loaded.then((left) => (isSame(left) ? given : left));
}

function generate(
  attempt: Attempt,
  pending: Pending,
  asked: {
    readonly session: Session<unknown>;
    readonly prompt: Prompt;
    readonly tools: readonly ToolRef[];
    readonly maxOutputTokens: number;
  },
  how: EffectContext,
  nth: number,
): Promise<ModelReply> {
  const { seams } = attempt.host;
  const { session } = asked;
  const request = within(requestFor(session, asked.prompt, asked.tools), asked.maxOutputTokens);
  const onDelta = (delta: ModelDelta): void => attempt.host.audience.delta(attempt.runId, pending.id, nth, delta);
  const context = new CallContext(how, {
    ...(attempt.host.audience.watchers.size > 0 ? { onDelta } : {}),
    ...((session.model.paidAttempts ?? 1) > 1
      ? {}
      : { onUsage: (usage) => tellUsed(attempt, pending, session, usage) }),
  });
  if (seams['model'] === undefined) return Promise.resolve(session.model.generate(request, context));
  const send = through(seams, 'model', (sent) => session.model.generate(sent, context));
  return Promise.resolve(send(request, attempt.guards.context(pending.id)));
}

/** The signal is that of the body, and made only where a model reads it. */
class CallContext extends WithSignal implements ModelCallContext {
  readonly key: string;
  readonly #body: EffectContext;

  constructor(body: EffectContext, told: Pick<ModelCallContext, 'onDelta' | 'onUsage'>) {
    super();
    this.key = body.key;
    this.#body = body;
    Object.assign(this, told); // one that nobody listens to is not there at all
  }

  protected makeSignal(): AbortSignal {
    return this.#body.signal;
  }
}

/** What the call is charged if it is aborted now, which is worked out only then. An adapter that says nonsense has said nothing. */
function tellUsed(attempt: Attempt, pending: Pending, session: Session<unknown>, usage: TokenUsage): void {
  if (!isAmount(usage.input) || !isAmount(usage.output)) return;
  const told = { ...usage };
  pending.used = () => {
    const tally = { input: 0, output: 0, costUsd: 0 };
    addUsage(tally, told, costOf(told, dearestPrice(attempt, session)));
    return atMost(amountsOf(tally), pending.reserved);
  };
}

/** Streamed text is counted by what it can be at most, which may be more than was reserved for it. */
function atMost(used: Partial<Amounts>, reserved: Partial<Amounts> = {}): Partial<Amounts> {
  const known = AXES.filter((axis) => used[axis] !== undefined);
  return Object.fromEntries(known.map((axis) => [axis, Math.min(used[axis] ?? 0, reserved[axis] ?? 0)]));
}

/** What is kept of reading: a value that is not simply the text parsed, or what is wrong. A replay reads nothing again. */
type Kept = Pick<RecordedReply, 'value' | 'problem'>;

const NOTHING_READ: Kept = {};

async function readReply(
  { reads, tools = NO_TOOLS }: Session<unknown>,
  output: StandardSchema<unknown, unknown>,
  reply: ModelReply,
): Promise<Kept> {
  if (reply.toolCalls.length > 0) return tools.length > 0 ? {} : { problem: NO_CALLS };
  if (reads === 'text') {
    const checked = await check(output, reply.text);
    return checked.ok ? { value: checked.value } : { problem: checked.problem };
  }
  const read = await readJson(reply.text, output);
  if (!read.ok) return { problem: read.problem };
  const isText = isJson(reply.text) && JSON.stringify(read.value) === JSON.stringify(read.parsed);
  return isText ? {} : { value: read.value };
}

/** What is known of a reply beside what the model said. */
interface About extends Kept {
  readonly usage: TokenUsage;
  readonly offered: readonly string[] | undefined;
  readonly costUsd: number;
  readonly ms: number;
}

function recordReply(
  attempt: Attempt,
  pending: Pending,
  reply: ModelReply,
  about: About,
  spent: Partial<Amounts>,
): void {
  const recorded: RecordedReply = {
    text: reply.text,
    ...(reply.toolCalls.length > 0 ? { toolCalls: reply.toolCalls } : undefined),
    finish: reply.finish,
    usage: about.usage,
    ...(reply.reasoning === undefined ? undefined : { reasoning: reply.reasoning }),
    ...(reply.opaqueReasoning === undefined ? undefined : { opaqueReasoning: reply.opaqueReasoning }),
    ...(reply.logProbs === undefined ? undefined : { logProbs: reply.logProbs }),
    ...(reply.model === undefined ? undefined : { model: reply.model }),
    ...(reply.wasted === undefined ? undefined : { wasted: reply.wasted }),
    ...(about.offered === undefined ? undefined : { offered: about.offered }),
    costUsd: about.costUsd,
    ...(about.value === undefined ? undefined : { value: about.value }),
    ...(about.problem === undefined ? undefined : { problem: about.problem }),
    ms: about.ms,
  };
  try {
    attempt.delivery.record({ type: 'ask-end', id: pending.id, reply: recorded, spent });
  } catch (error) {
    attempt.delivery.record({ type: 'ask-end', id: pending.id, failure: failureOf(error), spent });
  }
}
