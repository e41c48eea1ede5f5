import type * as Sdk from '@modelcontextprotocol/server';
import type * as Stdio from '@modelcontextprotocol/server/stdio';

export type {
  CallToolResult,
  McpHttpHandler,
  Server,
  ServerContext,
  Tool as WireTool,
} from '@modelcontextprotocol/server';

/** The official SDK, loaded by whoever serves and by nobody else. */
export type ServerSdk = typeof Sdk & Pick<typeof Stdio, 'serveStdio' | 'StdioServerTransport'>;

export async function loadServerSdk(): Promise<ServerSdk> {
  const [main, stdio] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('@modelcontextprotocol/server/stdio'),
  ]);
  return { ...main, ...stdio };
}
