import type { Model } from '../core/model.js';
import { RoutedCall, type RouteParts } from './routed-call.js';

/**
 * A chain of models as one. It passes for the first of them, but promises what holds for all: the largest token count,
 * and how often one call may be paid for, which is what a run reserves before it.
 */
export function routedModel(parts: RouteParts): Model {
  const models = parts.chain.map(({ model }) => model);
  const { id, capabilities, price } = parts.chain[0].model;
  const fallbacks = models.flatMap((model) => [model, ...(model.fallbacks ?? [])]).slice(1);
  return {
    id,
    capabilities,
    ...(price === undefined ? {} : { price }),
    ...(fallbacks.length === 0 ? {} : { fallbacks }),
    paidAttempts: paidAttempts(models, parts.policy.retry),
    countTokens: (request) => Math.max(...models.map((model) => model.countTokens(request))),
    generate: (request, how) => new RoutedCall(parts, request, how).reply(),
  };
}

/** Never more than there are tries; a model with attempts of its own may be paid for each of them. */
function paidAttempts(
  models: readonly Model[],
  retry: { readonly retries: number; readonly maxPaidFailures: number },
): number {
  const tries = Math.min(1 + retry.maxPaidFailures, models.length * (1 + retry.retries));
  return tries * Math.max(...models.map((model) => model.paidAttempts ?? 1));
}
