import { isIP } from 'node:net';
import type { Limits } from './access/principal.js';
import type { InputScan } from './agents/input-guard.js';

/** Every choice about a server, made. */
export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  /** Nobody needs a credential: only where no other machine gets to, and only until the first key or a JWT setting. */
  readonly open: boolean;
  /** Origins of pages that may call the API from elsewhere; none where empty. */
  readonly origins: readonly string[];
  /** Names under which the server may be addressed beside its own address: what a rebound name is not among. */
  readonly hosts: readonly string[];
  /** Bytes of a request's body. */
  readonly maxBodyBytes: number;
  /** For the whole body to arrive. */
  readonly bodyTimeoutMs: number;
  /** For an answer that is no stream. An invocation that takes longer goes on without its client. */
  readonly requestTimeoutMs: number;
  readonly heartbeatMs: number;
  /** Streams that one principal may hold open. */
  readonly maxStreams: number;
  /** Of tenants that are not named; a key may have narrower ones of its own. */
  readonly tenantLimits: Limits;
  readonly tenants: Readonly<Record<string, Limits>>;
  /**
   * Whether whoever started a run may decide about its acts, where the rules of an approval do not say. On an open server
   * they may: nobody can be told apart there.
   */
  readonly requesterDecides: boolean;
  /** Failed credentials an address may try in a minute. */
  readonly failuresPerMinute: number;
  /**
   * Addresses and networks (`10.0.0.0/8`) of proxies in front of the server. What they say about where a request comes
   * from is believed, and nobody else's word is.
   */
  readonly proxies: readonly string[];
  /** Where they say it. */
  readonly proxyHeader: 'x-forwarded-for' | 'forwarded';
  /** Between the first 503 of /ready and the moment at which the server takes no more work. */
  readonly shutdownDelayMs: number;
  /** For runs in progress when the server closes. */
  readonly drainMs: number;
  /** What it does: `api` answers requests and leaves runs to workers, `worker` works on runs and answers probes only. */
  readonly role: ServerRole;
  /** Agents whose runs it works on; all of them where none is named. */
  readonly worksOn: readonly string[];
  /** Runs it works on at one time. */
  readonly concurrency: number;
  /** Runs of a tenant that may wait for a worker before new ones are refused. */
  readonly maxQueue: number;
  /** How much it takes at once, compared with other servers. */
  readonly weight: number;
  /** How suspicious an input may be before it is refused. */
  readonly inputScan: InputScan;
  readonly studio: boolean;
  readonly mcp: boolean;
  /** Whether the agent card is shown to anybody. */
  readonly publicCard: boolean;
  /** A folder with results of evaluations. */
  readonly evals: string | undefined;
  /** Values that must leave the house in no event, card or page, whatever they look like. */
  readonly secrets: readonly string[];
  readonly idempotencyMs: number;
  /** `name/version` of the package. */
  readonly version: string;
}

export const SERVER_ROLES = ['all', 'api', 'worker'] as const;
export type ServerRole = (typeof SERVER_ROLES)[number];

/** The default settings of a server. */
export const DEFAULT_SETTINGS: ServerSettings = {
  host: '127.0.0.1',
  port: 4747,
  open: false,
  origins: [],
  hosts: [],
  maxBodyBytes: 1_048_576,
  bodyTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  heartbeatMs: 15_000,
  maxStreams: 100,
  tenantLimits: {},
  tenants: {},
  requesterDecides: false,
  failuresPerMinute: 30,
  proxies: [],
  proxyHeader: 'x-forwarded-for',
  shutdownDelayMs: 0,
  drainMs: 10_000,
  role: 'all',
  worksOn: [],
  concurrency: 1_000,
  maxQueue: 100_000,
  weight: 1,
  inputScan: 'usual',
  studio: true,
  mcp: true,
  publicCard: false,
  evals: undefined,
  secrets: [],
  idempotencyMs: 86_400_000,
  version: '0.0.0',
};

/** Addresses of this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));
}
