/** Server-sent events with credentials, which `EventSource` cannot send. */
export function fetchEvents(address: string, key: string | undefined, signal: AbortSignal): Promise<Response> {
  return fetch(address, {
    headers: { accept: 'text/event-stream', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
    cache: 'no-store',
    signal,
  });
}
