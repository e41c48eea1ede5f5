import type * as Sdk from '@modelcontextprotocol/server';
import type * as Stdio from '@modelcontextprotocol/server/stdio';
import { FlyballError } from 'flyball';

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
  try {
    const [main, stdio] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('@modelcontextprotocol/server/stdio'),
    ]);
    return { ...main, ...stdio };
  } catch (cause) {
    throw new FlyballError(
      'DRIVER_MISSING',
      'Serving MCP needs the package @modelcontextprotocol/server. Run `npm install @modelcontextprotocol/server`.',
      { detail: { package: '@modelcontextprotocol/server' }, cause },
    );
  }
}
