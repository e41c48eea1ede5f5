import { setMaxListeners } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Clock, Dispatcher, Engine, Store } from 'flyball';
import { ConfigError, nodeHost, systemClock } from 'flyball';
import type { AgentGroup } from 'flyball/command';
import { jsonSchemaCheck } from 'flyball/internal';
import type { ApiKeys } from './access/api-keys.js';
import { type JwtOptions, jwtVerifier } from './access/jwt.js';
import { openGate } from './access/open-gate.js';
import { rateLimiter } from './access/rate-limiter.js';
import { shareRates } from './access/shared-rates.js';
import { apiKeys } from './access/stored-keys.js';
import { createApp } from './app.js';
import { type Log, SILENT } from './log.js';
import type { AnswerSeen } from './metrics/metrics.js';
import { onlyOnce, openParts } from './open-parts.js';
import type { Parts } from './parts.js';
import { allMounts, allRoutes } from './routes/all-routes.js';
import { DEFAULT_SETTINGS, isLoopback, type ServerSettings } from './settings.js';
import type { Trigger } from './triggers/trigger.js';
import { refuseOnTheWire, unmadeRequest } from './wire-refusal.js';

/** Options of `openServer`. */
export interface ServerOptions {
  /** Where runs live, and the records beside them. */
  readonly engine: Engine & { readonly store?: Store };
  /** Where it is not the engine's own. */
  readonly store?: Store;
  readonly groups: readonly AgentGroup[];
  readonly settings?: Partial<Omit<ServerSettings, 'open'>>;
  /** Tokens that somebody else issues. */
  readonly jwt?: JwtOptions;
  readonly triggers?: readonly Trigger[];
  /** Where secrets of triggers are found by name. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly log?: Log;
  readonly clock?: Clock;
  /** Decides which server works on a run. Without one, servers look for runs that are due. */
  readonly dispatcher?: Dispatcher;
}

/** An open server. */
export interface FlyballServer {
  /** `http://127.0.0.1:4747`. */
  readonly url: string;
  readonly port: number;
  /** Whether anybody on this machine may do everything. */
  readonly open: boolean;
  readonly parts: Parts;
  /**
   * Says that it is not ready, then takes no more work, lets runs come to a safe point, gives them back, ends its streams
   * and stops listening.
   */
  close(): Promise<void>;
}

/** Opens a server for agents. It listens when the promise resolves. */
export async function openServer(options: ServerOptions): Promise<FlyballServer> {
  const { engine, groups, jwt, triggers = [], log = SILENT, clock = systemClock(), env = {} } = options;
  const store = options.store ?? engine.store;
  if (store === undefined) throw new ConfigError('A server needs a store for keys and records. Pass `store`.');
  const keys = apiKeys(store, clock, { log });
  const given = { ...DEFAULT_SETTINGS, ...options.settings };
  const settings: ServerSettings = { ...given, open: await isOpen(given, { keys, hasJwt: jwt !== undefined, log }) };
  const [leaving, closing, ending] = [new AbortController(), new AbortController(), new AbortController()];
  const phases = { leaving: leaving.signal, closing: closing.signal, ending: ending.signal };
  setMaxListeners(0, ...Object.values(phases)); // one for each request under way, which takes it off again
  const verifier = jwt === undefined ? undefined : await jwtVerifier(jwt); // before anything runs that had to be stopped
  const parts = await openParts({
    engine,
    store,
    clock,
    log,
    groups,
    settings,
    keys,
    triggers,
    env,
    phases,
    dispatcher: options.dispatcher,
  });
  const host = nodeHost();
  const rates = shareRates(rateLimiter(settings, clock), { engine, clock, host, log });
  const gate = openGate({ store, clock, settings, keys, jwt: verifier, log, host, rates });
  const pipeline = {
    gate,
    settings,
    check: jsonSchemaCheck(),
    log,
    monotonic: () => clock.monotonic(),
    phases,
    wire: parts.wire,
    observe: (seen: AnswerSeen) => parts.metrics.request(seen),
  };
  const app = createApp(pipeline, allRoutes(parts), allMounts(parts, gate));
  const listening = await listen(app.fetch, settings, log).catch(async (error: unknown) => {
    await parts.close();
    throw error;
  });
  return {
    url: `http://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${listening.port}`,
    port: listening.port,
    open: settings.open,
    parts,
    close: onlyOnce(async () => {
      log.info('server stopping', { runs: parts.fleet.loaded() });
      leaving.abort();
      if (settings.shutdownDelayMs > 0) await new Promise<void>((go) => clock.after(settings.shutdownDelayMs, go));
      closing.abort();
      await parts.drain(); // whoever follows a run sees it come to rest, and whoever asks is told that this one leaves
      ending.abort();
      await listening.close();
      await rates.close().catch((error: unknown) => log.error('request counts were not withdrawn', error));
      await parts.close();
      log.info('server stopped');
    }),
  };
}

/** Until there is a key everybody is let in, but only where everybody is on this machine. */
async function isOpen(
  settings: Omit<ServerSettings, 'open'>,
  { keys, hasJwt, log }: { readonly keys: ApiKeys; readonly hasJwt: boolean; readonly log: Log },
): Promise<boolean> {
  if (hasJwt) return false;
  if (await keys.any()) {
    if (!(await keys.anyLive())) log.warn('every API key has expired or was revoked', { next: CREATE_KEY });
    return false;
  }
  const { host, hosts, proxies } = settings;
  if (!isLoopback(host)) throw noKey(`Other machines can reach this server on ${host}`, 'bind to 127.0.0.1');
  // whoever is behind the proxy has its address here: nothing about a request says that it is from this machine
  if (hosts.length > 0 || proxies.length > 0)
    throw noKey(
      'The settings hosts (--name) and proxies (--proxy) are for servers that other machines can reach',
      'remove these settings',
    );
  return true;
}

const CREATE_KEY = 'flyball keys create --name admin --scope admin';

function noKey(why: string, instead: string): ConfigError {
  return new ConfigError(
    `${why}, but there is no API key. Create one first (${CREATE_KEY}), configure JWT, or ${instead}.`,
  );
}

interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

function listen(
  fetch: Parameters<typeof getRequestListener>[0],
  settings: ServerSettings,
  log: Log,
): Promise<Listening> {
  const { host: hostname, port, bodyTimeoutMs } = settings;
  const answer = getRequestListener(fetch, { hostname, errorHandler: (error) => unmadeRequest(error, log) });
  return new Promise((resolve, reject) => {
    const server = createServer(
      {
        // a client that sends its headers a letter at a time holds nothing but a socket, and not for long
        headersTimeout: bodyTimeoutMs,
        requestTimeout: bodyTimeoutMs * 2,
        connectionsCheckingInterval: Math.min(5_000, bodyTimeoutMs),
        maxHeaderSize: 16_384,
      },
      (request, response) => void answer(request, response),
    );
    server.listen(port, hostname, () =>
      resolve({ port: (server.address() as AddressInfo).port, close: () => closed(server) }),
    );
    refuseOnTheWire(server);
    server.on('error', (error: NodeJS.ErrnoException) => {
      reject(cannotListen(error, settings));
      if (server.listening) log.error('a connection was not accepted', error); // too many files are open, say: those that are there go on
    });
  });
}

function closed(server: HttpServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    // streams have been ended by the signal; what is idle has nobody to wait for
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), 1_000).unref();
  });
}

function cannotListen(error: NodeJS.ErrnoException, { host, port }: ServerSettings): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new ConfigError(`Port ${port} on ${host} is in use. Choose another with --port, or 0 for any free one.`);
    case 'EACCES':
      return new ConfigError(
        `Port ${port} on ${host} requires elevated privileges. Choose one above 1023 with --port.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ConfigError(`${host} is not an address of this machine. Choose one with --host.`);
    default:
      return error;
  }
}
