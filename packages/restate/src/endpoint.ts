import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createEndpointHandler } from '@restatedev/restate-sdk';
import { ConfigError } from 'flyball';
import type { Drivers } from './drivers.js';
import { answerNeighbors } from './neighbors.js';
import type { Settings } from './options.js';
import { servicesOf } from './services.js';

/**
 * Calls on one connection. Restate opens another when they are used up, and a load balancer sends that one to another
 * worker: with as many as Restate would like, one worker would get everything.
 */
const CALLS_PER_CONNECTION = 8;
const GOODBYE_MS = 2_000;
const BETWEEN_ROTATIONS_MS = 50;
/** What the library logs of a call whose connection ended before its answer, as ours do when they rotate: Restate calls again. */
const BROKEN_OFF = 'Got abort error from connection';

/** Where Restate calls this process. */
export interface Endpoint {
  /** `http://127.0.0.1:9080`. */
  readonly url: string;
  close(): Promise<void>;
}

export async function openEndpoint(settings: Settings, drivers: Drivers): Promise<Endpoint> {
  const { listen, identityKeys, onProblem } = settings;
  const handler = createEndpointHandler({
    services: servicesOf(settings, drivers),
    ...(identityKeys.length === 0 ? {} : { identityKeys: [...identityKeys] }),
    // Restate keeps and shows why a call failed, and calls again; what is wrong with the service itself is for us
    logger: ({ level }, message, ...more) => {
      if (level !== 'error' || String(message).startsWith(BROKEN_OFF)) return;
      onProblem(new Error([message, ...more].map(String).join(' ')), 'serving Restate');
    },
  });
  const server = createServer(
    { settings: { maxConcurrentStreams: CALLS_PER_CONNECTION } },
    answerNeighbors(drivers, handler),
  );
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => undefined); // it closes as well, and Restate calls again
  });
  // Restate calls again over a connection that it has: to reach another worker it needs a new one
  let isRotating = false;
  drivers.onRefused = () => {
    if (isRotating) return;
    isRotating = true;
    for (const session of sessions) session.close();
    setTimeout(() => {
      isRotating = false;
    }, BETWEEN_ROTATIONS_MS).unref();
  };
  await listening(server, settings);
  const { port } = server.address() as AddressInfo;
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
  return { url: `http://${host}:${port}`, close: () => closed(server, sessions) };
}

function listening(server: Http2Server, { listen: { host, port } }: Settings): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${error.code ?? error.message})`;
      reject(
        new ConfigError(
          `Port ${port} on ${host}, where Restate is to call this worker, ${why}. Choose another with listen=host:port.`,
        ),
      );
    });
    server.listen({ host, port }, resolve);
  });
}

/** Calls under way end; new ones go elsewhere. */
function closed(server: Http2Server, sessions: ReadonlySet<ServerHttp2Session>): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(() => {
      for (const session of sessions) session.destroy();
    }, GOODBYE_MS);
    server.close(() => {
      clearTimeout(late);
      resolve();
    });
    for (const session of sessions) session.close();
  });
}
