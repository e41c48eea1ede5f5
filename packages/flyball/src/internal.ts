/** What the other packages of this project use and nobody else should: it changes with any release. */
export { readYaml } from './adapters/definitions/yaml-source.js';
export { nodeSqlite } from './adapters/engine-sqlite/node-sqlite-driver.js';
export { jsonSchemaCheck } from './adapters/schema-json/json-schema-check.js';
export { answerIn, CONVERSES } from './agents/conversation.js';
export { checkedInputs, schemaOfFields } from './agents/fields.js';
export type { CallResult, HeardOrMade, MoveNote } from './agents/policies/conversation-policy.js';
export { PHASES, type Phase } from './agents/policies/machine.js';
export { setupText } from './agents/policies/setup-text.js';
export { type Read, type SpecPath, SpecReader } from './agents/spec-reader.js';
export type { Registered } from './agents/workflows/agent-registry.js';
export { workflowMark } from './agents/workflows/workflow-mark.js';
export { answered, sideBySide } from './checks/answered.js';
export type { CalibrationBounds } from './checks/calibrate.js';
export type { Scores } from './checks/contracts.js';
export { labelled, prompt } from './checks/material.js';
export { askForm, checkChecker, exactly, type ReplyForm, replyForm, TEXT, UNIT } from './checks/reply-form.js';
export { aggregate, checkRubric, failedDimensions, rubricHash, rubricText } from './checks/rubric.js';
export {
  type Calibration,
  type DimensionScore,
  JUDGE_INSTRUCTIONS,
  type JudgeParts,
  originOf,
  type ScoredVerdict,
  type VerdictOrigin,
} from './checks/verdict.js';
export { type AgentModule, loadAgentModule } from './cli/agent-module.js';
export { duration, plural, shorten } from './cli/amounts.js';
export {
  type Call,
  type CommonOptions,
  type MakeCommand,
  newCommand,
  type Perform,
  plainCommand,
} from './cli/command.js';
export { quoted } from './cli/command-line.js';
export { isThere, openDatabase } from './cli/database.js';
export { type OpenDispatcher, openDispatcher } from './cli/dispatcher.js';
export { EXIT, type ExitCode } from './cli/exit-codes.js';
export { importAgent } from './cli/import-agent.js';
export { lengthOfTime } from './cli/length-of-time.js';
export { makeFolder } from './cli/make-folder.js';
export { USUAL_AGENT_FILES } from './cli/own-code.js';
export { filesOf, placeOf, whoAmI } from './cli/place.js';
export { printable, printableLines } from './cli/printable.js';
export type { Screen } from './cli/screen.js';
export { handleUncaught, handleUncaughtOf } from './cli/uncaught.js';
export { versionOf } from './cli/version.js';
export { modelFor } from './cli/yaml-model.js';
export { useFrom } from './core/about.js';
export { type BareAct, bareActs } from './core/act-record.js';
export { ActsFold } from './core/acts.js';
export type { VersionedAgent } from './core/agent-types.js';
export { LONGEST_ANNOUNCEMENT_MS } from './core/announcement.js';
export { comparableName, samePerson, VERDICT_JSON_SCHEMA, verdictProblem, withRecommended } from './core/approval.js';
export { ANONYMOUS } from './core/approval-rules.js';
export { isBlank } from './core/blank.js';
export { AXES, checkSlice } from './core/budget.js';
export { passOver } from './core/by-kind.js';
export { canonicalJson, sha256 } from './core/canonical.js';
export { damagedRecord, refuseDamaged } from './core/damaged-record.js';
export {
  claimerGone,
  cursorUnknown,
  entryDamaged,
  isRunDamage,
  notEnded,
  recordDamaged,
  refuseChanged,
  runExists,
} from './core/engine-errors.js';
export { failureOf } from './core/errors.js';
export type {
  ActKind,
  AskKind,
  ChildKind,
  ControlKind,
  LifeKind,
  PatternKind,
  RollbackKind,
  WaitKind,
} from './core/event-kinds.js';
export type { EffectId } from './core/events.js';
export { lastGeneration } from './core/fork-points.js';
export { isPassingStatus } from './core/http-answer.js';
export { inertJson } from './core/inert-json.js';
export { through } from './core/join-seams.js';
export { refuseUnknownOptions } from './core/known-options.js';
export { bodyAtMost } from './core/limited-body.js';
export { overdueCursor, overduePlace } from './core/overdue-place.js';
export { parsedUrl } from './core/parsed-url.js';
export { bytesOf, hashOf, isMediaPart, isParts, isSoundMedia, mediaIn, textOf } from './core/parts.js';
export { PRICES, priceOf } from './core/prices.js';
export { linksOf, type NewSegment, sharedPrefix } from './core/prompt.js';
export { check } from './core/schema.js';
export { serviceAddress } from './core/service-address.js';
export { inTurns } from './core/turns.js';
export { described } from './core/use.js';
export { isAsked, WaitIndex, waitChange } from './core/waits.js';
export type { DimensionName } from './core/work.js';
export { DEFAULT_CONFIG } from './loops/tool-loop/config.js';
export { isModelName } from './models/model-name.js';
export { KEPT_ANSWERS } from './operation/kept-answers.js';
export { declareOwnerGone, knownOwners } from './operation/owners.js';
export {
  type HeldRun,
  type WaitingLine,
  type WorkCount,
  type WorkingProcess,
  type WorkState,
  workCount,
  workState,
} from './operation/work-state.js';
export type { InboxFilter } from './people/request-shelf.js';
export type { PersonDecision } from './people/requests.js';
export type { AnnouncedWorker, OverdueQuery, QueueLine, RunCounts, StorageSize } from './ports/engine.js';
export { outOfOrder } from './ports/out-of-order.js';
export type { Captured, SandboxEnd } from './ports/sandbox.js';
export type { Workspace, WorkspaceMaker } from './ports/workspace.js';
export type { TitledDocument } from './retrieval/hybrid.js';
export { identifiersIn } from './retrieval/identifiers.js';
export { bestOf } from './retrieval/ranked.js';
export { hasNoWords, WHITESPACE } from './retrieval/whitespace-words.js';
export { openRuntime } from './runtime/open-runtime.js';
export type { RuntimeParts } from './runtime/options.js';
export type { ForkOptions, Sending } from './runtime/runtime.js';
export type { ToolSource } from './tools/execute-validated.js';
export { AUTONOMY_LEVELS } from './tools/governance/autonomy-level.js';
export { autonomySeams } from './tools/governance/governance.js';
export { jsonWithoutSecrets, redactSecrets, secretForms } from './tools/governance/guards/secret-shapes.js';
export { mapStrings, stringsIn } from './tools/governance/guards/strings-in.js';
export { effectKind } from './tools/governance/proposed-call.js';
export { INJECTION_DETECTORS } from './tools/governance/shield/detectors.js';
export { sanitized, screenText, screenTexts } from './tools/governance/shield/screen-text.js';
export { nearestNames } from './tools/nearest-names.js';
export type { ToolEntry } from './tools/registry.js';
export { classifyAddress } from './tools/rules/addresses.js';
export { toolSpecOf } from './tools/tool-spec.js';
export { answerText } from './views/answer.js';
export { askedIn } from './views/asked.js';
export { commitCoursesOf } from './views/commit-course.js';
export { baseOf, scopeOf } from './views/paths.js';
export { PhaseFold } from './views/phases.js';
export { BLANK, Privacy } from './views/privacy.js';
export { type AxisUse, useOf } from './views/summary.js';
export { UsageFold } from './views/usage.js';
export { blankPrivate } from './views/without-private.js';
