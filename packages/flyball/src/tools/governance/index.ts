export { joinSeams } from '../../core/join-seams.js';
export { AUTONOMY_LEVELS, type AutonomyLevel, type LevelOf } from './autonomy-level.js';
export { autonomySeams, type GovernanceOptions, governance } from './governance.js';
export { canaryGuard } from './guards/canary-guard.js';
export { cardNumbersGuard } from './guards/card-numbers-guard.js';
export type {
  GuardAt,
  GuardedCall,
  GuardedResponse,
  GuardPoint,
  GuardResult,
  GuardSlots,
  InputGuard,
  OutputGuard,
  PreCallGuard,
  ResponseGuard,
} from './guards/guard-points.js';
export { guardrails } from './guards/guardrails.js';
export { secretsGuard } from './guards/secrets-guard.js';
export { sizeGuard } from './guards/size-guard.js';
export { evaluatePolicy } from './policy/evaluate-policy.js';
export { parsePolicy } from './policy/parse-policy.js';
export type { Policy, PolicyAction, PolicyDecision, PolicyRule, Waiver } from './policy/policy.js';
export type { PolicySource } from './policy/policy-check.js';
export { DEFAULT_RATE_LIMIT, type RateLimit } from './rate-limit.js';
export { EXECUTE_SCOPE, type ScopesOf } from './scopes.js';
export type { Finding, InjectionDetector, Suspect } from './shield/detector.js';
export { INJECTION_DETECTORS } from './shield/detectors.js';
export { injectionShield, type ShieldOptions } from './shield/injection-shield.js';
export { type Screening, screenText } from './shield/screen-text.js';
export type { Spotlight } from './shield/spotlight.js';
export { auditTrifecta, TRIFECTA_LEGS, type TrifectaAudit } from './trifecta.js';
