export { type McpHttpEndpoint, type McpHttpOptions, mcpHttpEndpoint } from './http.js';
export { joinOffers } from './join-offers.js';
export type {
  McpAnnotations,
  McpAnswer,
  McpCallContext,
  McpOffer,
  McpOfferedTool,
  McpServing,
} from './offer.js';
export { agentToolName, type McpAgent, offeredAgent, offeredTool } from './offered.js';
export { type Present, runAnswer } from './run-answer.js';
export { type McpRunner, type RuntimeOfferParts, runtimeOffer } from './runtime-offer.js';
export { type McpStdioOptions, type McpStdioServer, serveMcpStdio } from './stdio.js';
export { TOOL_CALL, type ToolCallInput, toolCallAgent, toolCallBudget } from './tool-call-agent.js';
