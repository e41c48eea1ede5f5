import { ConfigError, FlyballError } from '../../core/errors.js';
import { fateOf, reasonIn } from './failure.js';
import type { Client, ClientSdk, ListedTool } from './sdk.js';
import type { Blanking, Env } from './secrets.js';
import type { McpServerSpec } from './server-spec.js';
import { openLine } from './transport.js';

/** What a server says about itself each time somebody connects to it. */
export interface Listing {
  readonly version: string | undefined;
  /** Revision of the protocol. */
  readonly protocol: string;
  readonly tools: readonly ListedTool[];
}

export interface ServerParts {
  readonly sdk: ClientSdk;
  readonly spec: McpServerSpec;
  readonly env: Env;
  readonly blank: Blanking;
  /** How this client introduces itself. */
  readonly about: { readonly name: string; readonly version: string };
}

export interface Connecting {
  readonly signal: AbortSignal;
  /** The older revision is known to be spoken: nobody has to ask. */
  readonly isLegacy: boolean;
  /** The server says that its tools have changed. */
  readonly changed: (client: Client) => void;
  readonly lost: (client: Client, why: string) => void;
}

export const CONNECT_TIMEOUT_MS = 15_000;
const PROBE_TIMEOUT_MS = 5_000;
const MAX_PAGES = 64;

/** A client that has shaken hands, and what the server lists. Whatever goes wrong leaves nothing running. */
export async function connectOnce(
  parts: ServerParts,
  how: Connecting,
): Promise<{ readonly client: Client; readonly listing: Listing }> {
  const line = openLine(parts.sdk, parts.spec, parts.env);
  const client: Client = newClient(parts, () => how.changed(client));
  try {
    await client.connect(line.transport, {
      timeout: CONNECT_TIMEOUT_MS,
      signal: how.signal,
      ...(how.isLegacy ? { prior: { kind: 'legacy' } as const } : {}),
    });
    const listing = await listingOf(client, parts.spec);
    client.onclose = () => how.lost(client, 'the server closed the connection');
    void client.autoOpenedSubscription?.closed.then((by) => {
      if (by !== 'local') how.lost(client, 'the server ended its stream of changes');
    });
    return { client, listing };
  } catch (error) {
    await client.close().catch(() => undefined); // the failure that led here is the one to tell
    await line.transport.close().catch(() => undefined);
    throw connectFailure(parts, error, line.lastWords());
  }
}

function newClient({ sdk, about }: ServerParts, changed: () => void): Client {
  return new sdk.Client(about, {
    capabilities: {}, // neither a model nor a person is lent to a server
    inputRequired: { autoFulfill: false },
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: PROBE_TIMEOUT_MS } },
    listMaxPages: MAX_PAGES,
    listChanged: { tools: { autoRefresh: false, debounceMs: 50, onChanged: changed } },
  });
}

/** All pages, read anew: nothing that an earlier connection listed is believed. */
export async function listingOf(client: Client, { name, pin }: McpServerSpec): Promise<Listing> {
  const version = client.getServerVersion()?.version;
  if (pin !== undefined && version !== pin)
    throw new ConfigError(
      `The MCP server ${name} is pinned to version ${pin} and reports ${version ?? 'none'}. Look at what changed, then move the pin.`,
    );
  const { tools } = await client.listTools(undefined, { timeout: CONNECT_TIMEOUT_MS, cacheMode: 'refresh' });
  return { version, protocol: client.getNegotiatedProtocolVersion() ?? 'unknown', tools };
}

function connectFailure({ sdk, spec, blank }: ServerParts, error: unknown, lastWords: string): FlyballError {
  if (error instanceof FlyballError) return error;
  const fate = fateOf(sdk, error, blank);
  const words = lastWords === '' ? '' : ` Its last words: ${reasonIn(lastWords, blank)}`;
  return new FlyballError('EFFECT_FAILED', `The MCP server ${spec.name} could not be reached: ${fate.why}.${words}`, {
    retryable: !(fate.kind === 'not-made' && fate.isFinal === true),
    detail: { server: spec.name },
  });
}
