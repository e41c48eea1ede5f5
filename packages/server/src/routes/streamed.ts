import type { EventsAnswer, ServerRequest } from '../contract/route.js';
import { eventStream } from '../feed/event-stream.js';
import type { StreamSlots } from '../feed/stream-slots.js';
import type { Parts } from '../parts.js';

/** Nothing taken for this long: nobody is there. */
const DEAD_MS = 60_000;

type Source = (signal: AbortSignal) => AsyncIterable<string>;
interface Started {
  readonly source: Source;
  readonly headers?: Readonly<Record<string, string>>;
}
type Reader = Pick<ServerRequest, 'principal' | 'signal'>;

/** Texts of so many runs as server-sent events, in one of the streams that the principal may hold open. */
export function streamed(parts: Parts, slots: StreamSlots, reader: Reader, source: Source, runs = 1): EventsAnswer {
  return streamOf(parts, reader, { source, onEnd: slots.take(reader.principal, runs) });
}

/**
 * The same where the request starts the run that it reads: nothing is started without a slot, and no slot is kept for
 * what failed to. The run is expected before it is there, so that its first words wait for the reader.
 */
export async function streamedStart<R extends Reader & Pick<ServerRequest, 'isAbout'>>(
  parts: Parts,
  slots: StreamSlots,
  request: R,
  start: (request: R) => Promise<Started>,
): Promise<EventsAnswer> {
  const leave = slots.take(request.principal);
  let forget = (): void => undefined;
  const isAbout = (run: string): void => {
    request.isAbout(run);
    forget = parts.feed.expect(run);
  };
  const onEnd = (): void => {
    forget();
    leave();
  };
  try {
    return streamOf(parts, request, { ...(await start({ ...request, isAbout })), onEnd, resumes: false });
  } catch (error) {
    onEnd();
    throw error;
  }
}

function streamOf(
  { settings, clock, wire }: Parts,
  { signal }: Reader,
  { source, headers = {}, ...how }: Started & { readonly onEnd: () => void; readonly resumes?: false },
): EventsAnswer {
  const { heartbeatMs } = settings;
  const write = wire.events;
  const events = eventStream(source, { clock, signal, heartbeatMs, deadMs: DEAD_MS, write, ...how });
  return { events, headers: { 'x-accel-buffering': 'no', ...headers } };
}
