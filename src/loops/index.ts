export { DEFAULT_CONFIG, type ToolLoopConfig, type ToolLoopSettings, type WindowConfig } from './tool-loop/config.js';
export { CONFIRMATION } from './tool-loop/confirmation.js';
export type { LoopParts, ToolLoopOptions } from './tool-loop/loop-parts.js';
export { partsOf as toolLoopParts } from './tool-loop/loop-parts.js';
export type { Termination, TerminationReason } from './tool-loop/termination.js';
export { runToolLoop, type ToolLoopEnd, type ToolLoopResult, toolLoop } from './tool-loop/tool-loop.js';
