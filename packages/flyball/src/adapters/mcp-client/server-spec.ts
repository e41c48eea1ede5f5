import { ConfigError } from '../../core/errors.js';
import { parsedUrl } from '../../core/parsed-url.js';
import type { TrifectaLeg } from '../../core/tool.js';

/** How a server is reached. */
export type McpTransport =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args?: readonly string[];
      /** All that the process gets beside a minimal PATH: nothing is inherited. */
      readonly env?: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | {
      readonly kind: 'http';
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
      /** Name of an environment variable that holds a bearer token. */
      readonly tokenFrom?: string;
    };

/** What a server says about its own tools is a hint; this is what whoever runs the agent knows about them. */
export type McpEffect = 'pure' | 'idempotent' | 'irreversible';

/** An MCP server to connect to. */
export interface McpServerSpec {
  /** Begins the names of its tools. */
  readonly name: string;
  readonly transport: McpTransport;
  /** The server's own names of the tools to use; all of them where absent. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** Of one call, a reconnection on its way included: 30 s where absent. */
  readonly timeoutMs?: number;
  /** The version that the server has to report. Another one is not used. */
  readonly pin?: string;
  /**
   * What you know about its tools, by the server's own names; `*` is every other one. What is not named is irreversible,
   * whatever the server says about it, and so is a tool that has changed since it was first listed.
   */
  readonly effects?: Readonly<Record<string, McpEffect>>;
  /** Hashes of tools by the server's own names. Where given, a tool that is not exactly one of these is left out. */
  readonly pins?: Readonly<Record<string, string>>;
  /** Legs beside `untrusted-content`, which every tool of a server stands on; `outbound` where absent. */
  readonly legs?: readonly TrifectaLeg[];
  /** Environment variables and headers whose values are no secrets, so that results may name them. */
  readonly plain?: readonly string[];
  /** Further values that must not be seen anywhere. */
  readonly secrets?: readonly string[];
  /** `initialize` leaves out asking which revision of the protocol the server speaks, which over stdio costs a process. */
  readonly handshake?: 'negotiate' | 'initialize';
}

export const CALL_TIMEOUT_MS = 30_000;

const NAME = /^[a-zA-Z](?!.*(?:__|_$))[a-zA-Z0-9_-]{0,31}$/;

/** Bad settings are said before a process is started. */
export function requireSoundSpecs(specs: readonly McpServerSpec[]): void {
  const names = specs.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new ConfigError(`Two MCP servers are called "${twice}". Rename one.`);
  specs.forEach(requireSound);
}

function requireSound(spec: McpServerSpec): void {
  const fail = (why: string): never => {
    throw new ConfigError(`MCP server "${spec.name}": ${why}`);
  };
  if (!NAME.test(spec.name))
    fail(
      'its name begins the names of its tools: give a letter, then up to 31 letters, digits, "-" and single "_", and no "_" last.',
    );
  const { timeoutMs, transport } = spec;
  if (timeoutMs !== undefined && !(Number.isFinite(timeoutMs) && timeoutMs > 0))
    fail(`timeoutMs is ${timeoutMs}, but must be a finite number above 0.`);
  if (transport.kind === 'stdio' && transport.command.trim() === '') fail('its command is empty.');
  if (transport.kind === 'http') requireSafeAddress(transport, fail);
}

function requireSafeAddress(
  { url, headers = {}, tokenFrom }: Extract<McpTransport, { readonly kind: 'http' }>,
  fail: (why: string) => never,
): void {
  const address = parsedUrl(url) ?? fail('its url is not valid. Set one such as https://host/mcp.');
  if (address.protocol !== 'https:' && address.protocol !== 'http:')
    fail(`its url uses ${address.protocol}, which is not supported. Use https.`);
  const hasCredentials = tokenFrom !== undefined || Object.keys(headers).length > 0 || address.password !== '';
  if (address.protocol === 'http:' && hasCredentials && !isLoopback(address.hostname))
    fail(`it would be sent credentials over ${address.origin} unencrypted. Use https.`);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
