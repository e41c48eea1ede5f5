export { PRIVATE } from '../core/private-marks.js';
export { SKILL_ACTIVE, type SkillRecord, skillsIn } from './active-skills.js';
export { actsOf } from './acts.js';
export { type AuditVerdict, auditLines, auditLinesOfRemoved, type Removed, verifyAudit } from './audit.js';
export {
  type Action,
  type Checkpoint,
  type CompletedAction,
  checkpointKey,
  checkpointOf,
  type Output,
} from './checkpoint.js';
export {
  type CommitCourse,
  type CommitFailure,
  type CommitHalt,
  type CourseTransition,
  commitCourseOf,
  commitCoursesOf,
} from './commit-course.js';
export { type CheckedCommit, type CommitCheck, checkCommit, committedIn } from './commit-course-check.js';
export { type CostLine, type CostReport, costBy, EARLIER, NO_MODEL, NO_PHASE } from './cost.js';
export { type Effect, effectsOf, VERBS, type Verb } from './effects.js';
export {
  type FailureCategory,
  type FailureRecord,
  type FailureSeverity,
  failuresOf,
  kindOfFailure,
} from './failures.js';
export { type GuardRecord, guardDecisionsOf } from './guard-decisions.js';
export type { LoopAction, LoopStep } from './loop-steps.js';
export { type LoopStatus, type LoopTrace, loopTraceOf } from './loop-trace.js';
export { type Metric, MetricFold, type MetricName, metricsOf } from './metrics.js';
export {
  OBSERVATION_TYPES,
  type Observation,
  type ObservationsOptions,
  type ObservationType,
  observationsOf,
} from './observations.js';
export { type PatternUse, patternsIn } from './patterns-in.js';
export { BLANK } from './privacy.js';
export type { ShownArguments } from './proposals.js';
export {
  type Approval,
  type ProvenanceEffect,
  type ProvenanceGuard,
  type ProvenanceRecord,
  provenanceOf,
  verifyProvenance,
} from './provenance.js';
export { type AxisUse, type OpenEffect, type RunSummary, type SummaryStatus, summarise } from './summary.js';
export {
  asOf,
  type ForkPointVerdict,
  forkPointCheck,
  forkPoints,
  type StateAt,
  stateAt,
} from './time-travel.js';
export { TimelineFold, type TimelineLine, timelineOf } from './timeline.js';
export { type Span, type SpanKind, spansIn, traceOf } from './trace.js';
export type { Attributes } from './trace-attributes.js';
export { withoutPrivate } from './without-private.js';
