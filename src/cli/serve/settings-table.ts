import { INPUT_SCANS } from '../../server/agents/input-guard.js';
import { LOG_LEVELS } from '../../server/log.js';
import type { ServerSettings } from '../../server/settings.js';
import type { Setting } from './setting.js';

/** What the process is told, which the server itself never sees. */
type OfProcess = 'agents' | 'triggers' | 'logLevel' | 'db' | 'jwtPublicKey' | 'jwks' | 'jwtIssuer' | 'jwtAudience';
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
    about: 'agent files, where none are named on the command line',
    fallback: 'agent.yaml, agents.ts, agents.mjs or agents.js, as far as they are there',
  },
  host: { flag: '--host <address>', kind: 'text', about: 'address to bind to', fallback: '127.0.0.1' },
  port: { flag: '--port <number>', kind: 'port', about: 'port; 0 takes a free one', fallback: '4747' },
  hosts: {
    flag: '--name <host>',
    kind: 'host',
    isList: true,
    about: 'a host name under which it is reached; repeat it for several',
  },
  origins: {
    flag: '--origin <url>',
    kind: 'origin',
    isList: true,
    about: 'an origin whose pages may call it; repeat it for several',
  },
  proxies: {
    flag: '--proxy <address>',
    kind: 'network',
    isList: true,
    about: 'a proxy in front of it, or a network of them (10.0.0.0/8), that says where requests come from; repeat it',
  },
  proxyHeader: {
    flag: '--proxy-header <name>',
    kind: ['x-forwarded-for', 'forwarded'],
    about: 'the header in which the proxies say it',
    fallback: 'x-forwarded-for',
  },
  requestsPerMinute: { flag: '--rate <number>', kind: 'whole', about: 'requests a minute of each tenant' },
  costUsdPerDay: {
    flag: '--cost-per-day <usd>',
    kind: 'amount',
    about: 'what the runs of each tenant may cost in a day',
  },
  tenants: {
    kind: 'tenants',
    about: 'limits of single tenants: { acme: { requestsPerMinute: 60, costUsdPerDay: 5 } }; JSON in the variable',
  },
  failuresPerMinute: {
    flag: '--failures <number>',
    kind: 'whole',
    about: 'wrong credentials an address may try in a minute',
    fallback: '30',
  },
  maxStreams: {
    flag: '--max-streams <number>',
    kind: 'whole',
    about: 'streams that one credential may hold open',
    fallback: '100',
  },
  maxBodyBytes: {
    flag: '--max-body <bytes>',
    kind: 'whole',
    about: 'longest body of a request',
    fallback: '1048576',
  },
  bodyTimeoutMs: {
    flag: '--body-timeout <seconds>',
    kind: 'wait',
    about: 'how long a body may take to arrive',
    fallback: '10',
  },
  requestTimeoutMs: {
    flag: '--timeout <seconds>',
    kind: 'wait',
    about: 'how long a request waits for an answer',
    fallback: '30',
  },
  heartbeatMs: {
    flag: '--heartbeat <seconds>',
    kind: 'wait',
    about: 'how often a silent stream shows that it is alive',
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
    about: 'how long it keeps serving after /ready answers 503, so that a load balancer notices',
    fallback: '0',
  },
  drainMs: {
    flag: '--drain <seconds>',
    kind: 'seconds',
    about: 'how long running steps may take to end when the server stops',
    fallback: '10',
  },
  requesterDecides: {
    flag: '--requester-decides',
    kind: 'yes',
    about: 'let whoever started a run approve what it wants to do',
    fallback: 'false',
  },
  inputScan: {
    flag: '--input-scan <level>',
    kind: INPUT_SCANS,
    about: 'how readily an input that looks like a prompt injection is refused: off, lenient, usual or strict',
    fallback: 'usual',
  },
  publicCard: {
    flag: '--public-card',
    kind: 'yes',
    about: 'show the agent card to anybody',
    fallback: 'false',
  },
  studio: { flag: '--no-studio', kind: 'yes', about: 'with the studio; the flag leaves it out', fallback: 'true' },
  mcp: { flag: '--no-mcp', kind: 'yes', about: 'with the MCP endpoint; the flag leaves it out', fallback: 'true' },
  evals: {
    flag: '--evals <folder>',
    kind: 'folder',
    about: 'results of evaluations, shown in the studio',
    fallback: '.flyball/evals',
  },
  triggers: { flag: '--triggers <file>', kind: 'file', about: 'cron and webhook triggers, in YAML' },
  logLevel: {
    flag: '--log-level <level>',
    kind: LOG_LEVELS,
    about: 'from which level on it logs: debug, info, warn or error',
    fallback: 'info',
  },
  db: { flag: '--db <file>', kind: 'text', about: 'database of the runs', fallback: '.flyball/flyball.db' },
  jwtPublicKey: { kind: 'file', about: 'accepts JWTs by RS256: a file with the public key in PEM' },
  jwks: { kind: 'keys', about: 'accepts JWTs by the keys at this address or in this file' },
  jwtIssuer: { kind: 'text', about: 'the issuer that a JWT has to name' },
  jwtAudience: { kind: 'text', about: 'the audience that a JWT has to name' },
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
