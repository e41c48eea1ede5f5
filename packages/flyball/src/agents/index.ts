export { type SkillUse, withSkills } from './agent-skills.js';
export type { AgentSpec } from './agent-spec.js';
export { type Bindings, bindAgent } from './bind-agent.js';
export { checkAgentSpec } from './check-agent-spec.js';
export { conversation, MESSAGE, plainConversation } from './conversation.js';
export { type AgentDefinition, type DefinedAgent, defineAgent } from './define-agent.js';
export { baseline } from './policies/baseline.js';
export type { ConversationPolicy, HeardTurn, Move, Speaker } from './policies/conversation-policy.js';
export { declarative } from './policies/declarative.js';
export type { GateRules } from './policies/gate-rules.js';
export { gatedRun, gateSeams } from './policies/gated-run.js';
export { governed } from './policies/governed.js';
export { imperative } from './policies/imperative.js';
export type { Machine } from './policies/machine.js';
export {
  conversationPolicy,
  type PolicyBook,
  type PolicyMaker,
  type PolicyParts,
  policyBook,
} from './policies/policies.js';
export { type Talked, talk } from './policies/talk.js';
export { Witness } from './policies/witness.js';
export type { AgentResult } from './single-shot.js';
export { type AgentRegistry, agentRegistry, type OpenRegistry } from './workflows/agent-registry.js';
export { type AnswerOf, invokeAgent } from './workflows/invoke-agent.js';
export type { DryRunReport, Invoked } from './workflows/invoked.js';
export { type Workflow, type WorkflowDefinition, workflow } from './workflows/workflow.js';
