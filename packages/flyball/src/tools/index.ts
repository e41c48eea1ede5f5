export {
  type AutonomyBudget,
  type AutonomyLimits,
  type AutonomyProfile,
  type AutonomySettings,
  autonomyBudget,
  autonomyProfile,
  DEFAULT_AUTONOMY,
  ENFORCEMENT_POINTS,
  type EnforcementMode,
  type EnforcementPoint,
  type EnforcementResult,
  enforce,
  evaluateStopConditions,
  type Facts,
  type StopCondition,
  type StopReason,
  type StopState,
} from './autonomy/index.js';
export { tool, toolFrom } from './define-tool.js';
export {
  type DelegateDefinition,
  type DelegateMore,
  delegateTo,
  delegateTool,
  type TransferDefinition,
  transferTool,
} from './delegate-tools.js';
export type { ToolMetadata } from './described-tool.js';
export { executeValidated, type ToolSource } from './execute-validated.js';
export {
  AUTONOMY_LEVELS,
  type AutonomyLevel,
  auditTrifecta,
  autonomySeams,
  canaryGuard,
  cardNumbersGuard,
  DEFAULT_RATE_LIMIT,
  EXECUTE_SCOPE,
  evaluatePolicy,
  type Finding,
  type GovernanceOptions,
  type GuardAt,
  type GuardedCall,
  type GuardPoint,
  type GuardResult,
  type GuardSlots,
  governance,
  guardrails,
  INJECTION_DETECTORS,
  type InjectionDetector,
  type InputGuard,
  injectionShield,
  joinSeams,
  type LevelOf,
  type OutputGuard,
  type Policy,
  type PolicyAction,
  type PolicyDecision,
  type PolicyRule,
  type PolicySource,
  type PreCallGuard,
  parsePolicy,
  type RateLimit,
  type ResponseGuard,
  type ScopesOf,
  type Screening,
  type ShieldOptions,
  type Spotlight,
  type Suspect,
  screenText,
  secretsGuard,
  sizeGuard,
  TRIFECTA_LEGS,
  type TrifectaAudit,
  type Waiver,
} from './governance/index.js';
export { jsonSchemaStandard } from './json-schema-standard.js';
export { lintTools, type ToolWarning } from './lint-tools.js';
export { type LoadedTools, type LoadOptions, loadTools } from './load-tools.js';
export {
  type CountText,
  estimateTextTokens,
  type MeasuredTool,
  type MeasuredTools,
  measureTools,
} from './measure-tools.js';
export { type ToolEntry, type ToolOrigin, type ToolRegistry, toolRegistry } from './registry.js';
export { type Arguments, type Refusal, type ResolvedCall, resolveCall } from './resolve-call.js';
export {
  type CommandRules,
  type CommandVerdict,
  checkCommand,
  judgeCommand,
  type ProgramRule,
} from './rules/commands.js';
export { SHELL_FEATURES, type ShellFeature } from './rules/commands-features.js';
export { readOnlyCommands } from './rules/commands-read-only.js';
export { checkUrl, type DomainRuleOptions, type DomainRules, domainRules } from './rules/domains.js';
export { checkPath, type PathRoot, type PathRuleOptions, type PathRules, pathRules } from './rules/paths.js';
export type { RuleVerdict } from './rules/rule-verdict.js';
export { type RankedTool, selectTools } from './select-tools.js';
export { type Admission, admitTools, type ToolBudget, toolBudget } from './tool-budget.js';
export { type ToolBudgetSeamOptions, toolBudgetSeam } from './tool-budget-seam.js';
export type {
  ArgsOf,
  DefinedTool,
  EffectPart,
  LooseDefinition,
  ToolDefinition,
  ToolInput,
  ToolParts,
} from './tool-definition.js';
export { toolSpecOf } from './tool-spec.js';
export { type ToolUse, toolUse } from './tool-use.js';
export { type ToolSelection, type Toolset, toolset } from './toolset.js';
