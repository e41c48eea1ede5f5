import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { FlyballError } from '../core/errors.js';
import { isPassingCode } from '../core/retry.js';
import { checkAddress, type DomainRules } from '../tools/rules/domains.js';

/** Every address that a name has. */
export type Resolver = (hostname: string) => Promise<readonly string[]>;

/** The ways out of this process, so that a test can watch them. */
export interface Outlets {
  readonly resolver: Resolver;
  readonly connect: (to: { readonly host: string; readonly port: number }) => Socket;
  /** Authorities to trust beside the usual ones. */
  readonly ca?: string;
}

export const systemOutlets: Outlets = {
  resolver: async (hostname) => (await lookup(hostname, { all: true })).map(({ address }) => address),
  connect: (to) => connectTcp(to),
};

export interface Endpoint {
  readonly hostname: string;
  readonly port: number;
}

/** While others are left to try: a host that swallows packets must not use up all the time. */
const ATTEMPT_MS = 4000;
const MAX_ADDRESSES = 16;

/**
 * A connection to an allowed address. The name is resolved once and its addresses are judged; the connection goes to
 * one of those and to nothing else, and the other side is judged again before a byte is sent. A name that changes its
 * mind between check and use therefore gains nothing.
 */
export async function connectChecked(
  rules: DomainRules,
  to: Endpoint,
  outlets: Outlets,
  signal: AbortSignal,
): Promise<Socket> {
  const addresses = await checkedAddresses(rules, to, outlets.resolver);
  let problem: unknown;
  for (const [index, address] of addresses.entries()) {
    signal.throwIfAborted();
    try {
      const isLast = index === addresses.length - 1;
      const socket = await opened(outlets.connect({ host: address, port: to.port }), signal, isLast ? 0 : ATTEMPT_MS);
      return requireAllowedPeer(rules, socket, to);
    } catch (error) {
      if (error instanceof FlyballError) throw error;
      problem = error;
    }
  }
  throw unreachable(to, problem);
}

async function checkedAddresses(rules: DomainRules, to: Endpoint, resolver: Resolver): Promise<readonly string[]> {
  const bare = to.hostname.replace(/^\[|\]$/g, '');
  const found = isIP(bare) === 0 ? await resolved(to, resolver) : [bare];
  for (const address of found) {
    const verdict = checkAddress(rules, { address, port: to.port });
    // one bad address spoils the name: which of them a connection takes is nobody's promise
    if (!verdict.ok) throw deniedAddress(`${to.hostname} leads to an address that is refused: ${verdict.why}`, to);
  }
  return found.slice(0, MAX_ADDRESSES);
}

async function resolved(to: Endpoint, resolver: Resolver): Promise<readonly string[]> {
  const found = await resolver(to.hostname).catch((error: unknown) => {
    throw unreachable(to, error);
  });
  if (found.length === 0) throw unreachable(to, new Error('it has no address'));
  return found;
}

function opened(socket: Socket, signal: AbortSignal, timeoutMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      settle();
      socket.destroy();
      socket.on('error', () => undefined); // a late complaint of a socket that nobody uses any more
      reject(error);
    };
    const onAbort = (): void => fail(signal.reason as Error);
    const timer = timeoutMs > 0 ? setTimeout(() => fail(new Error('no answer')), timeoutMs) : undefined;
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.removeListener('error', fail);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('error', fail);
    socket.once('connect', () => {
      settle();
      resolve(socket);
    });
  });
}

function requireAllowedPeer(rules: DomainRules, socket: Socket, to: Endpoint): Socket {
  const { remoteAddress = 'nowhere', remotePort = to.port } = socket;
  const verdict = checkAddress(rules, { address: remoteAddress, port: remotePort });
  if (verdict.ok) return socket;
  socket.destroy();
  throw deniedAddress(`The connection to ${to.hostname} ended at an address that is refused: ${verdict.why}`, to);
}

/** TLS over a connection that was checked; the certificate has to be for the name that was asked for. */
export function secured(socket: Socket, to: Endpoint, outlets: Outlets, signal: AbortSignal): Promise<TLSSocket> {
  const hostname = to.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const tls = connectTls({
      socket,
      host: hostname,
      ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
      ALPNProtocols: ['http/1.1'],
      ...(outlets.ca === undefined ? {} : { ca: outlets.ca }),
    });
    const onAbort = (): void => void tls.destroy(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    const settle = (): void => signal.removeEventListener('abort', onAbort);
    tls.once('error', (error) => {
      settle();
      reject(error instanceof FlyballError ? error : unreachable(to, error));
    });
    tls.once('secureConnect', () => {
      settle();
      resolve(tls);
    });
  });
}

function deniedAddress(why: string, to: Endpoint): FlyballError {
  return new FlyballError('DENIED', why, { detail: { hostname: to.hostname, port: to.port } });
}

export function unreachable(to: { readonly hostname: string }, cause: unknown): FlyballError {
  const code = (cause as { readonly code?: unknown } | undefined)?.code;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new FlyballError('EFFECT_FAILED', `${to.hostname} cannot be reached: ${why}.`, {
    retryable: isPassingCode(code),
    cause,
  });
}
