export type { AgentGroup } from 'flyball/command';
export type { ApiKey, ApiKeys, NewKey } from './access/api-keys.js';
export type { JwtOptions } from './access/jwt.js';
export type { JwtKey } from './access/jwt-key.js';
export { type Limits, type Principal, SCOPES, type Scope } from './access/principal.js';
export { apiKeys } from './access/stored-keys.js';
export type { AgentDirectory } from './agents/agent-directory.js';
export type { Fleet } from './agents/fleet.js';
export { INPUT_SCANS, type InputScan, injectionGuard } from './agents/input-guard.js';
export type { Mode, ServedAgent } from './agents/served-agent.js';
export { agentCard, type CardMeta, type PublishedAgent } from './card/agent-card.js';
export type { AgentCardDocument, CardInterface, CardSkill, SkillSchemas } from './card/card.js';
export { type CardRefusal, discover, type Need, type RefusalCode, type VerifiedCard } from './card/discover.js';
export type { FetchOptions } from './card/fetch-card.js';
export { openApi } from './contract/open-api.js';
export type { AgentCard, RunCard } from './contract/resources.js';
export type { Route } from './contract/route.js';
export { atLevel, jsonLog, LOG_LEVELS, type Log, type LogLevel, SILENT } from './log.js';
export {
  type OnlineWatch,
  type OnlineWatchParts,
  type OnlineWatchState,
  watchRuns,
} from './online/online-watch.js';
export type { Parts } from './parts.js';
export { Problem, type ProblemCode } from './problem.js';
export { type FlyballServer, openServer, type ServerOptions } from './server.js';
export { DEFAULT_SETTINGS, type ServerSettings } from './settings.js';
export { openTriggers, type Triggers } from './triggers/open-triggers.js';
export { signature } from './triggers/signature.js';
export {
  type CronTrigger,
  cronTrigger,
  type Trigger,
  type WebhookMap,
  type WebhookTrigger,
  webhookTrigger,
} from './triggers/trigger.js';
export type { TriggeredStart, TriggerParts, TriggerState } from './triggers/trigger-parts.js';
export { triggersFromFile } from './triggers/triggers-file.js';
