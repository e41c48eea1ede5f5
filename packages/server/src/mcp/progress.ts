import type { ServerContext } from './sdk.js';

type Asked = Pick<ServerContext['mcpReq'], '_meta' | 'notify'>;

const LONGEST = 300;
/** More often nobody reads it. */
const EVERY_MS = 200;

/**
 * Tells the client how far a call is, where it asked to be told. What comes too fast is held back, and only the latest
 * of it is sent; a client that has gone misses it.
 */
export function progressTo({ _meta, notify }: Asked): (message: string) => void {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  let progress = 0;
  let waiting: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const send = (message: string): void => {
    const params = { progressToken, progress: ++progress, message: message.slice(0, LONGEST) };
    notify({ method: 'notifications/progress', params }).catch(() => undefined); // it has gone, and so has its interest
    timer = setTimeout(() => {
      timer = undefined;
      const latest = waiting;
      waiting = undefined;
      if (latest !== undefined) send(latest);
    }, EVERY_MS).unref();
  };
  return (message) => {
    if (timer === undefined) send(message);
    else waiting = message;
  };
}
