import { bytesOf, isMediaPart } from 'flyball/internal';
import { mediaSchema } from '../contract/message-parts.js';
import { type Route, route } from '../contract/route.js';
import { s } from '../contract/schema.js';
import type { Parts } from '../parts.js';
import { Problem } from '../problem.js';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';

/** Images and files sent ahead, so that inputs and messages can name them by hash. */
export function contentRoutes({ contents }: Parts): readonly Route[] {
  return [
    route({
      id: 'uploadContent',
      method: 'post',
      path: '/v1/contents',
      tag: 'runs',
      summary: 'Upload an image, audio or file to use in inputs and messages',
      about:
        'Returns a hash. An input or a message can contain `{ "type": "image", "hash": "…" }` instead of the data. An ' +
        'upload is visible to its tenant only and kept for a day. Runs that use it keep their own copy.',
      scope: 'agents:invoke',
      body: mediaSchema,
      answers: {
        201: {
          about: 'The hash of the content',
          schema: s.object({
            hash: s.string(),
            type: s.string(),
            mediaType: s.string(),
            bytes: s.integer(),
            until: s.integer({ description: 'When the upload expires, in milliseconds since 1970.' }),
          }),
        },
      },
      examples: [
        { title: 'An image', body: { type: 'image', mediaType: 'image/png', data: PIXEL }, status: 201 },
        { title: 'Not base64', body: { type: 'image', mediaType: 'image/png', data: '?' }, status: 400 },
      ],
      handle: async ({ principal, body }) => {
        if (!isMediaPart(body))
          throw new Problem(400, 'INPUT_INVALID', 'The content is not valid.', {
            next: 'Send base64 in data, and a media type that fits the type, such as image/png.',
          });
        const { hash, until } = await contents.keep(principal, body);
        const { type, mediaType, data } = body;
        return { status: 201, body: { hash, type, mediaType, bytes: bytesOf(data), until } };
      },
    }),
  ];
}
