export { type AgentSkills, type SkillUse, withSkills } from './agent-skills.js';
export type {
  Access,
  AgentSpec,
  AutonomyLevel,
  Dependency,
  Field,
  Fields,
  FieldType,
  Ownership,
} from './agent-spec.js';
export { type Bindings, bindAgent } from './bind-agent.js';
export { checkAgentSpec } from './check-agent-spec.js';
export { conversation, MESSAGE, plainConversation, SAID_SCHEMA, type Said } from './conversation.js';
export {
  type AgentDefinition,
  type AgentFittings,
  type DefinedAgent,
  defineAgent,
  type Variable,
} from './define-agent.js';
export { baseline } from './policies/baseline.js';
export type {
  CallResult,
  ConversationPolicy,
  HeardOrMade,
  HeardTurn,
  Move,
  MoveNote,
  Setting,
  Speaker,
} from './policies/conversation-policy.js';
export { declarative } from './policies/declarative.js';
export { judge } from './policies/gate.js';
export type {
  Belongings,
  GateRules,
  IdentityRule,
  OrderRule,
  RecoveryRule,
  RequiredTools,
  ValueKind,
  Wrapper,
} from './policies/gate-rules.js';
export { type CallOf, gatedRun, gateSeams } from './policies/gated-run.js';
export { type GovernedParts, governed } from './policies/governed.js';
export { type ImperativeSpeaker, imperative } from './policies/imperative.js';
export {
  type Machine,
  PHASES,
  type Phase,
  type ResponseType,
  type RetryPolicy,
  type Transition,
} from './policies/machine.js';
export type { MachineState } from './policies/machine-state.js';
export {
  conversationPolicy,
  type PolicyBook,
  type PolicyMaker,
  type PolicyParts,
  policyBook,
} from './policies/policies.js';
export type { GateRule, Refusal } from './policies/refusal.js';
export { DEFAULT_INSTRUCTIONS, setupText } from './policies/setup-text.js';
export { type PromptSkill, skillsBlock } from './policies/skills-block.js';
export { type Talked, type TalkParts, talk } from './policies/talk.js';
export { orderTasks, type PrecedenceRule } from './policies/task-order.js';
export { type Evidence, type Happening, Witness } from './policies/witness.js';
export type { AgentResult } from './single-shot.js';
export type { SpecPath, SpecSource } from './spec-reader.js';
export { systemPrompt } from './system-prompt.js';
export {
  type AgentRegistry,
  agentRegistry,
  joinedRegistry,
  type OpenRegistry,
  type Registered,
} from './workflows/agent-registry.js';
export type { InvocationMode, InvokeOptions } from './workflows/invocation.js';
export { type AnswerOf, invokeAgent } from './workflows/invoke-agent.js';
export type { DryAct, DryInvoked, DryRunReport, Invoked } from './workflows/invoked.js';
export {
  type Workflow,
  type WorkflowBody,
  type WorkflowDefinition,
  type WorkflowParts,
  workflow,
} from './workflows/workflow.js';
export { WORKFLOW, type WorkflowMark, workflowMark } from './workflows/workflow-mark.js';
