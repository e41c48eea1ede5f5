import { fetchEvents } from '../api/fetch-events.js';
import type { ToHub } from './hub-messages.js';
import { StreamHub } from './stream-hub.js';

/** The hub of all tabs with the same key, in a thread of its own that lives as long as one of them. */
const hub = new StreamHub({ connect: fetchEvents });

addEventListener('connect', (event) => {
  for (const port of (event as MessageEvent).ports)
    port.onmessage = ({ data }: MessageEvent<ToHub>) => hub.hear(port, data);
});
