import { FlyballError } from './errors.js';
import type { Message, Model, ModelCapabilities } from './model.js';
import { describePart, isTextFile, type MediaPart, mediaIn } from './parts.js';

/** The first part of a conversation that a model cannot take. */
export function unfitPart(capabilities: ModelCapabilities, messages: readonly Message[]): MediaPart | undefined {
  for (const { parts } of messages) for (const part of mediaIn(parts)) if (!takesPart(capabilities, part)) return part;
  return undefined;
}

export function takesPart({ media = [] }: ModelCapabilities, part: MediaPart): boolean {
  const { mediaType } = part;
  if (isTextFile(part)) return true;
  return media.some((kind) => (kind.endsWith('/*') ? mediaType.startsWith(kind.slice(0, -1)) : kind === mediaType));
}

/** Said before the call, and before anything is reserved for it. */
export function partRefused({ id, capabilities: { media = [] } }: Model, part: MediaPart): FlyballError {
  const takesWhat = media.length === 0 ? 'only text' : `text and ${media.join(', ')}`;
  return new FlyballError(
    'PART_UNSUPPORTED',
    `${id} cannot take the ${describePart(part)}: it takes ${takesWhat}. Choose a model that takes ${part.mediaType}, ` +
      `convert the ${part.type}, or, if the model does take it, name it in the model's capabilities: media: ['${part.mediaType}'].`,
    { detail: { model: id, part: part.type, mediaType: part.mediaType, takes: media } },
  );
}
