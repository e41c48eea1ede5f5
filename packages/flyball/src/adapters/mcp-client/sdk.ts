import type * as Sdk from '@modelcontextprotocol/client';
import type * as Stdio from '@modelcontextprotocol/client/stdio';
import { FlyballError } from '../../core/errors.js';

export type { CallToolResult, Client, Tool as ListedTool, Transport } from '@modelcontextprotocol/client';

/** The official SDK, loaded by whoever uses a server and by nobody else. */
export type ClientSdk = typeof Sdk & Pick<typeof Stdio, 'StdioClientTransport' | 'DEFAULT_INHERITED_ENV_VARS'>;

export async function loadClientSdk(): Promise<ClientSdk> {
  try {
    const [main, stdio] = await Promise.all([
      import('@modelcontextprotocol/client'),
      import('@modelcontextprotocol/client/stdio'),
    ]);
    return { ...main, ...stdio };
  } catch (cause) {
    throw new FlyballError(
      'DRIVER_MISSING',
      'MCP servers need the package @modelcontextprotocol/client. Run `npm install @modelcontextprotocol/client`.',
      { detail: { package: '@modelcontextprotocol/client' }, cause },
    );
  }
}
