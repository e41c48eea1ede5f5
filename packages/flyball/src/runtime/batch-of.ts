import { encode } from '../core/codec.js';
import type { Entry } from '../core/events.js';
import type { Batch } from '../ports/engine.js';

/** Entries as they are stored, together with the contents that they refer to: neither is any use without the other. */
export function batchOf(entries: readonly Entry[]): Pick<Batch, 'entries' | 'blobs'> {
  const encoded = entries.map(({ event, ...place }) => ({ place, ...encode(event) }));
  const blobs = encoded.flatMap((each) => each.blobs);
  return {
    entries: encoded.map(({ place, body }) => ({ ...place, body })),
    ...(blobs.length > 0 ? { blobs } : {}),
  };
}
