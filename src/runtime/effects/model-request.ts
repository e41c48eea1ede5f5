import { type Amounts, isAmount } from '../../core/budget.js';
import { ConfigError } from '../../core/errors.js';
import type { ModelRequest, Price, TokenUsage } from '../../core/model.js';
import { worstCost } from '../../core/prices.js';
import { messagesOf, type Prompt } from '../../core/prompt.js';
import { jsonSchemaOf, type StandardSchema } from '../../core/schema.js';
import type { Session } from '../../core/session.js';
import type { ToolRef } from '../../core/tool.js';
import type { Attempt } from '../attempt.js';

/** A re-ask adds the reply and a sentence about what is wrong with it. */
const REASK_NOTE_TOKENS = 400;

/** The most the call and its re-asks can cost: taken out of the budget before anything is sent. */
export function worstCase(
  attempt: Attempt,
  session: Session<never> | Session<unknown>,
  prompt: Prompt,
  calls: number,
): Partial<Amounts> {
  const output = session.sampling?.maxOutputTokens ?? session.model.capabilities.maxOutputTokens;
  const first = session.model.countTokens(requestOf(session as Session<unknown>, prompt, session.tools ?? []));
  // each re-ask sends the prompt again, with every reply before it
  const tokensIn = calls * first + ((calls * (calls - 1)) / 2) * (calls > 1 ? output + REASK_NOTE_TOKENS : 0);
  const tokensOut = calls * output;
  return { modelCalls: calls, tokensIn, tokensOut, costUsd: worstCost(tokensIn, tokensOut, priceOf(attempt, session)) };
}

export function priceOf(attempt: Attempt, session: Pick<Session<unknown>, 'model'>): Price {
  const price = attempt.host.priceOf(session.model.id) ?? session.model.price;
  if (price === undefined) {
    throw new ConfigError(
      `No price is known for ${session.model.id}, so its cost cannot be bounded. Pass prices: { '${session.model.id}': { input, output } } (0 for a model that costs nothing).`,
    );
  }
  return price;
}

/** A provider that reports no usage, or nonsense, is billed for the most the call can have cost. */
export function soundUsage(session: Session<unknown>, prompt: Prompt, usage: TokenUsage | undefined): TokenUsage {
  const { input, output } = usage ?? {};
  if (usage !== undefined && isAmount(input) && isAmount(output)) return usage;
  const worst = session.model.countTokens(requestOf(session, prompt, session.tools ?? []));
  return {
    input: isAmount(input) ? input : worst,
    output: isAmount(output)
      ? output
      : (session.sampling?.maxOutputTokens ?? session.model.capabilities.maxOutputTokens),
  };
}

export function requestOf(session: Session<unknown>, prompt: Prompt, tools: readonly ToolRef[]): ModelRequest {
  const output =
    session.outputJsonSchema ??
    (session.output === undefined ? undefined : jsonSchemaOf(session.output as StandardSchema));
  return {
    session: session.name,
    model: session.model.id,
    messages: messagesOf(prompt),
    tools: tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      input: tool.inputJsonSchema ?? inputSchemaOf(tool),
    })),
    toolChoice: session.toolChoice ?? 'auto',
    ...(output === undefined ? {} : { output }),
    sampling: {
      ...session.sampling,
      maxOutputTokens: session.sampling?.maxOutputTokens ?? session.model.capabilities.maxOutputTokens,
    },
  };
}

function inputSchemaOf(tool: ToolRef): Record<string, unknown> {
  return (
    (tool.input === undefined ? undefined : jsonSchemaOf(tool.input as unknown as StandardSchema)) ?? { type: 'object' }
  );
}
