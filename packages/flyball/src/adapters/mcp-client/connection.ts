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
  const link = new LiveLink(parts);
  const attempt = async ({ tool, args }: McpRequest, signal: AbortSignal, how: CallOptions): Promise<Answer> => {
    const client = await orAborted(link.connected(), signal);
    const { outputSchema: _, ...definition } = how.definition(); // what comes back is checked when it is shaped
    return link.using(client, async () => {
      try {
        const options = { signal, timeout: timeoutMs + CONNECT_TIMEOUT_MS, toolDefinition: definition };
        return { result: await client.callTool({ name: tool, arguments: { ...args } }, options) };
      } catch (error) {
        const late: Fate = { kind: 'unknown', why: `no answer within ${timeoutMs} ms`, isLost: false };
        const fate = signal.aborted ? late : fateOf(sdk, error, blank);
        if (fate.kind !== 'refused' && fate.isLost) link.lost(client, fate.why);
        return { fate };
      }
    });
  };

  return {
    ready: async () => void (await link.connected()),
    async call(request, how) {
      const signal = AbortSignal.any([how.signal, link.closed, AbortSignal.timeout(timeoutMs)]);
      let answer = await attempt(request, signal, how);
      // a connection that had died unnoticed: nothing was sent, so a fresh one may be tried whatever the call does
      if (answer.fate?.kind === 'not-made' && answer.fate.isLost && !signal.aborted)
        answer = await attempt(request, signal, how);
      how.signal.throwIfAborted();
      if (answer.result !== undefined) return answer.result;
      throw callFailure(spec.name, answer.fate, how.isRepeatable);
    },
    close: () => link.close(),
  };
}

/**
 * The client that is connected, if one is.
 *
 * 1. At most one is live, and at most one attempt to connect is under way.
 * 2. One that was lost is closed when the last call that waits over it has its end.
 */
class LiveLink {
  private readonly parts: ConnectionParts;
  private readonly closing = new AbortController();
  private readonly busy = new Map<Client, number>();
  private live: Client | undefined;
  private opening: Promise<Client> | undefined;
  private isLegacy: boolean;

  constructor(parts: ConnectionParts) {
    this.parts = parts;
    this.isLegacy = parts.spec.handshake === 'initialize';
  }

  get closed(): AbortSignal {
    return this.closing.signal;
  }

  async connected(): Promise<Client> {
    this.closed.throwIfAborted();
    if (this.opening !== undefined) return this.opening;
    if (this.live !== undefined) return this.live;
    this.opening = patiently(
      () => this.connect(),
      PATIENCE,
      (ms) => pause(ms, this.closed),
    ).finally(() => {
      this.opening = undefined;
    });
    return this.opening;
  }

  async using<T>(client: Client, work: () => Promise<T>): Promise<T> {
    this.busy.set(client, (this.busy.get(client) ?? 0) + 1);
    try {
      return await work();
    } finally {
      this.busy.set(client, (this.busy.get(client) ?? 1) - 1);
      this.release(client);
    }
  }

  lost(client: Client, why: string): void {
    if (this.live !== client) return;
    this.live = undefined;
    this.parts.dropped(why);
    this.release(client);
  }

  async close(): Promise<void> {
    const { name } = this.parts.spec;
    this.closing.abort(new FlyballError('EFFECT_FAILED', `The connection to the MCP server ${name} was closed.`));
    const client = this.live;
    this.live = undefined;
    await this.opening?.catch(() => undefined);
    await client?.close();
  }

  private async connect(): Promise<Client> {
    const { parts, closed: signal, isLegacy } = this;
    const { client, listing } = await connectOnce(parts, {
      signal,
      isLegacy,
      changed: (client) => this.listAgain(client),
      lost: (client, why) => this.lost(client, why),
    });
    this.live = client; // from here on its loss is noticed
    await parts.listed(listing);
    // asking over stdio costs a process each time; whoever spoke the older revision goes on speaking it
    this.isLegacy ||= parts.spec.transport.kind === 'stdio' && client.getProtocolEra() === 'legacy';
    return client;
  }

  private listAgain(client: Client): void {
    if (this.live !== client) return;
    const { spec, listed, blank } = this.parts;
    listingOf(client, spec)
      .then(listed)
      .catch((error: unknown) => this.lost(client, reasonIn(error, blank)));
  }

  private release(client: Client): void {
    if (this.live === client || (this.busy.get(client) ?? 0) > 0) return; // calls that still wait over it are left in peace
    this.busy.delete(client);
    client.close().catch(() => undefined); // nothing is left of it to be told about
  }
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
