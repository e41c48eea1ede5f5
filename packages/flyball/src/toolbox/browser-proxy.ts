import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { FlyballError } from '../core/errors.js';
import { checkUrl, type DomainRules, portOf } from '../tools/rules/domains.js';
import { connectChecked, type Outlets } from './web-fetch-connect.js';

export interface Refusal {
  readonly url: string;
  readonly why: string;
}

/**
 * The only way out of a browser: every request of every page, redirects included, is judged here and connected to an
 * address that was judged. A browser resolves names itself and connects when it likes, so rules that look only at its
 * requests could be gone around by a name that changes its mind.
 */
export interface CheckingProxy {
  readonly port: number;
  close(): Promise<void>;
}

export interface ProxyRules {
  readonly rules: DomainRules;
  readonly outlets: Outlets;
  /** What may be asked in the clear; inside TLS the browser itself is held to it. */
  readonly methods: readonly string[];
  readonly onRefused: (refusal: Refusal) => void;
}

const MAX_CONNECTIONS = 256;
const IDLE_MS = 30_000;
const CONNECT_MS = 15_000;
/** They concern one leg of the way only. */
const HOP_HEADERS = ['connection', 'proxy-connection', 'keep-alive', 'proxy-authorization', 'te', 'trailer', 'upgrade'];

export async function checkingProxy(how: ProxyRules): Promise<CheckingProxy> {
  const open = new Set<Duplex>();
  const server = createServer(
    (asked, answer) => void forward(how, asked, answer).catch((error) => fail(answer, error)),
  );
  server.on('connect', (asked: IncomingMessage, client: Duplex) => {
    track(open, client);
    void tunnel(how, asked.url ?? '', client, open).catch((error: unknown) => refuseTunnel(client, error));
  });
  server.on('upgrade', (_asked: IncomingMessage, client: Duplex) => client.destroy());
  server.on('clientError', (_error, client) => client.destroy());
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const stream of open) stream.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function track(open: Set<Duplex>, stream: Duplex): void {
  open.add(stream);
  stream.on('error', () => stream.destroy());
  stream.once('close', () => open.delete(stream));
}

async function forward(how: ProxyRules, asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  const url = asked.url ?? '';
  const method = asked.method ?? 'GET';
  judge(how, url);
  if (!how.methods.includes(method))
    refuse(how, { url, why: `${method} would send something, and only reading is allowed.` });
  const target = new URL(url);
  const socket = await connect(how, { hostname: target.hostname, port: portOf(target) }, url);
  socket.setTimeout(IDLE_MS, () => socket.destroy());
  const onward = request({
    createConnection: () => socket,
    method,
    path: `${target.pathname}${target.search}`,
    headers: { ...endToEnd(asked.headers), host: target.host, connection: 'close' },
  });
  onward.on('error', (error) => fail(answer, error));
  onward.once('response', (response) => {
    answer.writeHead(response.statusCode ?? 502, endToEnd(response.headers));
    response.on('error', () => answer.destroy());
    response.pipe(answer);
  });
  answer.once('close', () => socket.destroy());
  asked.pipe(onward);
}

async function tunnel(how: ProxyRules, authority: string, client: Duplex, open: Set<Duplex>): Promise<void> {
  const url = `https://${authority}/`;
  judge(how, url);
  const target = new URL(url);
  const socket = await connect(how, { hostname: target.hostname, port: portOf(target) }, url);
  track(open, socket);
  socket.setTimeout(IDLE_MS, () => socket.destroy());
  client.once('close', () => socket.destroy());
  socket.once('close', () => client.destroy());
  client.write('HTTP/1.1 200 Connection established\r\n\r\n');
  socket.pipe(client);
  client.pipe(socket);
}

async function connect(how: ProxyRules, to: { hostname: string; port: number }, url: string): Promise<Socket> {
  try {
    return await connectChecked(how.rules, to, how.outlets, AbortSignal.timeout(CONNECT_MS));
  } catch (error) {
    if (error instanceof FlyballError && error.code === 'DENIED') how.onRefused({ url, why: error.message });
    throw error;
  }
}

function judge(how: ProxyRules, url: string): void {
  const verdict = checkUrl(how.rules, url);
  if (!verdict.ok) refuse(how, { url, why: verdict.why });
}

function refuse(how: ProxyRules, refusal: Refusal): never {
  how.onRefused(refusal);
  throw new FlyballError('DENIED', refusal.why);
}

function fail(answer: ServerResponse, error: unknown): void {
  if (answer.headersSent) {
    answer.destroy();
    return;
  }
  answer.writeHead(isDenial(error) ? 403 : 502, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  answer.end(error instanceof Error ? error.message : String(error));
}

function refuseTunnel(client: Duplex, error: unknown): void {
  client.end(`HTTP/1.1 ${isDenial(error) ? '403 Forbidden' : '502 Bad Gateway'}\r\nConnection: close\r\n\r\n`);
}

function isDenial(error: unknown): boolean {
  return error instanceof FlyballError && error.code === 'DENIED';
}

function endToEnd(headers: IncomingMessage['headers']): Record<string, string | string[]> {
  const kept = Object.entries(headers).filter(([name, value]) => value !== undefined && !HOP_HEADERS.includes(name));
  return Object.fromEntries(kept) as Record<string, string | string[]>;
}
