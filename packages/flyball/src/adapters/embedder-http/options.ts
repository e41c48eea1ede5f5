/** Options of `httpEmbedder`. */
export interface HttpEmbedderOptions {
  /** `provider/model`; what follows the slash is the provider's name of the model, unless `model` says another. */
  readonly id: string;
  readonly model?: string;
  /** Up to `/v1`, as in `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly dimensions: number;
  /** Asks the provider for vectors of that length, where its models can be shortened. */
  readonly sendDimensions?: boolean;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Put before a text that is a question, for models that want it. */
  readonly queryPrefix?: string;
  readonly documentPrefix?: string;
  /** Texts in one request. 64 where absent. */
  readonly batch?: number;
  /** Further tries after one that failed for a time. 4 where absent. */
  readonly retries?: number;
  /** For one request. A minute where absent. */
  readonly timeoutMs?: number;
  /** No longer than this between two tries, whatever the provider asks for. 30 s where absent. */
  readonly maxWaitMs?: number;
}
