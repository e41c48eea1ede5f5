/**
 * Texts as vectors whose direction says what they are about. A vector means something only beside others of the same
 * embedder: whoever stores one stores the id with it, and never compares two ids.
 */
export interface Embedder {
  /** `provider/model`, and everything else that changes its vectors. */
  readonly id: string;
  readonly dimensions: number;
  /** False for one that only sees spelling: two texts that say the same in other words are strangers to it. */
  readonly semantic: boolean;
  /**
   * One vector for each text, in order, of `dimensions` finite numbers and of length 1, or all zeros for a text with
   * nothing in it. The same text gives the same vector, alone and among others. Rejects when `signal` aborts.
   */
  embed(texts: readonly string[], how: EmbedContext): Promise<readonly Float32Array[]>;
}

/** Whether a text is embedded as a document or a query. */
export interface EmbedContext {
  readonly signal: AbortSignal;
  /** Some embedders treat a question and the text that answers it differently. */
  readonly as: 'document' | 'query';
}
