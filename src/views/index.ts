export { type AuditVerdict, auditLines, verifyAudit } from './audit.js';
export {
  type Action,
  type Checkpoint,
  type CompletedAction,
  checkpointKey,
  checkpointOf,
  type Output,
} from './checkpoint.js';
export { type CostLine, type CostReport, costBy, EARLIER, NO_MODEL, NO_PHASE } from './cost.js';
export { type Effect, effectsOf, VERBS, type Verb } from './effects.js';
export { type Metric, MetricFold, type MetricName, metricsOf } from './metrics.js';
export {
  type Approval,
  type ProvenanceEffect,
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
