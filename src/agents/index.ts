export type { AgentSpec, AutonomyLevel, Dependency, Field, Ownership } from './agent-spec.js';
export { type AgentDefinition, type AgentResult, type DefinedAgent, defineAgent } from './define-agent.js';
export { systemPrompt } from './system-prompt.js';
