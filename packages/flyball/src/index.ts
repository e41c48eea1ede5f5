export { memoryEngine } from './adapters/engine-memory/memory-engine.js';
export { memoryStore } from './adapters/engine-memory/memory-store.js';
export { nodeHost } from './adapters/host-node/node-host.js';
export { systemClock } from './adapters/host-node/system-clock.js';
export type { Agents, AnyAgent } from './core/agent-types.js';
export type { ApprovalRequest, ApprovalRules, Decision, Verdict } from './core/approval.js';
export { askUntil, type Read } from './core/ask-until.js';
export type { Board } from './core/board.js';
export { type Amounts, type Budget, type BudgetView, budget } from './core/budget.js';
export {
  BoundReachedError,
  CancelledError,
  ConfigError,
  EffectError,
  type ErrorCode,
  type Failure,
  FlyballError,
  JournalConflictError,
  ReplayDivergedError,
} from './core/errors.js';
export type { Entry, EventOf, EventType, RunEvent } from './core/events.js';
export type { Framing } from './core/framing.js';
export type { Mark } from './core/mark.js';
export type {
  FinishReason,
  Message,
  Model,
  ModelCallContext,
  ModelCapabilities,
  ModelDelta,
  ModelReply,
  ModelRequest,
  Price,
  Sampling,
  TokenUsage,
  ToolCall,
  ToolChoice,
  ToolSpec,
} from './core/model.js';
export { isNote, type Note, type NoteKinds } from './core/notes.js';
export type { RunRef } from './core/other-runs.js';
export {
  blocked,
  degraded,
  done,
  failed,
  isTerminal,
  type Outcome,
  type Stop,
  type Usage,
  type Waiting,
  withoutValue,
} from './core/outcome.js';
export type { MediaPart, MessagePart } from './core/parts.js';
export { append, messagesOf, type Prompt } from './core/prompt.js';
export type { Reason, Reasons } from './core/reason.js';
export type { Agent, Arrived, DomainEvent, Run, Settled, SignalSpec } from './core/run.js';
export type { JsonSchema, StandardSchema } from './core/schema.js';
export type {
  ActionGuard,
  GuardContext,
  Middleware,
  SeamContext,
  SeamMiddleware,
  Seams,
  ToolSeams,
  ToolVerdict,
} from './core/seams.js';
export type { Input, Reply, Session } from './core/session.js';
export type { StreamedEvent } from './core/streamed-event.js';
export {
  type Changed,
  changed,
  type EffectClass,
  type EffectContext,
  type EffectRules,
  type Tool,
  type ToolRef,
  type ToolResult,
  type Verification,
} from './core/tool.js';
export type { Artefact, Defect, Evidence, EvidenceBundle, ExecutionOutputs, TaskSpec } from './core/work.js';
export type { ModelsConfig } from './create-models.js';
export { createRuntime } from './create-runtime.js';
export { createModels, createToolbox, describeModels } from './on-demand.js';
export type { Toolbox } from './open-toolbox.js';
export type { Clock } from './ports/clock.js';
export type { CodeJob, CodeResult, CodeSandbox } from './ports/code-sandbox.js';
export type { Dispatcher, Driver } from './ports/dispatcher.js';
export type { Embedder } from './ports/embedder.js';
export type { Engine, RunRecord, RunStatus } from './ports/engine.js';
export type { Host } from './ports/host.js';
export type { Retriever } from './ports/retriever.js';
export type { Sandbox, SandboxDescription, SandboxJob, SandboxResult } from './ports/sandbox.js';
export type { RecordKey, Store, StorePage, StoreQuery, StoreRecord } from './ports/store.js';
export type { Telemetry } from './ports/telemetry.js';
export { governedStore } from './runtime/governed-store.js';
export type { RuntimeOptions } from './runtime/options.js';
export type { RunHandle, Runtime } from './runtime/runtime.js';
