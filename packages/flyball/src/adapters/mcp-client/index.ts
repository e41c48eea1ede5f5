export type { McpEvent } from './event.js';
export { type McpPool, openMcpPool } from './pool.js';
export type { McpServerSpec } from './server-spec.js';
export { mcpServersFromFile } from './servers-file.js';
export { searchTools } from './tool-search.js';
