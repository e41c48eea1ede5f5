import type { Readable, Writable } from 'node:stream';
import { described, useFrom } from 'flyball/internal';
import type { McpOffer, McpServing } from './offer.js';
import { loadServerSdk, type Server } from './sdk.js';
import { type Endpoint, roomForAll, toolServer } from './tool-server.js';

const MAX_CALLS = 32;

/** Options of `serveMcpStdio`. */
export interface McpStdioOptions extends McpServing {
  /** The process's own streams where absent. Nothing else may be written to the output. */
  readonly input?: Readable;
  readonly output?: Writable;
}

/** An MCP server on standard input and output. */
export interface McpStdioServer {
  /** Settles when the client has gone or `close` was called. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/**
 * Offers tools over MCP: serves one client over a pair of streams, in whichever revision of the protocol it begins to speak.
 *
 * Model calls: none of its own. Not for clients on other machines: `mcpHttpEndpoint` serves those.
 *
 * @pattern I3
 */
export async function serveMcpStdio(offer: McpOffer, options: McpStdioOptions): Promise<McpStdioServer> {
  const sdk = await loadServerSdk();
  const { input = process.stdin, output = process.stdout, onProblem, maxCalls = MAX_CALLS, ...serving } = options;
  const told = onProblem === undefined ? {} : { onProblem };
  const endpoint: Endpoint<undefined> = {
    sdk,
    offer,
    serving: { ...serving, ...told },
    takeRoom: roomForAll(maxCalls),
  };
  const servers = new Set<Server>();
  const transport = new sdk.StdioServerTransport(input, output);
  const factory = (): Server => {
    const server = toolServer(endpoint, undefined);
    servers.add(server);
    server.onclose = () => servers.delete(server);
    return server;
  };
  const handle = sdk.serveStdio(factory, { transport, onerror: (error) => onProblem?.(error, 'speaking MCP') });
  const stopListening = offer.onChanged?.(() => {
    for (const server of servers) server.sendToolListChanged().catch(() => undefined); // it has gone meanwhile
  });
  const closed = ended(input, output).finally(() => stopListening?.());
  const served: McpStdioServer = {
    closed,
    async close() {
      await handle.close();
      input.destroy();
    },
  };
  return described(served, useFrom({ id: 'I3', name: 'serveMcpStdio', parts: {}, calls: 0 }));
}

function ended(input: Readable, output: Writable): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['end', 'close', 'error']) input.once(event, () => resolve());
    for (const event of ['close', 'error']) output.once(event, () => resolve());
  });
}
