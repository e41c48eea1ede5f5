/** Patterns of integration: how calls leave the run. `openMcpPool`, `shellTool` and the agent card are in entries of their own. */
export { tool } from '../../tools/define-tool.js';
export { type DirectCallOptions, type DirectCallParts, directCall } from './direct-call.js';
