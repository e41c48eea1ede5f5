export type { Answering } from './answer-checks.js';
export {
  type ApprovalInbox,
  approvalInbox,
  type InboxItem,
  type InboxPage,
  type InboxParts,
} from './approval-inbox.js';
export { type AnswerSchema, type AskOptions, type AskTool, type AskToolDefinition, askTool } from './ask-tool.js';
export {
  editArgumentsTool,
  type FileAnswer,
  type FileToolOptions,
  type FormToolOptions,
  fileTool,
  formTool,
} from './content-tools.js';
export {
  DISPLAY_TOOL,
  type Display,
  displaysOf,
  displayTool,
  kindOfTool,
  type Shown,
  type ToolKind,
} from './display-tool.js';
export {
  type InboxAlarm,
  type InboxMetrics,
  type MetricsOptions,
  UNMODIFIED_ABOVE,
  UNMODIFIED_BELOW,
} from './inbox-metrics.js';
export { plainSchema } from './plain-schema.js';
export { approvalRules, type Decided, requestApproval } from './request-approval.js';
export type { InboxFilter } from './request-shelf.js';
export { type PersonDecision, type PersonRequest, type RequestStatus, requestsIn } from './requests.js';
export {
  type DrillReport,
  type Fired,
  type SuperviseOptions,
  type Supervision,
  supervise,
  type Trigger,
  type TriggerTier,
} from './supervise.js';
export {
  type ActionClass,
  type Baseline,
  type ScopeOptions,
  supervisedScope,
  underSupervision,
} from './supervised-scope.js';
export {
  chooseOneTool,
  chooseSeveralTool,
  confirmTool,
  dateTool,
  numberTool,
  textTool,
} from './widget-tools.js';
