import { fetchEvents } from '../api/fetch-events.js';
import { sha256 } from '../crypto/sha256.js';
import type { FromHub, ToHub } from './hub-messages.js';
import { StreamHub } from './stream-hub.js';
import type { HubLine, OpenLine } from './tab-streams.js';

/**
 * Tabs with the same key share a worker, and with it one connection. Where a browser has no shared workers (some on
 * phones) the tab is its own hub: there, only one of them is looked at anyhow, and the others have let go.
 */
export const openLine: OpenLine = (key, hear) => {
  if (typeof SharedWorker === 'undefined') return ownLine(key, hear);
  const worker = new SharedWorker(new URL('./stream-worker.ts', import.meta.url), {
    type: 'module',
    name: `flyball streams ${nameOf(key)}`,
  });
  let line = portLine(key, worker.port, hear);
  let last: ToHub | undefined;
  worker.onerror = () => {
    line = ownLine(key, hear); // it could not be loaded: what was wanted of it is wanted all the same
    if (last !== undefined) line.send(last);
  };
  return {
    key,
    send: (message) => {
      if (message.kind !== 'hurry') last = message;
      line.send(message);
    },
  };
};

function portLine(key: string | undefined, port: MessagePort, hear: (message: FromHub) => void): HubLine {
  port.onmessage = ({ data }: MessageEvent<FromHub>) => hear(data);
  return { key, send: (message) => port.postMessage(message) };
}

function ownLine(key: string | undefined, hear: (message: FromHub) => void): HubLine {
  const hub = new StreamHub({ connect: fetchEvents });
  const port = { postMessage: hear };
  return { key, send: (message) => hub.hear(port, message) };
}

/** Others must not hear what this key may read, and the key itself is no name. */
function nameOf(key: string | undefined): string {
  if (key === undefined) return 'without a key';
  return [...sha256(new TextEncoder().encode(key)).slice(0, 12)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
