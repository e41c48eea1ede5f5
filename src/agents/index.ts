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
export { type AgentDefinition, type AgentFittings, type DefinedAgent, defineAgent } from './define-agent.js';
export type { AgentResult } from './single-shot.js';
export type { SpecPath, SpecSource } from './spec-reader.js';
export { systemPrompt } from './system-prompt.js';
