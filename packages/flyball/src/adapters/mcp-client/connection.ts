import { FlyballError } from '../../core/errors.js';
import { patiently } from '../../core/retry.js';
import { CONNECT_TIMEOUT_MS, connectOnce, type Listing, listingOf, type ServerParts } from './connect.js';
import { callFailure, type Fate, fateOf, reasonIn } from './failure.js';
import type { CallToolResult, Client, ListedTool } from './sdk.js';
import { CALL_TIMEOUT_MS } from './server-spec.js';

export interface ConnectionParts extends ServerParts {
  /** Awaited before anything is called over the connection. */
  readonly listed: (listing: Listing) => Promise<void>;
  readonly dropped: (why: string) => void;
}

/** One server: connected when it is needed, and again after it was lost. */
export interface Connection {
  /** Connects where there is no connection; several callers share one attempt. */
  ready(): Promise<void>;
  call(request: McpRequest, how: CallOptions): Promise<CallToolResult>;
  close(): Promise<void>;
}

export interface McpRequest {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Pure or idempotent: a call without an answer may be made again. */
  readonly isRepeatable: boolean;
  /** Asked once connected, before anything is sent; what it throws ends the call. */
  readonly definition: () => ListedTool;
}

/** Of connecting. */
const PATIENCE = { retries: 2, baseDelayMs: 200, maxDelayMs: 2_000, jitterMs: 0 };

export function openConnection(parts: ConnectionParts): Connection {
  const { sdk, spec, blank } = parts;
  const timeoutMs = spec.timeoutMs ?? CALL_TIMEOUT_MS;
  const closing = new AbortController();
  let live: Client | undefined;
  let opening: Promise<Client> | undefined;
  let isLegacy = spec.handshake === 'initialize';

  const busy = new Map<Client, number>();
  const release = (client: Client): void => {
    if (live === client || (busy.get(client) ?? 0) > 0) return; // calls that still wait over it are left in peace
    busy.delete(client);
    client.close().catch(() => undefined); // nothing is left of it to be told about
  };
  const lost = (client: Client, why: string): void => {
    if (live !== client) return;
    live = undefined;
    parts.dropped(why);
    release(client);
  };
  const changed = (client: Client): void => {
    if (live !== client) return;
    listingOf(client, spec)
      .then(parts.listed)
      .catch((error: unknown) => lost(client, reasonIn(error, blank)));
  };
  const connect = async (): Promise<Client> => {
    const { client, listing } = await connectOnce(parts, { signal: closing.signal, isLegacy, changed, lost });
    live = client; // from here on its loss is noticed
    await parts.listed(listing);
    // asking over stdio costs a process each time; whoever spoke the older revision goes on speaking it
    isLegacy ||= spec.transport.kind === 'stdio' && client.getProtocolEra() === 'legacy';
    return client;
  };
  const connected = async (): Promise<Client> => {
    closing.signal.throwIfAborted();
    if (opening !== undefined) return opening;
    if (live !== undefined) return live;
    opening = patiently(connect, PATIENCE, (ms) => pause(ms, closing.signal)).finally(() => {
      opening = undefined;
    });
    return opening;
  };
  const attempt = async ({ tool, args }: McpRequest, signal: AbortSignal, how: CallOptions): Promise<Answer> => {
    const client = await orAborted(connected(), signal);
    const { outputSchema: _, ...definition } = how.definition(); // what comes back is checked when it is shaped
    busy.set(client, (busy.get(client) ?? 0) + 1);
    try {
      const options = { signal, timeout: timeoutMs + CONNECT_TIMEOUT_MS, toolDefinition: definition };
      return { result: await client.callTool({ name: tool, arguments: { ...args } }, options) };
    } catch (error) {
      const late: Fate = { kind: 'unknown', why: `no answer within ${timeoutMs} ms`, isLost: false };
      const fate = signal.aborted ? late : fateOf(sdk, error, blank);
      if (fate.kind !== 'refused' && fate.isLost) lost(client, fate.why);
      return { fate };
    } finally {
      busy.set(client, (busy.get(client) ?? 1) - 1);
      release(client);
    }
  };

  return {
    ready: async () => void (await connected()),
    async call(request, how) {
      const signal = AbortSignal.any([how.signal, closing.signal, AbortSignal.timeout(timeoutMs)]);
      let answer = await attempt(request, signal, how);
      // a connection that had died unnoticed: nothing was sent, so a fresh one may be tried whatever the call does
      if (answer.fate?.kind === 'not-made' && answer.fate.isLost && !signal.aborted)
        answer = await attempt(request, signal, how);
      how.signal.throwIfAborted();
      if (answer.result !== undefined) return answer.result;
      throw callFailure(spec.name, answer.fate, how.isRepeatable);
    },
    async close() {
      closing.abort(new FlyballError('EFFECT_FAILED', `The connection to the MCP server ${spec.name} was closed.`));
      const client = live;
      live = undefined;
      await opening?.catch(() => undefined);
      await client?.close();
    },
  };
}

type Answer =
  | { readonly result: CallToolResult; readonly fate?: undefined }
  | { readonly fate: Fate; readonly result?: undefined };

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return orAborted(new Promise((resolve) => setTimeout(resolve, ms)), signal);
}

/** One who no longer waits does not stop what others wait for. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(reasonOf(signal));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function reasonOf(signal: AbortSignal): unknown {
  const { reason } = signal as { readonly reason: unknown };
  if (!(reason instanceof Error) || reason.name !== 'TimeoutError') return reason;
  return new FlyballError('EFFECT_TIMEOUT', 'There was no connection to the MCP server in time.', { retryable: true });
}
