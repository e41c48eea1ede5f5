import type { ServerRequest } from '../contract/route.js';
import { eventStream } from '../feed/event-stream.js';
import type { StreamSlots } from '../feed/stream-slots.js';
import type { Parts } from '../parts.js';

/** Nothing taken for this long: nobody is there. */
const DEAD_MS = 60_000;

export const STREAM = 'text/event-stream';

type Source = (signal: AbortSignal) => AsyncIterable<string>;
type Reader = Pick<ServerRequest, 'principal' | 'signal'>;

/** Texts as server-sent events, in one of the streams that the principal may hold open. */
export function streamed(parts: Parts, slots: StreamSlots, reader: Reader, source: Source): Response {
  return streamOf(parts, reader, { source, onEnd: slots.take(slotOf(reader)) });
}

/** The same where reading starts something: nothing is started without a slot, and no slot is kept for what failed to. */
export async function streamedStart(
  parts: Parts,
  slots: StreamSlots,
  reader: Reader,
  start: () => Promise<Source>,
): Promise<Response> {
  const onEnd = slots.take(slotOf(reader));
  try {
    return streamOf(parts, reader, { source: await start(), onEnd, resumes: false });
  } catch (error) {
    onEnd();
    throw error;
  }
}

function slotOf({ principal }: Reader): string {
  return JSON.stringify([principal.tenant, principal.id]);
}

function streamOf(
  { settings, clock }: Parts,
  { signal }: Reader,
  { source, ...how }: { readonly source: Source; readonly onEnd: () => void; readonly resumes?: false },
): Response {
  const { heartbeatMs } = settings;
  const body = eventStream(source, { clock, signal, heartbeatMs, deadMs: DEAD_MS, ...how });
  return new Response(body, {
    headers: { 'content-type': STREAM, 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
  });
}
