import type { JsonSchema } from 'flyball';
import type { Schema } from './schema.js';

export const STREAM = 'text/event-stream';

/** The events of a stream by name; one without a name is a `message`. */
export type EventSpecs = Readonly<Record<string, Schema<unknown>>>;

/** One event of a stream, as a client has it once the stream was read: `data` is a text that holds JSON. */
export function eventSchema(events: EventSpecs): JsonSchema {
  return {
    description: 'One of the events of the stream.',
    anyOf: Object.entries(events).map(([name, { json }]) => ({
      type: 'object',
      properties: {
        event: { type: 'string', const: name },
        data: { type: 'string', contentMediaType: 'application/json', contentSchema: json },
        id: { type: 'string', description: 'Send it as `Last-Event-ID` to reconnect.' },
        retry: { type: 'integer', description: 'Milliseconds to wait before reconnecting.' },
      },
      required: ['event', 'data'],
    })),
  };
}
