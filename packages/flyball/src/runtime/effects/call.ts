import { stricter } from '../../core/approval.js';
import { fingerprint, strictJson } from '../../core/codec.js';
import { ConfigError } from '../../core/errors.js';
import type { EffectId, EndEvent, EventOf } from '../../core/events.js';
import { through } from '../../core/join-seams.js';
import {
  type Content,
  checkParts,
  isMedia,
  isParts,
  type MessagePart,
  sentParts,
  textOf,
  withText,
} from '../../core/parts.js';
import type { Question } from '../../core/question.js';
import type { MadeCall } from '../../core/run.js';
import type { Observed, Seams } from '../../core/seams.js';
import { changed, type EffectContext, type InvocationPolicy, type ToolRef, type ToolResult } from '../../core/tool.js';
import type { Attempt } from '../attempt.js';
import type { Pending, Scope } from '../open-effects.js';
import {
  type Act,
  failureIn,
  type Invocation,
  learnCompensation,
  RefusedResult,
  recordCutOff,
  rulesOf,
  unwrapChanged,
} from './act.js';
import {
  type Admitted,
  type AnyTool,
  admitInTurn,
  admittedAtGate,
  reservationOf,
  reservedFor,
  soundFor,
} from './admit.js';
import { driveAct } from './drive-act.js';
import { ask } from './effect.js';
import { driveQuestion } from './question.js';

/**
 * A governed tool call: view, schema and guards before INTENT, execution and response guard inside, an observation after.
 * `isPart`: it is only the first part of a call, which is not over with it.
 */
export function call<T>(
  attempt: Attempt,
  scope: Scope,
  tool: ToolRef<T>,
  { args, seams, isPart = false }: { readonly args: unknown; readonly seams: Seams; readonly isPart?: boolean },
): Promise<ToolResult<T>> {
  const given = tool as unknown as AnyTool;
  // made ready when the call starts live; on replay the journal's arguments take their place
  let made: Act | undefined;
  const ready = (): Act => {
    made ??= actOf(attempt, given, args, { at: '', seams });
    return made;
  };
  if (given.asks !== undefined && rulesOf(given.effect).class !== 'pure')
    throw new ConfigError(`Tool ${given.name} asks a person, so it changes nothing itself: its effect must be pure.`);
  const fp = fingerprint('call', given.name, args);
  return ask<ToolResult<T>>(attempt, scope, {
    kind: 'call',
    fp,
    name: given.name,
    want: { toolCalls: 1, ...reservationOf(given, args) },
    polls: given.polls === true || isPart,
    drive: async (pending) => {
      const admitted = await admitInTurn(attempt, pending, given, args, seams);
      if (admitted === undefined) return;
      made = admittedAct(attempt, pending, given, { ...admitted, given: args }, seams);
      if (given.asks === undefined) await driveAct(attempt, pending, made);
      else await driveQuestion(attempt, pending, made, (input) => askedBy(given, input));
    },
    learn: (end) => learnCompensation(attempt, ready(), end),
    cutOff: (pending) => recordCutOff(attempt, pending, ready()),
    answer: (end) => {
      const failure = failureIn(end);
      if (!isPart || failure !== undefined)
        attempt.delivery.calls.add(scope.ledger, scope.path, madeCall(given.name, end, intentOf(attempt, end.id)));
      if (given.asks !== undefined && failure === undefined)
        attempt.delivery.calls.answered(scope.ledger, fp, end as EventOf<'complete'>);
      if (failure !== undefined) return { ok: false, content: `${given.name} failed: ${failure.message}`, failure };
      const { result, how } = end as EventOf<'complete'>;
      return {
        ok: true,
        ...shownOf(result as KeptResult),
        value: restore(result) as T,
        ...(how === 'simulated' ? { simulated: true } : {}),
      };
    },
  });
}

/** The INTENT that its end is about; of a call that a fork inherits, its parent's. */
function intentOf({ journal, recorded }: Attempt, id: EffectId): EventOf<'intent'> | undefined {
  const own = journal.saga.intents.get(id);
  if (own !== undefined) return own;
  const inherited = recorded.starts.get(id)?.findLast(({ event }) => event.type === 'intent')?.event;
  return inherited?.type === 'intent' ? inherited : undefined;
}

/** Kept for the whole run, so that nothing long is kept: the journal has all of it. */
const MOST_ARGS = 4_000;
export const MOST_RESULT = 1_000;

function madeCall(tool: string, end: EndEvent, intent: EventOf<'intent'> | undefined): MadeCall {
  const failure = failureIn(end);
  const how = end.type === 'complete' ? end.how : undefined;
  const text = failure === undefined ? (end as EventOf<'complete'>).result : { text: failure.message };
  return {
    effect: end.id,
    tool,
    ...keptArgs(intent ?? (end as EventOf<'complete' | 'abort'>)),
    result: clipped((text as KeptResult).text, MOST_RESULT),
    ok: failure === undefined,
    tookPlace: end.type === 'complete' && how !== 'simulated',
    ...(failure === undefined ? {} : { code: failure.code }),
    ...(how === 'person' || how === 'simulated' ? { standIn: how } : {}),
    ...(end.type === 'complete' && end.declined === true ? { declined: true } : {}),
  };
}

/** As they come back from the journal, so that the code sees the same in every life. */
function keptArgs({ input = null }: { readonly input?: unknown }): Pick<MadeCall, 'args' | 'argsCut'> {
  const json = strictJson(input);
  return json.length <= MOST_ARGS
    ? { args: JSON.parse(json) as unknown }
    : { args: clipped(json, MOST_ARGS), argsCut: true };
}

export function clipped(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

function askedBy(tool: AnyTool, args: unknown): Question {
  if (tool.asks === undefined) throw new ConfigError(`Tool ${tool.name} asks nobody.`);
  return tool.asks(args);
}

/** What guards let pass, ready to be made; a person at the gate may have it made anew with other arguments. */
function admittedAct(
  attempt: Attempt,
  pending: Pending,
  tool: AnyTool,
  admitted: Admitted & { readonly given?: unknown },
  seams: Seams,
): Act {
  const { args, approval, approvalRules: asked } = admitted;
  const place = { at: pending.id, seams };
  // assigned and not spread: a literal that begins with a spread costs two hundredths of an iteration of a tool loop
  const act: { -readonly [part in keyof Act]: Act[part] } = actOf(attempt, tool, args, place, (kept) =>
    withChange(kept, changeIn(pending), args),
  );
  if ('given' in admitted) act.given = admitted.given;
  act.guarded = true;
  if (approval !== undefined) act.approval = approval;
  const rules = tool.approval === undefined && asked === undefined ? undefined : stricter(tool.approval, asked);
  if (rules !== undefined && Object.keys(rules).length > 0) act.approvalRules = rules;
  if (tool.review !== undefined) act.review = () => tool.review?.(args) ?? {};
  act.recommend = async () => admitted.recommended ?? (await soundFor(tool, tool.review?.(args)?.recommended));
  act.remake = async (value, gate) => {
    const again =
      admittedAtGate(attempt, gate) ?? (await admitInTurn(attempt, pending, tool, value, seams, { isNew: true }));
    if (again === undefined || !reservedFor(attempt, pending, tool, again.args)) return undefined;
    return admittedAct(attempt, pending, tool, again, seams);
  };
  return act;
}

/** Who changed the arguments at the gate, if anybody did: the verdicts of earlier lives are known here too. */
function changeIn({ subs }: Pending): string | undefined {
  if (subs === undefined) return undefined;
  const ends = [...subs.ended.values()];
  const isChange = ({ payload }: EventOf<'wait-end'>): boolean =>
    (payload as { readonly verdict?: unknown } | undefined)?.verdict === 'modify';
  const change = ends.findLast(isChange);
  return change === undefined ? undefined : (change.from ?? 'a person');
}

/** A model that proposed something else must not believe that its own proposal was carried out. */
function withChange(kept: KeptResult, by: string | undefined, args: unknown): KeptResult {
  if (by === undefined) return kept;
  const text = `[${by} changed the arguments before it ran: ${strictJson(args)}]\n${kept.text}`;
  return { ...saying(text, kept.parts), value: restore(kept) };
}

function asKept(kept: KeptResult): KeptResult {
  return kept;
}

interface Place {
  readonly at: EffectId;
  readonly seams: Seams;
}

function actOf(attempt: Attempt, tool: AnyTool, args: unknown, place: Place, marked = asKept): Act {
  const { seams } = place;
  const own = rulesOf(tool.effect);
  const timeout = own.rules.timeoutMs === undefined && tool.timeoutMs !== undefined;
  return {
    of: 'call',
    name: tool.name,
    input: args,
    ...own,
    ...(tool.hash === undefined ? undefined : { toolHash: tool.hash }),
    // Object.create, not a copy: verify and compensate may be methods of a class
    ...(timeout ? { rules: Object.create(own.rules, { timeoutMs: { value: tool.timeoutMs } }) } : undefined),
    invocation: invocationOf(tool),
    body: async (how) => {
      if (seams['tool.exec'] === undefined && seams['tool.post'] === undefined) return tool.execute(args, how);
      return guarded(attempt, tool, args, { ...place, how });
    },
    observe: (value) => observed(attempt, tool, args, value, place),
    keep: (value) => marked(value instanceof Shown ? value.kept : keep(tool, value)),
    restore,
  };
}

const PATIENCE: InvocationPolicy = {
  retries: 2,
  baseDelayMs: 200,
  maxDelayMs: 5000,
  jitterMs: 100,
  breaker: { failures: 5, openMs: 30_000 },
};

function invocationOf(tool: AnyTool): Invocation {
  const policy = tool.retry === undefined ? PATIENCE : { ...PATIENCE, ...tool.retry };
  return { policy, tool };
}

/** Execution and response guard: what the model may read of a result is decided before it is kept. */
async function guarded(
  attempt: Attempt,
  tool: AnyTool,
  args: unknown,
  { at, seams, how }: Place & { readonly how: EffectContext },
): Promise<unknown> {
  const ref = tool as unknown as ToolRef;
  const execute = through(seams, 'tool.exec', () => tool.execute(args, how));
  const made = await execute({ tool: ref, args, key: how.key }, attempt.guards.context(at));
  return observed(attempt, tool, args, made, { at, seams });
}

/** What the response guard makes of a result, wherever the result comes from. */
async function observed(
  attempt: Attempt,
  tool: AnyTool,
  args: unknown,
  made: unknown,
  { at, seams }: Place,
): Promise<unknown> {
  if (seams['tool.post'] === undefined) return made;
  const { result: value, reported } = unwrapChanged(made);
  const report = (shown: unknown): unknown => (reported === undefined ? shown : changed(shown, reported));
  try {
    const guard = through(seams, 'tool.post', async (seen) => ({ value: seen.value, text: seen.text }));
    const about = { tool: tool as unknown as ToolRef, args, value, text: keep(tool, value).text };
    return report(new Shown(keepObserved(tool, await guard(about, attempt.guards.context(at)))));
  } catch (error) {
    return report(new RefusedResult(error)); // it took place all the same, and what it changed still counts
  }
}

/** A result in the form in which it is kept, after the response guard. */
class Shown {
  readonly kept: KeptResult;
  constructor(kept: KeptResult) {
    this.kept = kept;
  }
}

/** Text that a guard changed is what the code gets too where the result was that text. */
function keepObserved(tool: AnyTool, { value, text }: Observed): KeptResult {
  const plain = keep(tool, value);
  if (plain.text === text) return plain;
  return value === plain.text ? { text } : { ...saying(text, plain.parts), value };
}

/** Another text over the same images and files: a guard that keeps those back refuses the result, or changes its value. */
function saying(text: string, parts: KeptResult['parts']): Pick<KeptResult, 'text' | 'parts'> {
  if (parts === undefined) return { text };
  const changed = withText(parts, text);
  return { text: textOf(changed), parts: changed };
}

/** A tool's result is kept as what a model reads, so that journal and prompt share its bytes. */
export type KeptResult = { readonly text: string; readonly parts?: readonly MessagePart[] } & (
  | { readonly json?: true }
  | { readonly value: unknown }
);

function keep(tool: AnyTool, value: unknown): KeptResult {
  const shown = tool.present?.(value);
  if (shown !== undefined) return { ...presented(shown), value };
  if (typeof value === 'string') return { text: value };
  return isParts(value) ? { ...presented(value), value } : { text: strictJson(value ?? null), json: true };
}

/** Files of text are text from here on, so that response guards read them too. */
function presented(shown: Content): Pick<KeptResult, 'text' | 'parts'> {
  if (typeof shown === 'string') return { text: shown };
  checkParts(shown);
  const parts = sentParts(shown);
  return parts.some(isMedia) ? { text: textOf(parts), parts } : { text: textOf(parts) };
}

/** What the caller reads of it. */
export function shownOf({ text, parts }: KeptResult): Pick<ToolResult & { readonly ok: true }, 'content' | 'parts'> {
  return parts === undefined ? { content: text } : { content: text, parts };
}

export function restore(result: unknown): unknown {
  const kept = result as KeptResult;
  if ('value' in kept) return kept.value;
  return 'json' in kept && kept.json === true ? (JSON.parse(kept.text) as unknown) : kept.text;
}

/** A result that somebody else made, as the response guard lets it be read and as it is kept. */
export async function keptResult(
  attempt: Attempt,
  tool: AnyTool,
  args: unknown,
  made: unknown,
  place: Place,
): Promise<KeptResult> {
  const seen = await observed(attempt, tool, args, made, place);
  if (seen instanceof RefusedResult) throw seen.error;
  return seen instanceof Shown ? seen.kept : keep(tool, seen);
}
