import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Outlets } from '../../packages/flyball/src/toolbox/web-fetch-connect.js';

/** Stands for the whole public internet in tests. */
export const PUBLIC_ADDRESS = '93.184.216.34';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface Site {
  readonly port: number;
  readonly requests: readonly { readonly url: string; readonly headers: IncomingMessage['headers'] }[];
}

/** A web server on loopback. */
export async function site(handler: Handler): Promise<Site> {
  const requests: { url: string; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer((request, response) => {
    requests.push({ url: request.url ?? '', headers: request.headers });
    handler(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requests };
}

export interface Inside {
  readonly port: number;
  connections: number;
  bytes: number;
}

/** Something on loopback that nobody may talk to: counts who tries. */
export async function inside(): Promise<Inside> {
  const seen: Inside = { port: 0, connections: 0, bytes: 0 };
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    seen.connections++;
    sockets.add(socket);
    socket.on('data', (chunk) => {
      seen.bytes += chunk.length;
    });
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return Object.assign(seen, { port: (server.address() as AddressInfo).port });
}

/** Answers by host and by how often it was asked; what it does not know leads to the public address. */
export function names(answers: Readonly<Record<string, readonly (readonly string[])[]>> = {}): Outlets['resolver'] {
  const asked = new Map<string, number>();
  return async (hostname) => {
    const nth = asked.get(hostname) ?? 0;
    asked.set(hostname, nth + 1);
    const list = answers[hostname];
    return list?.[Math.min(nth, list.length - 1)] ?? [PUBLIC_ADDRESS];
  };
}

/** The public address is this port of loopback; every other address is itself. */
export function publicAt(port: number): Outlets['connect'] {
  return (to) => (to.host === PUBLIC_ADDRESS ? connect({ host: '127.0.0.1', port }) : connect(to));
}
