export type { AutonomyBudget } from './autonomy/autonomy-budget.js';
export { type AutonomyProfile, autonomyBudget, autonomyProfile } from './autonomy/index.js';
export { tool, toolFrom } from './define-tool.js';
export { delegateTo, delegateTool, transferTool } from './delegate-tools.js';
export { executeValidated } from './execute-validated.js';
export type { GuardAt } from './governance/guards/guard-points.js';
export {
  type AutonomyLevel,
  auditTrifecta,
  canaryGuard,
  cardNumbersGuard,
  type GovernanceOptions,
  governance,
  guardrails,
  type InjectionDetector,
  type InputGuard,
  injectionShield,
  joinSeams,
  type OutputGuard,
  type Policy,
  type PreCallGuard,
  parsePolicy,
  type ResponseGuard,
  secretsGuard,
  sizeGuard,
} from './governance/index.js';
export { jsonSchemaStandard } from './json-schema-standard.js';
export { lintTools } from './lint-tools.js';
export { loadTools } from './load-tools.js';
export { measureTools } from './measure-tools.js';
export { type ToolRegistry, toolRegistry } from './registry.js';
export { type CommandRules, checkCommand } from './rules/commands.js';
export { readOnlyCommands } from './rules/commands-read-only.js';
export { checkUrl, type DomainRules, domainRules } from './rules/domains.js';
export { checkPath, type PathRules, pathRules } from './rules/paths.js';
export { selectTools } from './select-tools.js';
export { type ToolBudget, toolBudget } from './tool-budget.js';
export { toolBudgetSeam } from './tool-budget-seam.js';
export type { DefinedTool, ToolDefinition } from './tool-definition.js';
export { toolUse } from './tool-use.js';
export { type Toolset, toolset } from './toolset.js';
