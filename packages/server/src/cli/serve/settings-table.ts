import { INPUT_SCANS } from '../../agents/input-guard.js';
import { LOG_LEVELS } from '../../log.js';
import { SERVER_ROLES, type ServerSettings } from '../../settings.js';
import type { Setting } from './setting.js';

/** What the process is told, which the server itself never sees. */
type OfProcess =
  | 'agents'
  | 'triggers'
  | 'logLevel'
  | 'db'
  | 'dispatcher'
  | 'jwtPublicKey'
  | 'jwks'
  | 'jwtIssuer'
  | 'jwtAudience';
/** What the process works out by itself. */
type Derived = 'open' | 'version' | 'secrets' | 'tenantLimits';

/** Every setting of a server. A new one of the server fails to compile here until it can be set. */
export const SETTINGS: Readonly<
  Record<
    Exclude<keyof ServerSettings, Derived> | keyof NonNullable<ServerSettings['tenantLimits']> | OfProcess,
    Omit<Setting, 'name'>
  >
> = {
  agents: {
    kind: 'file',
    isList: true,
    about: 'agent files, if none are given on the command line',
    fallback: 'agent.yaml, agents.ts, agents.mjs or agents.js, if they exist',
  },
  host: { flag: '--host <address>', kind: 'text', about: 'address to listen on', fallback: '127.0.0.1' },
  port: { flag: '--port <number>', kind: 'port', about: 'port; 0 picks a free one', fallback: '4747' },
  hosts: {
    flag: '--name <host>',
    kind: 'host',
    isList: true,
    about: 'a host name that clients use to reach it; repeat it for several',
  },
  origins: {
    flag: '--origin <url>',
    kind: 'origin',
    isList: true,
    about: 'an origin whose pages may call the API; repeat it for several',
  },
  proxies: {
    flag: '--proxy <address>',
    kind: 'network',
    isList: true,
    about:
      'address or network (10.0.0.0/8) of a trusted proxy that passes on the client address; repeat it for several',
  },
  proxyHeader: {
    flag: '--proxy-header <name>',
    kind: ['x-forwarded-for', 'forwarded'],
    about: 'the header with the client address that proxies set',
    fallback: 'x-forwarded-for',
  },
  requestsPerMinute: { flag: '--rate <number>', kind: 'whole', about: 'requests per minute for each tenant' },
  costUsdPerDay: {
    flag: '--cost-per-day <usd>',
    kind: 'amount',
    about: 'maximum cost per day of the runs of each tenant',
  },
  tenants: {
    kind: 'tenants',
    about: 'limits for individual tenants: { acme: { requestsPerMinute: 60, costUsdPerDay: 5 } }; JSON in the variable',
  },
  failuresPerMinute: {
    flag: '--failures <number>',
    kind: 'whole',
    about: 'failed authentications per minute and address',
    fallback: '30',
  },
  maxStreams: {
    flag: '--max-streams <number>',
    kind: 'whole',
    about: 'open streams per credential',
    fallback: '100',
  },
  maxBodyBytes: {
    flag: '--max-body <bytes>',
    kind: 'whole',
    about: 'maximum size of a request body',
    fallback: '1048576',
  },
  bodyTimeoutMs: {
    flag: '--body-timeout <seconds>',
    kind: 'wait',
    about: 'time limit to receive a request body',
    fallback: '10',
  },
  requestTimeoutMs: {
    flag: '--timeout <seconds>',
    kind: 'wait',
    about: 'time limit for a response',
    fallback: '30',
  },
  heartbeatMs: {
    flag: '--heartbeat <seconds>',
    kind: 'wait',
    about: 'interval of heartbeats on an idle stream',
    fallback: '15',
  },
  idempotencyMs: {
    flag: '--idempotency <seconds>',
    kind: 'seconds',
    about: 'how long an Idempotency-Key is remembered',
    fallback: '86400',
  },
  shutdownDelayMs: {
    flag: '--shutdown-delay <seconds>',
    kind: 'seconds',
    about: 'how long the server keeps serving after /ready returns 503, so that load balancers notice',
    fallback: '0',
  },
  drainMs: {
    flag: '--drain <seconds>',
    kind: 'seconds',
    about: 'how long running steps may take to finish when the server stops',
    fallback: '10',
  },
  role: {
    flag: '--role <role>',
    kind: SERVER_ROLES,
    about: 'all; api to start runs and leave the work to other servers; worker to work on runs and answer only probes',
    fallback: 'all',
  },
  worksOn: {
    flag: '--works-on <agent>',
    kind: 'text',
    isList: true,
    about: 'an agent whose runs this server works on; repeat it for several. If none is set, it works on all',
  },
  concurrency: {
    flag: '--concurrency <number>',
    kind: 'whole',
    about: 'runs that are worked on at the same time; others wait in the queue',
    fallback: '1000',
  },
  maxQueue: {
    flag: '--max-queue <number>',
    kind: 'whole',
    about: 'runs of a tenant that may wait for a worker; when there are more, new ones are refused with 429',
    fallback: '100000',
  },
  weight: {
    flag: '--weight <number>',
    kind: 'amount',
    about: 'how many runs this server takes at once, compared with other servers',
    fallback: '1',
  },
  requesterDecides: {
    flag: '--requester-decides',
    kind: 'yes',
    about: 'let the person who started a run approve its actions',
    fallback: 'false',
  },
  inputScan: {
    flag: '--input-scan <level>',
    kind: INPUT_SCANS,
    about: 'how strictly inputs that look like prompt injections are refused: off, lenient, usual or strict',
    fallback: 'usual',
  },
  publicCard: {
    flag: '--public-card',
    kind: 'yes',
    about: 'show the agent card to anybody',
    fallback: 'false',
  },
  studio: { flag: '--no-studio', kind: 'yes', about: 'serve the studio; the flag turns it off', fallback: 'true' },
  mcp: { flag: '--no-mcp', kind: 'yes', about: 'serve the MCP endpoint; the flag turns it off', fallback: 'true' },
  evals: {
    flag: '--evals <folder>',
    kind: 'folder',
    about: 'folder with evaluation results, shown in the studio',
    fallback: '.flyball/evals',
  },
  triggers: { flag: '--triggers <file>', kind: 'file', about: 'YAML file with cron and webhook triggers' },
  logLevel: {
    flag: '--log-level <level>',
    kind: LOG_LEVELS,
    about: 'minimum log level: debug, info, warn or error',
    fallback: 'info',
  },
  db: {
    flag: '--db <database>',
    kind: 'text',
    about: 'database file, or an address such as postgres://user@host/name',
    fallback: '.flyball/flyball.db',
  },
  dispatcher: {
    flag: '--dispatcher <url>',
    kind: 'text',
    about:
      'the system that decides which server works on a run, such as restate://host:8080. If none is set, servers look for runs themselves',
  },
  jwtPublicKey: { kind: 'file', about: 'accept JWTs signed with RS256: a file with the public key in PEM' },
  jwks: { kind: 'keys', about: 'accept JWTs signed with the keys at this URL or in this file' },
  jwtIssuer: { kind: 'text', about: 'required issuer of a JWT' },
  jwtAudience: { kind: 'text', about: 'required audience of a JWT' },
};

export type SettingKey = keyof typeof SETTINGS;

/** Outside, times are in seconds, and their names do not say milliseconds. */
export function allSettings(): readonly (Setting & { readonly key: SettingKey })[] {
  return (Object.keys(SETTINGS) as SettingKey[]).map((key) => ({
    key,
    name: key.replace(/Ms$/, ''),
    ...SETTINGS[key],
  }));
}
