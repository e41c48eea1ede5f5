import { type Amounts, AXES, type CountedAxis, isAmount } from '../../core/budget.js';
import { contentId, isStoredApart } from '../../core/codec.js';
import { ConfigError, FlyballError } from '../../core/errors.js';
import type { Model, ModelRequest, Price, TokenUsage } from '../../core/model.js';
import { hashOf } from '../../core/parts.js';
import { worstCost } from '../../core/prices.js';
import { headerOf, mediaLinksOf, type Prompt, storedText } from '../../core/prompt.js';
import { outputLimitOf, requestOf } from '../../core/request.js';
import type { Session } from '../../core/session.js';
import type { ToolRef } from '../../core/tool.js';
import type { StoredLink } from '../../ports/engine.js';
import type { Attempt } from '../attempt.js';
import type { Scope } from '../open-effects.js';

/** Less than this is no answer: where not even so much is left, the call is refused. */
const LEAST_OUTPUT_TOKENS = 256;

/** A call that is about to be made: how long a reply the budget has room for, and the most it can cost. */
export interface CallPlan {
  readonly maxOutputTokens: number;
  readonly want: Partial<Amounts>;
  /** As `want`, with the longest reply that there is room for if what is in flight leaves all that it has reserved. */
  readonly longest: Partial<Amounts>;
}

/**
 * Plans the call in the budget as it is when it is asked: the most it can cost is taken out before anything is sent.
 * Where there is no room for the longest reply, and nothing in flight could leave it, the model is asked for a shorter one.
 */
export function callPlanner(
  attempt: Attempt,
  scope: Pick<Scope, 'ledger'>,
  session: Session<never> | Session<unknown>,
  prompt: Prompt,
): () => CallPlan {
  let worst: ((output: number) => Partial<Amounts>) | undefined;
  return () => {
    worst ??= worstCase(attempt, session, prompt);
    const most = outputLimitOf(session);
    const { ledger } = scope;
    const maxOutputTokens = fitting((axis) => ledger.remaining(axis), worst, most);
    const want = worst(maxOutputTokens);
    if (maxOutputTokens === most) return { maxOutputTokens, want, longest: want };
    return { maxOutputTokens, want, longest: worst(fitting((axis) => ledger.mostLeft(axis), worst, most)) };
  };
}

/** The most the call can cost, by the length of the reply. */
function worstCase(
  attempt: Attempt,
  session: Session<never> | Session<unknown>,
  prompt: Prompt,
): (output: number) => Partial<Amounts> {
  const request = requestFor(session as Session<unknown>, prompt, session.tools ?? NO_TOOLS);
  const first = Math.max(...choices(session).map((model) => model.countTokens(request)));
  const paid = session.model.paidAttempts ?? 1;
  const tokensIn = paid * first;
  const price = dearestPrice(attempt, session);
  return (output) => {
    const tokensOut = paid * output;
    return { modelCalls: 1, tokensIn, tokensOut, costUsd: worstCost(tokensIn, tokensOut, price) };
  };
}

/** What a call can cost more of with a longer reply. */
const GROWING = ['tokensIn', 'tokensOut', 'costUsd'] as const;

/** The longest reply that the budget has room for: what it costs grows evenly with its length. */
function fitting(
  left: (axis: CountedAxis) => number,
  worst: (output: number) => Partial<Amounts>,
  most: number,
): number {
  const [none, one] = [worst(0), worst(1)];
  let longest = most;
  for (const axis of GROWING) {
    const fixed = none[axis] ?? 0;
    const each = (one[axis] ?? 0) - fixed;
    if (each > 0) longest = Math.min(longest, Math.floor((left(axis) - fixed) / each + 1e-9));
  }
  return Math.max(Math.min(most, LEAST_OUTPUT_TOKENS), longest);
}

export const NO_TOOLS: readonly ToolRef[] = [];
const made = new WeakMap<
  Prompt,
  { readonly session: object; readonly tools: object; readonly request: ModelRequest }
>();

/** The request is counted before it is sent: both times it is the same one. */
export function requestFor(session: Session<unknown>, prompt: Prompt, tools: readonly ToolRef[]): ModelRequest {
  const known = made.get(prompt);
  if (known !== undefined && known.session === session && known.tools === tools) return known.request;
  const request = requestOf(session, prompt, tools);
  made.set(prompt, { session, tools, request });
  return request;
}

/** The request with the output limit that the budget has room for. */
export function within(request: ModelRequest, maxOutputTokens: number): ModelRequest {
  if (request.sampling.maxOutputTokens === maxOutputTokens) return request;
  return { ...request, sampling: { ...request.sampling, maxOutputTokens } };
}

/** The model and those that may answer in its place. */
function choices({ model }: Pick<Session<unknown>, 'model'>): readonly Model[] {
  return model.fallbacks === undefined ? [model] : [model, ...model.fallbacks];
}

function priceOf(attempt: Attempt, model: Model): Price {
  const price = attempt.host.priceOf(model.id, model.price);
  if (price === undefined) {
    throw new ConfigError(
      `No price is known for ${model.id}, so its cost cannot be limited. Pass prices: { '${model.id}': { input, output } } to the runtime, or write price: { input: …, output: … } into the agent's definition (USD per million tokens; 0 for a model that costs nothing).`,
    );
  }
  return price;
}

/** The price of the model that answered. */
export function priceOfReply(attempt: Attempt, session: Session<unknown>, answered: string | undefined): Price {
  const model = choices(session).find(({ id }) => id === answered);
  if (answered === undefined || model !== undefined) return priceOf(attempt, model ?? session.model);
  return attempt.host.priceOf(answered, undefined) ?? dearestPrice(attempt, session); // one that nobody announced: never too little
}

/** Part by part the highest of all prices that may apply. */
export function dearestPrice(attempt: Attempt, session: Pick<Session<unknown>, 'model'>): Price {
  const prices = choices(session).map((model) => priceOf(attempt, model));
  const [only] = prices;
  if (only !== undefined && prices.length === 1) return only;
  const highest = (part: (price: Price) => number): number => Math.max(...prices.map(part));
  return {
    input: highest((price) => price.input),
    output: highest((price) => price.output),
    cacheRead: highest((price) => price.cacheRead ?? price.input),
    cacheWrite: highest((price) => price.cacheWrite ?? price.input),
  };
}

/** A provider that reports no usage, or nonsense, is billed for the most the call can have cost. */
export function soundUsage(
  session: Session<unknown>,
  prompt: Prompt,
  usage: TokenUsage | undefined,
  maxOutputTokens: number,
): TokenUsage {
  const { input, output } = usage ?? {};
  if (usage !== undefined && isAmount(input) && isAmount(output)) return usage;
  const worst = session.model.countTokens(requestFor(session, prompt, session.tools ?? NO_TOOLS));
  return {
    input: isAmount(input) ? input : worst,
    output: isAmount(output) ? output : maxOutputTokens,
  };
}

/** Hands the journal the links it does not have yet: a growing conversation writes only what is new. */
export function storeLinks(attempt: Attempt, tip: Prompt): void {
  const fresh: Prompt[] = [];
  for (
    let link: Prompt | undefined = tip;
    link !== undefined && !attempt.journal.storedLinks.has(link.id);
    link = link.parent
  )
    fresh.push(link);
  for (const link of fresh.reverse()) {
    attempt.journal.storedLinks.add(link.id);
    const content = storedText(link.segment);
    const media = mediaLinksOf(link);
    for (const { part, ...head } of media) storeLink(attempt, head, part.data, () => hashOf(part));
    const parent = media.at(-1)?.id ?? link.parent?.id;
    storeLink(attempt, { id: link.id, parent, header: headerOf(link.segment) }, content, () => contentId(content));
  }
}

function storeLink(
  { journal }: Attempt,
  head: Pick<StoredLink, 'id' | 'parent' | 'header'>,
  content: string,
  hash: () => string,
): void {
  if (!isStoredApart(content)) return journal.writer.link({ ...head, content }, undefined);
  const blob = hash();
  journal.writer.link({ ...head, blob }, [blob, content]);
}

/** On replay: the journal has them since an earlier life. */
export function rememberLinks(attempt: Attempt, tip: Prompt): void {
  for (
    let link: Prompt | undefined = tip;
    link !== undefined && !attempt.journal.storedLinks.has(link.id);
    link = link.parent
  ) {
    attempt.journal.storedLinks.add(link.id);
  }
}

/** What a model call turned out to cost. */
export interface Tally {
  input: number;
  output: number;
  costUsd: number;
}

export function addUsage(tally: Tally, usage: TokenUsage, costUsd: number): void {
  tally.input += usage.input;
  tally.output += usage.output;
  tally.costUsd += costUsd;
}

/** Failed attempts that may have been paid for: at the dearest price of those that were tried. */
export function addWasted(
  attempt: Attempt,
  session: Session<unknown>,
  tally: Tally,
  wasted: TokenUsage | undefined,
): void {
  if (wasted === undefined || !isAmount(wasted.input) || !isAmount(wasted.output)) return;
  addUsage(tally, wasted, worstCost(wasted.input, wasted.output, dearestPrice(attempt, session)));
}

/** As a router adds it up; a model that is asked directly only says that the call may have been paid for. */
export function wastedIn(
  session: Session<unknown>,
  prompt: Prompt,
  error: unknown,
  maxOutputTokens: number,
): TokenUsage | undefined {
  if (!(error instanceof FlyballError)) return undefined;
  const wasted = error.detail['wasted'] as TokenUsage | undefined;
  return (
    wasted ??
    (error.detail['mayHaveCost'] === true ? soundUsage(session, prompt, undefined, maxOutputTokens) : undefined)
  );
}

/** What is left of a reservation after what is known to be spent of it. */
export function restOf(reserved: Partial<Amounts> | undefined, tally: Tally): Partial<Amounts> {
  const known = amountsOf(tally);
  const rest = AXES.map((axis) => [axis, Math.max(0, (reserved?.[axis] ?? 0) - (known[axis] ?? 0))] as const);
  return Object.fromEntries(rest.filter(([, amount]) => amount > 0));
}

export function amountsOf(tally: Tally): Partial<Amounts> {
  return { modelCalls: 1, tokensIn: tally.input, tokensOut: tally.output, costUsd: tally.costUsd };
}
