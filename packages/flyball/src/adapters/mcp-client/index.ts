export type { AdmissionOptions, SchemaBand } from './admission.js';
export type { McpEvent } from './event.js';
export { type McpPool, type McpPoolOptions, type McpServerState, openMcpPool } from './pool.js';
export type { McpResult } from './result.js';
export type { McpEffect, McpServerSpec, McpTransport } from './server-spec.js';
export { mcpServersFromFile } from './servers-file.js';
export { searchTools, type ToolSearch } from './tool-search.js';
