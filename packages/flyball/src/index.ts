export { memoryEngine } from './adapters/engine-memory/memory-engine.js';
export { memoryStore } from './adapters/engine-memory/memory-store.js';
export { nodeHost } from './adapters/host-node/node-host.js';
export { systemClock } from './adapters/host-node/system-clock.js';
export type { ActFate, ActRecord, Acts } from './core/act-record.js';
export type { Agents, AnyAgent, InputOf, OutputOf, VersionedAgent } from './core/agent-types.js';
export type {
  ApprovalRequest,
  ApprovalRules,
  Decision,
  EscalationLevel,
  Review,
  Risk,
  Verdict,
} from './core/approval.js';
export { type Asked, askUntil, MOST_REASKS, type Read, type Refused } from './core/ask-until.js';
export type { Board, Posted } from './core/board.js';
export {
  type Amounts,
  type Axis,
  type Budget,
  type BudgetSlice,
  type BudgetView,
  budget,
  type CountedAxis,
} from './core/budget.js';
export type { ChildSlice } from './core/child-slice.js';
export type { EffectKind } from './core/effect-kind.js';
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
export type { EffectId, Entry, EventOf, EventType, Owner, RunEvent } from './core/events.js';
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
export { isNote, type Note, type NoteKind, type NoteKinds } from './core/notes.js';
export {
  blocked,
  degraded,
  done,
  type EndDetails,
  failed,
  isTerminal,
  type NotDone,
  type Outcome,
  type Reasoned,
  type RollbackEntry,
  type RollbackReport,
  type Stop,
  type Usage,
  type Waiting,
  withoutValue,
} from './core/outcome.js';
export { costOf, PRICES, type PriceTable, priceOf, withPrices } from './core/prices.js';
export {
  append,
  type Band,
  linksOf,
  messagesOf,
  type NewSegment,
  type Prompt,
  type Segment,
  sharedPrefix,
  type Trust,
} from './core/prompt.js';
export type { Claim, Proofs, WhenUnproven } from './core/proofs.js';
export type { Question, QuestionRequest, Widget } from './core/question.js';
export type { Reason, ReasonCode, Reasons } from './core/reason.js';
export type {
  Agent,
  AgentLike,
  Arrived,
  DomainEvent,
  Entered,
  Heard,
  Instant,
  MadeCall,
  Run,
  RunId,
  Settled,
  SignalSpec,
} from './core/run.js';
export type { Instruction, RunState } from './core/run-state.js';
export type { JsonSchema, StandardSchema } from './core/schema.js';
export type {
  ActionGuard,
  GuardContext,
  Middleware,
  Observed,
  SeamContext,
  SeamMiddleware,
  SeamName,
  SeamStep,
  Seams,
  ToolSeams,
  ToolVerdict,
} from './core/seams.js';
export type { Input, Reply, Session } from './core/session.js';
export type { JournaledEvent, Position, ReplyEvent, StreamedEvent } from './core/streamed-event.js';
export {
  type ArgsFor,
  type Changed,
  changed,
  type DelegateAgent,
  type Delegation,
  type EffectClass,
  type EffectContext,
  type EffectRules,
  type Tool,
  type ToolRef,
  type ToolResult,
  type Verification,
} from './core/tool.js';
export type {
  Artefact,
  Defect,
  DimensionName,
  Evidence,
  EvidenceBundle,
  ExecutionOutputs,
  Location,
  RepairHint,
  RootCause,
  TaskSpec,
} from './core/work.js';
export type { CreateModels, ModelConfig, ModelsConfig, ModelsDescription, RoleDescription } from './create-models.js';
export { type CreateRuntime, createRuntime } from './create-runtime.js';
export { createModels, createToolbox, describeModels } from './on-demand.js';
export type { CreateToolbox, Toolbox } from './open-toolbox.js';
export type { Clock } from './ports/clock.js';
export type { CodeJob, CodeResult, CodeSandbox } from './ports/code-sandbox.js';
export type { Dispatcher } from './ports/dispatcher.js';
export type { Embedder } from './ports/embedder.js';
export type { Engine, RunFilter, RunPage, RunRecord, RunStatus } from './ports/engine.js';
export type { Host } from './ports/host.js';
export type { Retriever } from './ports/retriever.js';
export type { Sandbox, SandboxDescription, SandboxJob, SandboxResult } from './ports/sandbox.js';
export type { RecordKey, Store, StorePage, StoreQuery, StoreRecord } from './ports/store.js';
export type { Telemetry } from './ports/telemetry.js';
export { governedStore } from './runtime/governed-store.js';
export type { JournalPart } from './runtime/load.js';
export type { RuntimeOptions } from './runtime/options.js';
export type { EventsOptions } from './runtime/run-events.js';
export type { ForkOptions, Receipt, Rested, RunHandle, Runtime, Sending, StartOptions } from './runtime/runtime.js';
