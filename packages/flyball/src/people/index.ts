export { type ApprovalInbox, approvalInbox, type InboxItem } from './approval-inbox.js';
export { type AskTool, askTool } from './ask-tool.js';
export { editArgumentsTool, fileTool, formTool } from './content-tools.js';
export { displaysOf, displayTool, kindOfTool, type Shown } from './display-tool.js';
export { requestApproval } from './request-approval.js';
export { type PersonRequest, requestsIn } from './requests.js';
export { type Supervision, supervise, type Trigger } from './supervise.js';
export { supervisedScope } from './supervised-scope.js';
export {
  chooseOneTool,
  chooseSeveralTool,
  confirmTool,
  dateTool,
  numberTool,
  textTool,
} from './widget-tools.js';
