import { dirname } from 'node:path';
import { ConfigError } from '../../core/errors.js';
import { boundedFetch, MAX_MESSAGE_BYTES } from './bounded-fetch.js';
import { STREAM_ENDED, TOO_LARGE } from './failure.js';
import type { ClientSdk, Transport } from './sdk.js';
import type { Env } from './secrets.js';
import type { McpServerSpec, McpTransport } from './server-spec.js';

/** What is on its way to or from a server, and what its process says on the side. */
export interface Line {
  readonly transport: Transport;
  /** The last words on its error stream: often the only reason why a server does not start. */
  lastWords(): string;
}

const KEPT_WORDS = 2_000;
const ESSENTIAL = ['SYSTEMROOT', 'WINDIR', 'COMSPEC', 'PATHEXT', 'TEMP']; // without these Windows starts nothing

export function openLine(sdk: ClientSdk, { name, transport }: McpServerSpec, env: Env): Line {
  return transport.kind === 'stdio' ? stdioLine(sdk, transport) : httpLine(sdk, transport, name, env);
}

function stdioLine(sdk: ClientSdk, given: Extract<McpTransport, { readonly kind: 'stdio' }>): Line {
  const transport = new sdk.StdioClientTransport({
    command: given.command,
    args: [...(given.args ?? [])],
    env: childEnv(sdk, given.env),
    stderr: 'pipe', // not inherited: what a server writes there has not been looked through for secrets
    maxBufferSize: MAX_MESSAGE_BYTES, // beyond it the SDK closes the line
    ...(given.cwd === undefined ? {} : { cwd: given.cwd }),
  });
  let words = '';
  transport.stderr?.on('data', (chunk: unknown) => {
    words = `${words}${String(chunk)}`.slice(-KEPT_WORDS);
  });
  return { transport: noticingLongLines(transport), lastWords: () => words.trim() };
}

/** What the specification names and a minimal PATH. The SDK would add its own defaults: undefined takes them away. */
function childEnv(sdk: ClientSdk, named: Readonly<Record<string, string>> = {}): Record<string, string> {
  const isWindows = process.platform === 'win32';
  const inherited = sdk.DEFAULT_INHERITED_ENV_VARS.filter((name) => !isWindows || !ESSENTIAL.includes(name));
  const without = Object.fromEntries(inherited.map((name) => [name, undefined]));
  const own = dirname(process.execPath);
  const path = isWindows ? { PATH: process.env['PATH'] } : { PATH: `${own}:/usr/local/bin:/usr/bin:/bin` };
  return { ...without, ...path, ...named } as Record<string, string>;
}

function httpLine(
  sdk: ClientSdk,
  given: Extract<McpTransport, { readonly kind: 'http' }>,
  name: string,
  env: Env,
): Line {
  const url = new URL(given.url);
  const basic = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const headers = {
    ...(basic === ':' ? {} : { authorization: `Basic ${Buffer.from(basic).toString('base64')}` }),
    ...given.headers,
    ...(given.tokenFrom === undefined ? {} : { authorization: `Bearer ${tokenIn(given.tokenFrom, name, env)}` }),
  };
  url.username = '';
  url.password = '';
  const transport: InstanceType<ClientSdk['StreamableHTTPClientTransport']> = new sdk.StreamableHTTPClientTransport(
    url,
    {
      requestInit: { headers },
      fetch: boundedFetch((request) => {
        const id = idIn(request);
        if (id !== undefined) transport.onmessage?.(insteadOf(id, TOO_LARGE));
      }),
      reconnectionOptions: {
        initialReconnectionDelay: 200,
        maxReconnectionDelay: 2_000,
        reconnectionDelayGrowFactor: 2,
        maxRetries: 2,
      },
    },
  );
  return { transport: noticingEnds(transport), lastWords: () => '' };
}

function tokenIn(variable: string, server: string, env: Env): string {
  const token = env[variable];
  if (token !== undefined && token !== '') return token;
  throw new ConfigError(`MCP server "${server}": there is no token in ${variable}. Set that environment variable.`);
}

/**
 * A stream that breaks before its answer would leave the request waiting until it times out: the SDK notices the end
 * and tells only those who subscribed to changes. So the answer that can no longer come is put in its place; where it
 * has come already, nobody waits for this one.
 */
function noticingEnds<T extends Transport>(transport: T): T {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const told = options?.onRequestStreamEnd;
    if (Array.isArray(message) || !('method' in message) || !('id' in message)) return send(message, options);
    const { id } = message;
    const ended = (): void => transport.onmessage?.(insteadOf(id, STREAM_ENDED));
    return send(message, { ...options, onRequestStreamEnd: told ?? ended });
  };
  return transport;
}

/** A line without end is refused by the SDK, which then closes: whoever waits is told why. */
function noticingLongLines<T extends Transport>(transport: T): T {
  const waiting = new Set<string | number>();
  const start = transport.start.bind(transport);
  const send = transport.send.bind(transport);
  transport.start = () => {
    const { onmessage, onerror } = transport; // set by then, and by nobody later
    transport.onmessage = (message, extra) => {
      if ('id' in message && message.id !== undefined && !('method' in message)) waiting.delete(message.id);
      onmessage?.(message, extra);
    };
    transport.onerror = (error) => {
      if (error.message.startsWith('ReadBuffer exceeded'))
        for (const id of waiting) onmessage?.(insteadOf(id, TOO_LARGE));
      onerror?.(error);
    };
    return start();
  };
  transport.send = (message, options) => {
    if (!Array.isArray(message) && 'method' in message && 'id' in message) waiting.add(message.id);
    return send(message, options);
  };
  return transport;
}

type Message = Parameters<NonNullable<Transport['onmessage']>>[0];

/** Put in the place of an answer that can no longer come. */
function insteadOf(id: string | number, code: number): Message {
  return { jsonrpc: '2.0', id, error: { code, message: 'There is no answer.' } };
}

function idIn(request: unknown): string | number | undefined {
  if (typeof request !== 'string') return undefined; // it listens for changes
  const { id } = Object(JSON.parse(request)) as { readonly id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
