import { currentKey, needsLogin } from '../api/credentials.js';
import type { EventStream, StreamHandler } from '../api/event-stream.js';
import type { Topic } from './hub-messages.js';
import { openLine } from './open-line.js';
import { TabStreams } from './tab-streams.js';

const streams = new TabStreams(openLine, () => currentKey());

/** Follows a topic over the one connection of this browser. Comes back by itself after the last id that was received. */
export function follow(topic: Topic, handler: StreamHandler, lastId?: string): EventStream {
  return streams.follow(topic, lastId, {
    event: (event) => handler.event(event),
    state: (state, why) => {
      if (why?.status === 401) needsLogin.value = true;
      handler.state?.(state, why);
    },
  });
}

/** Hidden tabs let go of the stream; one that is looked at again, or comes back from the browser's memory, reads on. */
export function letGoWhileHidden(): void {
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') streams.show();
    else streams.hide();
  });
  addEventListener('pagehide', () => streams.leave());
  addEventListener('pageshow', () => streams.show());
}
