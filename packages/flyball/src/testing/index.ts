export { callFormula, duplicates, eachEffectOnce, neverReached, sharedPrefixOf } from './assertions.js';
export { type AutoClock, type AutoClockOptions, autoClock } from './auto-clock.js';
export { type AppendGroup, type BatchCrashingEngine, batchCrash } from './batch-crash.js';
export { type Conformance, type ConformanceOptions, conformance } from './conformance/conformance.js';
export { embedderContract } from './contracts/embedder-contract.js';
export type { OpenEngine } from './contracts/engine-fixture.js';
export { modelContract } from './contracts/model-contract.js';
export type { Inexpressible, ModelUnderTest } from './contracts/model-fixture.js';
export { type RetrieverUnderTest, retrieverContract } from './contracts/retriever-contract.js';
export type { OpenStore } from './contracts/store-records.js';
export type { ContractSuite } from './contracts/suite.js';
export {
  type CrashingEngine,
  type CrashPlan,
  type CrashPoint,
  crashingEngine,
  type WriteOperation,
} from './crash-points.js';
export { type Ledger, type LedgerLine, ledger } from './effect-ledger.js';
export { engineContract } from './engine-contract.js';
export { type ForeignAwait, type ForeignAwaitReport, findForeignAwaits } from './foreign-awaits.js';
export { type LedgerClient, ledgerClient } from './ledger-client.js';
export { type LedgerServer, type LedgerServerOptions, ledgerServer } from './ledger-server.js';
export { type ModelServer, type ModelServerOptions, modelServer } from './model-server/model-server.js';
export type {
  Misbehaviour,
  ServerReply,
  ServerReplyFunction,
  ServerReplyParts,
  ServerScript,
  ServerScriptEntry,
} from './model-server/server-script.js';
export type { ServedRequest, WireFormat, WireRefusal } from './model-server/wire.js';
export type { Mortal } from './mortal.js';
export { type RecordedModel, type RecordedModelOptions, recordedModel } from './recorded-model.js';
export {
  assertSame,
  type Difference,
  type ExerciseOptions,
  type ExerciseReport,
  exercise,
} from './scenarios/exercise.js';
export type { Outside } from './scenarios/outside.js';
export type { LifeParts, PersonAnswer, Scenario } from './scenarios/scenario.js';
export type { ReplyFunction, ReplyParts, Script, ScriptEntry, ScriptedReply } from './script.js';
export { type ScriptedModel, type ScriptedModelOptions, scriptedModel } from './scripted-model.js';
export { type SeededRandom, seededRandom } from './seeded-random.js';
export { storeContract } from './store-contract.js';
export { testHost } from './test-host.js';
export { estimateTokens } from './token-estimate.js';
export { turns } from './turns.js';
export { VIRTUAL_START, type VirtualClock, virtualClock } from './virtual-clock.js';
