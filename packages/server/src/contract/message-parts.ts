import { s, type TypeOf } from './schema.js';

const LONGEST = 100_000;
const TYPES = ['image', 'audio', 'file'] as const;
const name = s.optional(s.string({ maxLength: 200, description: 'File name.' }));

/** An image, audio or file with its data. */
export const mediaSchema = s.named(
  'MediaPart',
  s.object({
    type: s.enumOf(TYPES),
    mediaType: s.string({ maxLength: 200, description: 'Such as `image/png` or `application/pdf`.' }),
    data: s.string({ minLength: 1, description: 'The bytes, as base64.' }),
    name,
  }),
);

/** What a message holds: text, data, or the hash of uploaded content. */
export const messagePartSchema = s.named(
  'MessagePart',
  s.oneOf([
    s.object({ type: s.enumOf(['text']), text: s.string({ maxLength: LONGEST }) }),
    mediaSchema,
    s.object({
      type: s.enumOf(TYPES),
      hash: s.string({ pattern: '^[A-Za-z0-9_-]{22}$', description: 'From `POST /v1/contents`.' }),
      name,
    }),
  ]),
);
export type MessagePartBody = TypeOf<typeof messagePartSchema>;

export const messagePartsSchema = s.list(messagePartSchema, { minItems: 1, maxItems: 100 });
