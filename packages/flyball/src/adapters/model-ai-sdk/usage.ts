import type { FinishReason, TokenUsage } from '../../core/model.js';
import type { SdkMetadata } from './language-model.js';

type Fields = Readonly<Record<string, unknown>>;

/** Usage in either shape; undefined where the provider does not say. */
export function usageFrom(given: unknown, metadata?: SdkMetadata): TokenUsage | undefined {
  const { inputTokens, outputTokens, cachedInputTokens } = fieldsOf(given);
  if (typeof inputTokens === 'object' && inputTokens !== null) {
    const { total, cacheRead, cacheWrite } = fieldsOf(inputTokens);
    return usageOf({ input: total, output: fieldsOf(outputTokens)['total'], cacheRead, cacheWrite });
  }
  // v2 leaves the cached tokens of Anthropic out of the sum, and those written to the metadata
  const written = fieldsOf(metadata?.['anthropic'])['cacheCreationInputTokens'];
  const beside =
    metadata?.['anthropic'] === undefined ? 0 : (countOf(cachedInputTokens) ?? 0) + (countOf(written) ?? 0);
  const input = countOf(inputTokens);
  return usageOf({
    input: input === undefined ? undefined : input + beside,
    output: outputTokens,
    cacheRead: cachedInputTokens,
    cacheWrite: written,
  });
}

function usageOf(given: Readonly<Record<keyof TokenUsage, unknown>>): TokenUsage | undefined {
  const [input, output] = [countOf(given.input), countOf(given.output)];
  if (input === undefined || output === undefined) return undefined;
  const [cacheRead, cacheWrite] = [countOf(given.cacheRead), countOf(given.cacheWrite)];
  return {
    input,
    output,
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
}

const FINISH: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
  error: 'error',
};

/** v3 names the provider's own word beside its own; v2 says `unknown` where the provider said none. */
export function finishFrom(given: unknown, reply: { readonly calls: number; readonly text: string }): FinishReason {
  const known = FINISH[wordOf(given)];
  if (known !== undefined && known !== 'stop' && known !== 'tool_calls') return known;
  if (reply.calls > 0) return 'tool_calls';
  return known === undefined && reply.text === '' ? 'error' : 'stop';
}

/** A stream that ends without the provider's word for why was cut: clients fill the gap in with one of their own. */
export function isUnfinished(given: unknown): boolean {
  if (typeof given === 'string') return given === 'unknown';
  const { unified, raw } = fieldsOf(given);
  return unified === undefined || (unified === 'other' && (raw === undefined || raw === null));
}

function wordOf(given: unknown): string {
  const word = typeof given === 'string' ? given : fieldsOf(given)['unified'];
  return typeof word === 'string' ? word : '';
}

function fieldsOf(given: unknown): Fields {
  return typeof given === 'object' && given !== null ? (given as Fields) : {};
}

function countOf(given: unknown): number | undefined {
  return typeof given === 'number' && Number.isFinite(given) && given >= 0 ? given : undefined;
}
