import type { SdkMetadata } from './language-model.js';

/**
 * What a provider wants to see again of its own reply, kept as data in the journal: reasoning with its signatures, and
 * what it attached to the text and to each call.
 */
export interface ReplyMetadata {
  readonly reasoning?: readonly { readonly text: string; readonly metadata?: SdkMetadata }[];
  readonly text?: SdkMetadata;
  readonly calls?: Readonly<Record<string, SdkMetadata>>;
}

/** Read back from a journal: what is not ours, such as another adapter's, reads as nothing. */
export function metadataFrom(opaque: unknown): ReplyMetadata {
  if (typeof opaque !== 'object' || opaque === null || Array.isArray(opaque)) return {};
  const { reasoning, text, calls } = opaque as Record<string, unknown>;
  return {
    ...(Array.isArray(reasoning) ? { reasoning: reasoning.filter(isReasoning) } : {}),
    ...(isRecord(text) ? { text: text as SdkMetadata } : {}),
    ...(isRecord(calls) ? { calls: calls as Record<string, SdkMetadata> } : {}),
  };
}

export function merged(one: SdkMetadata | undefined, two: SdkMetadata | undefined): SdkMetadata | undefined {
  if (one === undefined || two === undefined) return two ?? one;
  const names = new Set([...Object.keys(one), ...Object.keys(two)]);
  return Object.fromEntries([...names].map((name) => [name, { ...one[name], ...two[name] }]));
}

function isReasoning(given: unknown): given is { text: string; metadata?: SdkMetadata } {
  return isRecord(given) && typeof given['text'] === 'string';
}

function isRecord(given: unknown): given is Record<string, unknown> {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}
