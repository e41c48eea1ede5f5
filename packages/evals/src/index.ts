export { domainNames, domainSource } from './domains/domain-registry.js';
export { deskModel } from './domains/energy-desk/desk-model.js';
export { scriptedCustomer, scriptedCustomerSide, scriptedCustomers } from './domains/energy-desk/scripted-customer.js';
export { type DeskReply, type DeskRequest, scriptedDesk } from './domains/energy-desk/scripted-desk.js';
export type {
  Checkpoint,
  Condition as ExperimentCondition,
  ExperimentOptions,
  ExperimentReport,
  Progress,
  SideMaker,
  SideSetting,
} from './experiment/experiment.js';
export { runExperiment } from './experiment/run-experiment.js';
export {
  goldAgentSide,
  goldUserSide,
  type ModelSide,
  modelUser,
  policyAgent,
  scriptedUser,
  silentAgentSide,
} from './experiment/sides.js';
export { partialActionReward } from './grading/action-checks.js';
export { type Grade, type GradeOptions, gradeSimulation } from './grading/grade.js';
export { matchesAction } from './grading/match-action.js';
export { modelJudge, NL_JUDGE_PROMPT } from './grading/model-judge.js';
export { type RegradeOptions, regradeResults } from './grading/regrade.js';
export type { ActionCheck, NlJudge, RewardInfo } from './grading/reward.js';
export { type Agreement, agreementOf, type RatedPair, spearman } from './judging/agreement.js';
export {
  BIAS_KINDS,
  type BiasFinding,
  type BiasKind,
  type BiasProbe,
  type BiasReport,
  biasReport,
} from './judging/bias-probes.js';
export { checkPin, type JudgePin, type JudgeReport, judgeReport } from './judging/judge-report.js';
export { type Trajectory, type TrajectorySpan, trajectoryHash, trajectoryOf } from './judging/trajectory.js';
export {
  type JudgedConversation,
  type TrajectoryJudge,
  type TrajectoryJudgeParts,
  trajectoryJudge,
} from './judging/trajectory-judge.js';
export { JUDGE_LIMITS, TRAJECTORY_RUBRIC } from './judging/trajectory-rubric.js';
export type { TrajectoryVerdict, Violation } from './judging/trajectory-verdict.js';
export { type AccuracyFacts, accuracyOf, type Share } from './metrics/accuracy.js';
export { bootstrapMean, type Interval } from './metrics/bootstrap.js';
export { type ComplianceFacts, complianceOf } from './metrics/compliance.js';
export { type Condition, conditionOf, type DomainFacts } from './metrics/condition.js';
export { type CostFacts, costOf } from './metrics/cost.js';
export { factsOf, type SimulationFacts } from './metrics/facts.js';
export { FIGURES, type Figure, type FigureName, type Mean } from './metrics/figures.js';
export { comparePaired, type PairedComparison } from './metrics/paired.js';
export { isSuccessful, passHatK } from './metrics/pass-hat-k.js';
export { type ReferenceMetrics, referenceMetrics } from './metrics/reference-metrics.js';
export { type ResearchVerdict, researchVerdicts } from './metrics/research-questions.js';
export { type Summary, summaryOf } from './metrics/summary.js';
export { trialSeeds } from './metrics/trial-seeds.js';
export { type CalibrationCase, type CalibrationSet, calibrationSet } from './online/calibration-set.js';
export { applyRule, checkRule, type DriftRule, type RuleVerdict, type SignalClass } from './online/drift-rules.js';
export {
  type Alert,
  type OnlineEval,
  type OnlineParts,
  onlineEval,
  type TraceJudge,
  type TraceMetric,
} from './online/online-eval.js';
export { type Sampler, traceSampler } from './online/sampler.js';
export { memorySeries, type Point, type SeriesStore } from './online/series.js';
export { type Cohort, type TraceFacts, traceFactsOf } from './online/trace-facts.js';
export { POLICY_DOMAINS } from './policies/policy-domains.js';
export { addedUp, behindCell, type Contribution, type Wanted } from './reports/behind.js';
export { costPlot } from './reports/cost-plot.js';
export { type Divergence, firstDivergence } from './reports/divergence.js';
export { FAILURE_CLASSES, type FailureClass } from './reports/failure-class.js';
export { type FailureReport, failuresOf } from './reports/failures.js';
export { reportHtml } from './reports/html.js';
export { reportCsv, reportJson, reportMarkdown, tableCsv, tableMarkdown } from './reports/plain-forms.js';
export { type Measurable, type Report, type ReportForm, reportOf } from './reports/report.js';
export type { Behind, Cell, Table } from './reports/table.js';
export {
  isCustomScaffold,
  leaderboardSubmission,
  type SubmissionFacts,
  type SubmittedDomain,
  submissionFolder,
  submissionText,
} from './results/leaderboard.js';
export { readResults, type SimulationFolder, writeResults } from './results/results-text.js';
export type { ExperimentInfo, Results, SimulationRecord } from './results/simulation-record.js';
export { goldAgent, goldParties, goldUser } from './simulation/gold-party.js';
export { type LlmUserSetting, llmUser } from './simulation/llm-user.js';
export { GREETING, simulate } from './simulation/orchestrator.js';
export type { Course, Incoming, Limits, Party, Termination } from './simulation/party.js';
export { type Line, scriptedParty, silentAgent } from './simulation/scripted-party.js';
export { speakerParty } from './simulation/speaker-party.js';
export { USER_STOPS, userStops } from './simulation/stop-tokens.js';
export { scenarioText, userPrompt } from './simulation/user-prompt.js';
export { type CaseJudge, type CaseScore, scoreCase } from './suites/check-case.js';
export { FAULT_KINDS, type Fault, type FaultKind, faultSeams, faultsAtRate, spoiltBy } from './suites/fault.js';
export {
  type Baseline,
  bypassGate,
  type CaseOutcome,
  type GateReport,
  type Measurement,
  promote,
  releaseGate,
  type Tolerances,
} from './suites/gate.js';
export {
  CATEGORIES,
  type CaseCheck,
  type Category,
  type GoldenCase,
  type GoldenSet,
  leakedCases,
  lintSuite,
  suiteHash,
} from './suites/golden-set.js';
export { measurementOf } from './suites/results-gate.js';
export { runSuite, type SuiteRun, type UnderTest } from './suites/run-suite.js';
export {
  checkScenarios,
  type Expected,
  lintScenarios,
  SCENARIO_CATEGORIES,
  type Scenario,
  type ScenarioCategory,
  type ScenarioSuite,
  scenariosHash,
} from './suites/scenario.js';
export type { ScenarioRun } from './suites/scenario-run.js';
export type { ScenarioScore } from './suites/score-scenario.js';
export { type SimulationOptions, type SimulationReport, simulateScenarios } from './suites/simulate-scenarios.js';
export { type SimTool, type SimWorld, simulatedWorld } from './suites/simulated-world.js';
export {
  type AgentConfiguration,
  type AgentSetting,
  type AgentUnderTest,
  configurationHash,
  speakerAgent,
  type WorldSim,
} from './suites/under-test.js';
export { GrepIndex, type GrepQuery } from './tau2/grep.js';
export { dumpJson, parseJson } from './tau2/python/json.js';
export { type Bound, bind, type Parameter } from './tau2/python/signature.js';
export { type PyDict, PyError, type PyErrorKind, type PyValue } from './tau2/python/value.js';
export { type HiddenFact, type Persona, personaText, readPersona, withPersona } from './users/persona.js';
export { type RuleAnswer, type RuleScript, ruleUser, type UserRule } from './users/rule-user.js';
export {
  listeningUser,
  personaUser,
  personaUserSide,
  ruleUserSide,
  turnUser,
  type UserSetting,
  type UserSim,
} from './users/user-sims.js';
export { leakedTo, type Secret, type UserView, userView, viewPrompt } from './users/user-view.js';
export { type Fields, type Row, Tables } from './world/database.js';
export type {
  Compliance,
  Database,
  DataFolder,
  Domain,
  DomainServices,
  DomainSource,
  Environment,
  EnvironmentOptions,
  ReplayOptions,
  Toolkit,
  ToolSchema,
  ToolType,
} from './world/environment.js';
export { type EnvironmentParts, makeEnvironment } from './world/live-environment.js';
export type { Requestor, SimCall, SimMessage, SpokenMessage, ToolMessage, Usage } from './world/message.js';
export { Model } from './world/model.js';
export { readTask } from './world/read-task.js';
export type {
  Criteria,
  EnvAssertion,
  EnvFunction,
  GoldAction,
  InitialState,
  RewardBasis,
  Task,
} from './world/task.js';
export { readToolSchema } from './world/tool-schema.js';
export { type KitFunction, type KitTool, makeToolkit, type ToolkitParts } from './world/toolkit.js';
