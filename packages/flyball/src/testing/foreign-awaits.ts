import { createHook, executionAsyncId } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Settled } from '../core/run.js';
import { effectContext } from '../runtime/effect-context.js';
import { agentFrame, packageFrame } from './agent-frame.js';

/** A timer, socket, file request or the like that agent code made outside an effect: a replay cannot repeat it. */
export interface ForeignAwait {
  /** Node's name for the handle, such as `Timeout`, `TCPWRAP` or `FSREQPROMISE`; `fetch` for a request it makes. */
  readonly type: string;
  /** The line of agent code behind it, `file:line:column` after the function's name where it has one. */
  readonly at: string;
}

/** Awaits of a function that did not go through its run. */
export interface ForeignAwaitReport<T> {
  /** Each handle type once a line. */
  readonly found: readonly ForeignAwait[];
  /** How the work itself ended: often with FOREIGN_AWAIT, which this report explains. */
  readonly result: Settled<T>;
}

/**
 * Runs agents and watches what their code waits for besides the run. Slow, since it looks at the stack at every
 * promise: for tests only.
 */
export async function findForeignAwaits<T>(start: () => Promise<T>): Promise<ForeignAwaitReport<T>> {
  const found = new Map<string, ForeignAwait>();
  // fetch opens its socket some ticks later, with nothing of the agent on the stack: the line is inherited
  const lines = new Map<number, string>();

  function inspect(type: string, origins: readonly number[]): string | undefined {
    const place = effectContext.getStore();
    if (place === undefined || place.inEffect || place.host) return undefined;
    const { stack } = new Error();
    const inherited = origins.map((id) => lines.get(id)).find((line) => line !== undefined);
    // without any line it is a pooled connection that an earlier agent opened, now busy for somebody else
    const at = agentFrame(stack) ?? inherited ?? packageFrame(stack);
    if (at !== undefined && isHandle(type)) found.set(`${type} ${at}`, { type, at });
    return at;
  }

  const hook = createHook({
    init(asyncId, type, triggerAsyncId) {
      const at = inspect(type, [executionAsyncId(), triggerAsyncId]);
      if (at !== undefined) lines.set(asyncId, at);
    },
  });
  // over a pooled connection fetch makes no new handle at all, so it is heard where it starts its request
  const onFetch = (): void => {
    inspect(FETCH, [executionAsyncId()]);
  };

  const stackTraceLimit = Error.stackTraceLimit;
  Error.stackTraceLimit = 50; // agent code may stand far above the handle it causes
  hook.enable();
  subscribe('undici:request:create', onFetch);
  try {
    const result = await settled(start);
    return { found: [...found.values()], result };
  } finally {
    unsubscribe('undici:request:create', onFetch);
    hook.disable();
    Error.stackTraceLimit = stackTraceLimit;
  }
}

const FETCH = 'fetch';

/** Node names what it hands to the system in capitals, and its two kinds of timer. Promises and ticks wait for nothing. */
function isHandle(type: string): boolean {
  return (
    type === FETCH ||
    type === 'Timeout' ||
    type === 'Immediate' ||
    (type !== 'PROMISE' && /^[A-Z][A-Z0-9_]+$/.test(type))
  );
}

async function settled<T>(start: () => Promise<T>): Promise<Settled<T>> {
  try {
    return { ok: true, value: await start() };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error : new Error(String(error)) };
  }
}
