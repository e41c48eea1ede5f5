import type { McpOffer, McpServing } from './offer.js';
import { loadServerSdk } from './sdk.js';
import { type Endpoint, roomForAll, toolServer } from './tool-server.js';

/** Options of `mcpHttpEndpoint`. */
export interface McpHttpOptions<W = unknown> extends McpServing {
  /** Of a request: 1 MiB where absent. */
  readonly maxBodyBytes?: number;
  /**
   * Room for one more call of somebody: how to give it back once the call has ended, or why there is none. Where absent,
   * `maxCalls` holds for all clients together, and one of them can take the room of all others.
   */
  readonly takeRoom?: (who: W) => (() => void) | { readonly because: string };
}

/** A web-standard handler. Whoever mounts it has authenticated the request and checked its origin. */
export interface McpHttpEndpoint<W> {
  handle(request: Request, who: W): Promise<Response>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_CALLS = 512;

/**
 * Serves clients over streamable HTTP: those of the current revision, which keep no connection, and those that begin
 * with `initialize`, request by request without a session. So a server that is restarted, or one of several, answers
 * the next request of every client.
 */
export async function mcpHttpEndpoint<W>(offer: McpOffer<W>, options: McpHttpOptions<W>): Promise<McpHttpEndpoint<W>> {
  const sdk = await loadServerSdk();
  const { maxBodyBytes = MAX_BODY_BYTES, maxCalls = MAX_CALLS, takeRoom = roomForAll(maxCalls), ...serving } = options;
  const endpoint: Endpoint<W> = { sdk, offer, serving, takeRoom };
  const handler = sdk.createMcpHandler(({ authInfo }) => toolServer(endpoint, authInfo?.extra?.['who'] as W), {
    maxRequestBodySize: maxBodyBytes,
    onerror: (error) => serving.onProblem?.(error, 'speaking MCP'),
  });
  const stopListening = offer.onChanged?.(() => handler.notify.toolsChanged());
  return {
    // the SDK carries this through to the factory and looks at none of it
    handle: (request, who) =>
      handler.fetch(request, { authInfo: { token: '', clientId: '', scopes: [], extra: { who } } }),
    async close() {
      stopListening?.();
      await handler.close();
    },
  };
}
