export { memoryEngine } from './memory-engine.js';
export { memoryStore } from './memory-store.js';
