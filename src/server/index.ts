export type { ApiKey, ApiKeys, NewKey } from './access/api-keys.js';
export type { JwtOptions } from './access/jwt.js';
export type { JwtKey } from './access/jwt-keys.js';
export { type Limits, type Principal, SCOPES, type Scope } from './access/principal.js';
export { apiKeys } from './access/stored-keys.js';
export type { AgentDirectory } from './agents/agent-directory.js';
export type { AgentGroup } from './agents/agent-group.js';
export type { Fleet } from './agents/fleet.js';
export { injectionGuard } from './agents/input-guard.js';
export type { Mode, ServedAgent } from './agents/served-agent.js';
export { openApi } from './contract/open-api.js';
export type { AgentCard, RunCard } from './contract/resources.js';
export type { Route } from './contract/route.js';
export { jsonLog, type Log, SILENT } from './log.js';
export type { Parts } from './parts.js';
export { Problem, type ProblemCode } from './problem.js';
export { type FlyballServer, openServer, type ServerOptions } from './server.js';
export { DEFAULT_SETTINGS, type ServerSettings } from './settings.js';
export {
  type CronTrigger,
  cronTrigger,
  type Trigger,
  type WebhookTrigger,
  webhookTrigger,
} from './triggers/trigger.js';
