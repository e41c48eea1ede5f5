export { capture, type ObservationCapture } from './capture.js';
export type { NewItem } from './items.js';
export type { Recalled } from './levels.js';
export { type Memory, type MemoryOptions, memory, withWorkingMemory } from './memory.js';
export { callObservation, markPrivate, observe, replyObservation } from './observe.js';
export { recallSection } from './recall-section.js';
export { memoryRetriever } from './retrievers-memory.js';
