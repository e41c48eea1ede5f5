/** Patterns of reasoning: how one task is thought through. */
export { type ReflexionOptions, type ReflexionParts, reflexion } from './reflexion.js';
