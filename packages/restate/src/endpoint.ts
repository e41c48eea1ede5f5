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
const BETWEEN_PROBLEMS_MS = 10_000;
/** What the library logs of a call whose connection ended before its answer, as ours do when they rotate: Restate calls again. */
const BROKEN_OFF = 'Got abort error from connection';

/** Where Restate calls this process. */
export interface Endpoint {
  /** `http://127.0.0.1:9080`. */
  readonly url: string;
  close(): Promise<void>;
}

export async function openEndpoint(settings: Settings, drivers: Drivers, secret: string): Promise<Endpoint> {
  const { identityKeys } = settings;
  refuseAnybody(settings);
  const tell = rarely(settings.onProblem);
  const handler = createEndpointHandler({
    services: servicesOf(settings, drivers),
    ...(identityKeys.length === 0 ? {} : { identityKeys: [...identityKeys] }),
    // Restate keeps and shows why a call failed, and calls again; what is wrong with the service itself is for us
    logger: ({ level }, message, ...more) => {
      if (level !== 'error' || String(message).startsWith(BROKEN_OFF)) return;
      tell(new Error([message, ...more].map(String).join(' ')));
    },
  });
  const server = createServer(
    { settings: { maxConcurrentStreams: CALLS_PER_CONNECTION } },
    answerNeighbors({ secret, drivers }, handler),
  );
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => undefined); // it closes as well, and Restate calls again
  });
  const tellUnknown = rarely(settings.onProblem);
  drivers.onUnknown = (runId) =>
    tellUnknown(
      new Error(
        `Restate asked for run ${runId}, which is not in this database. Either it was removed, or another database uses this Restate under the same name ("${settings.name}"): then give each its own name (name= in an address), because runs of one do not reach the workers of the other.`,
      ),
    );
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
  const { listen } = settings;
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
  return { url: `http://${host}:${port}`, close: () => closed(server, sessions) };
}

/** What a key is, the library of Restate knows. */
export function refuseWrongKeys({ identityKeys }: Settings): void {
  if (identityKeys.length === 0) return;
  try {
    createEndpointHandler({ services: [], identityKeys: [...identityKeys] });
  } catch (error) {
    throw new ConfigError(
      `identityKeys (identity= in an address) has a key that is not a public key of Restate (${(error as Error).message}). Write it as Restate shows it: publickeyv1_….`,
    );
  }
}

function refuseAnybody({ listen: { host }, identityKeys, open }: Settings): void {
  if (open || identityKeys.length > 0 || /^(127\.\d+\.\d+\.\d+|::1|localhost)$/i.test(host)) return;
  throw new ConfigError(
    `Other machines can reach this worker on ${host}, and it would accept calls from all of them. Set identityKeys (identity= in an address) to the public keys of Restate, or open (open=true) if only Restate and the other workers can reach it.`,
  );
}

/** Whoever reaches the port can cause problems as fast as they like: the first is told at once, others once in a while. */
function rarely(onProblem: Settings['onProblem']): (error: Error) => void {
  let [toldAt, untold] = [Number.NEGATIVE_INFINITY, 0];
  return (error) => {
    if (performance.now() - toldAt < BETWEEN_PROBLEMS_MS) {
      untold += 1;
      return;
    }
    const more = untold === 0 ? '' : ` (and ${untold} other problems since the last report)`;
    [toldAt, untold] = [performance.now(), 0];
    onProblem(new Error(`${error.message}${more}`, { cause: error }), 'serving Restate');
  };
}

function listening(server: Http2Server, { listen: { host, port } }: Settings): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE'
          ? 'is in use. Choose another with listen (listen=host:port in an address). If another worker uses it, also set address (address=http://host:port) on every worker: the address of a load balancer in front of them.'
          : `cannot be used (${error.code ?? error.message}). Choose another with listen (listen=host:port in an address).`;
      reject(new ConfigError(`Port ${port} on ${host}, where Restate is to call this worker, ${why}`));
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
