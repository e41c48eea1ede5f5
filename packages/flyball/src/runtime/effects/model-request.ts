import { type Amounts, isAmount } from '../../core/budget.js';
import { ConfigError } from '../../core/errors.js';
import type { Ledger } from '../../core/ledger.js';
import type { Model, ModelRequest, Price, TokenUsage } from '../../core/model.js';
import { worstCost } from '../../core/prices.js';
import type { Prompt } from '../../core/prompt.js';
import { outputLimitOf, requestOf } from '../../core/request.js';
import type { Session } from '../../core/session.js';
import type { ToolRef } from '../../core/tool.js';
import type { Attempt } from '../attempt.js';
import type { Scope } from '../scope.js';

/** Less than this is no answer: where not even so much is left, the call is refused. */
const LEAST_OUTPUT_TOKENS = 256;

/** A call that is about to be made: how long a reply the budget has room for, and the most it can cost. */
export interface CallPlan {
  readonly maxOutputTokens: number;
  readonly want: Partial<Amounts>;
}

/**
 * Plans the call in the budget as it is when it is asked: the most it can cost is taken out before anything is sent.
 * Where there is no room for the longest reply, the model is asked for a shorter one.
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
    const maxOutputTokens = fitting(scope.ledger, worst, outputLimitOf(session));
    return { maxOutputTokens, want: worst(maxOutputTokens) };
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

/** The longest reply that the budget has room for: what it costs grows evenly with its length. */
function fitting(ledger: Ledger, worst: (output: number) => Partial<Amounts>, most: number): number {
  let longest = most;
  for (const axis of ['tokensIn', 'tokensOut', 'costUsd'] as const) {
    const fixed = worst(0)[axis] ?? 0;
    const each = (worst(1)[axis] ?? 0) - fixed;
    if (each > 0) longest = Math.min(longest, Math.floor((ledger.remaining(axis) - fixed) / each + 1e-9));
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
      `No price is known for ${model.id}, so its cost cannot be bounded. Pass prices: { '${model.id}': { input, output } } to the runtime, or write price: { input: …, output: … } into the agent's definition (USD per million tokens; 0 for a model that costs nothing).`,
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
