export { DEFAULT_CONFIG, type ToolLoopConfig, type ToolLoopSettings, type WindowConfig } from './config.js';
export { CONFIRMATION } from './confirmation.js';
export type { LoopParts, ToolLoopOptions } from './loop-parts.js';
export { partsOf as toolLoopParts } from './loop-parts.js';
export type { Termination, TerminationReason } from './termination.js';
export { runToolLoop, type ToolLoopEnd, type ToolLoopResult, toolLoop } from './tool-loop.js';
