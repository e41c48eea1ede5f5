import type { FlyballError } from '../core/errors.js';
import type { Model, ModelRequest, TokenUsage } from '../core/model.js';

/** What a failed try may have cost at most, or undefined where its error does not say that it may have cost anything. */
export function wasteOf(error: FlyballError, model: Model, request: ModelRequest): TokenUsage | undefined {
  const told = error.detail['wasted'];
  if (isUsage(told)) return told; // a model that makes attempts of its own has counted them
  if (error.detail['mayHaveCost'] !== true) return undefined;
  return { input: model.countTokens(request), output: outputLimit(model, request) };
}

export function addUsage(one: TokenUsage | undefined, other: TokenUsage | undefined): TokenUsage | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const cacheRead = (one.cacheRead ?? 0) + (other.cacheRead ?? 0);
  const cacheWrite = (one.cacheWrite ?? 0) + (other.cacheWrite ?? 0);
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    ...(cacheRead > 0 ? { cacheRead } : {}),
    ...(cacheWrite > 0 ? { cacheWrite } : {}),
  };
}

export function outputLimit(model: Model, request: ModelRequest): number {
  const most = model.capabilities.maxOutputTokens;
  return Math.min(request.sampling.maxOutputTokens ?? most, most);
}

function isUsage(value: unknown): value is TokenUsage {
  if (typeof value !== 'object' || value === null) return false;
  const { input, output } = value as Partial<TokenUsage>;
  return typeof input === 'number' && typeof output === 'number';
}
