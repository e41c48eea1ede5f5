import { ConfigError } from './errors.js';
import type { Price, TokenUsage } from './model.js';

/** List prices of models, with the date they were read. */
export interface PriceTable {
  /** The day the prices were read, where an entry says no other: list prices change, and a bill is what counts. */
  readonly asOf: string;
  /** Keyed by model id, `provider/model`. */
  readonly models: Readonly<Record<string, ListPrice>>;
}

export interface ListPrice extends Price {
  readonly asOf?: string;
  /** Where it was read. */
  readonly from?: string;
}

const PER_TOKEN = 1_000_000;

/**
 * List prices without batch, priority or regional terms; cache writes at the shortest lifetime. Models whose price
 * depends on the length of the prompt are left out: a single number would reserve too little for a long prompt. Add
 * them, or your own terms, with `withPrices`. Where a price depends on the hour, the dearer one stands here.
 */
export const PRICES: PriceTable = {
  asOf: '2026-01-15',
  models: {
    'anthropic/claude-opus-4-5': { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
    'anthropic/claude-sonnet-4-5': { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    'anthropic/claude-haiku-4-5': { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
    'openai/gpt-5': { input: 1.25, output: 10, cacheRead: 0.125, cacheWrite: 1.25 },
    'openai/gpt-5-mini': { input: 0.25, output: 2, cacheRead: 0.025, cacheWrite: 0.25 },
    'openai/gpt-5-nano': { input: 0.05, output: 0.4, cacheRead: 0.005, cacheWrite: 0.05 },
    'openai/gpt-4.1': { input: 2, output: 8, cacheRead: 0.5, cacheWrite: 2 },
    'openai/gpt-4.1-mini': { input: 0.4, output: 1.6, cacheRead: 0.1, cacheWrite: 0.4 },
    'openai/gpt-4o': { input: 2.5, output: 10, cacheRead: 1.25, cacheWrite: 2.5 },
    'openai/gpt-4o-mini': { input: 0.15, output: 0.6, cacheRead: 0.075, cacheWrite: 0.15 },
    'google/gemini-2.5-flash': { input: 0.3, output: 2.5, cacheRead: 0.03, cacheWrite: 0.3 },
    'google/gemini-3.1-flash-lite': {
      ...{ input: 0.25, output: 1.5, cacheRead: 0.025, cacheWrite: 0.25 },
      asOf: '2026-05-07',
      from: 'models.dev, providers/google/models/gemini-3.1-flash-lite.toml at 34fd6673, last updated that day',
    },
    'alibaba/qwen3.5-flash': {
      ...{ input: 0.1, output: 0.4, cacheRead: 0.01, cacheWrite: 0.125 }, // international; one source says so for prompts of up to 128,000 tokens only
      asOf: '2026-05-08',
      from: 'models.dev, providers/alibaba/models/qwen3.5-flash.toml at 0654d77c; the day is that of api-evangelist/qwen',
    },
    'deepseek/deepseek-v4-flash': {
      ...{ input: 0.44, output: 1.32, cacheRead: 0.014, cacheWrite: 0.44 }, // peak hours; half of it at others
      asOf: '2026-09-01',
      from: 'api-docs.deepseek.com/quick_start/pricing, by way of models.dev at 21846c48',
    },
    'deepseek/deepseek-v4-pro': {
      ...{ input: 1.32, output: 3.96, cacheRead: 0.044, cacheWrite: 1.32 }, // peak hours; half of it at others
      asOf: '2026-08-17',
      from: 'api-docs.deepseek.com/quick_start/pricing, by way of models.dev at 2b3ef3b6',
    },
    'deepseek/deepseek-chat': { input: 0.28, output: 0.42, cacheRead: 0.028, cacheWrite: 0.28 },
  },
};

/** The price of a model, or undefined if it is not in the table. Undefined does not mean free. */
export function priceOf(modelId: string, table: PriceTable = PRICES): ListPrice | undefined {
  return Object.hasOwn(table.models, modelId) ? table.models[modelId] : undefined;
}

/** The price of a model; `own` is what the model says of itself. */
export type PriceLookup = (modelId: string, own: Price | undefined) => Price | undefined;

/** What was agreed comes first, then what a model says of itself, then the built-in table. */
export function priceLookup(agreed: Readonly<Record<string, Price>> = {}): PriceLookup {
  const table = withPrices({ asOf: PRICES.asOf, models: {} }, agreed);
  return (modelId, own) => priceOf(modelId, table) ?? own ?? priceOf(modelId);
}

/** What a call cost in USD. `usage.input` includes cached tokens, which have their own price. */
export function costOf(usage: TokenUsage, price: Price): number {
  const read = usage.cacheRead ?? 0;
  const written = usage.cacheWrite ?? 0;
  // a provider that reports cached tokens beside the input must not make the rest negative
  const plain = Math.max(0, usage.input - read - written);
  const prompt = plain * price.input + read * readPrice(price) + written * writePrice(price);
  return (prompt + usage.output * price.output) / PER_TOKEN;
}

/** The most a call can cost: every prompt token at the dearest prompt price. */
export function worstCost(tokensIn: number, tokensOut: number, price: Price): number {
  const dearest = Math.max(price.input, readPrice(price), writePrice(price));
  return (tokensIn * dearest + tokensOut * price.output) / PER_TOKEN;
}

// without a price of its own a cached token costs what any other does: never too little
function readPrice(price: Price): number {
  return price.cacheRead ?? price.input;
}

function writePrice(price: Price): number {
  return price.cacheWrite ?? price.input;
}

/** The table with some prices added or replaced. */
export function withPrices(
  table: PriceTable,
  overrides: Readonly<Record<string, Price>>,
  asOf = table.asOf,
): PriceTable {
  for (const [model, price] of Object.entries(overrides)) {
    for (const part of ['input', 'output', 'cacheRead', 'cacheWrite'] as const) {
      const amount = part.startsWith('cache') ? (price[part] ?? 0) : price[part];
      if (typeof amount !== 'number' || !Number.isFinite(amount) || amount < 0) {
        throw new ConfigError(`The ${part} price of ${model} must be a finite number of at least 0, got ${amount}.`);
      }
    }
  }
  return { asOf, models: { ...table.models, ...overrides } };
}
