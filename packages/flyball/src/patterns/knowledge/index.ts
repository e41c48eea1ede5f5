/** Patterns of knowledge: what a model is shown, and where it comes from. */
export { type AdaptiveAnswer, type AdaptiveRagOptions, type AdaptiveRagParts, adaptiveRag } from './adaptive-rag.js';
export { type CompressionOptions, type CompressionParts, compression } from './compression.js';
export { type FromBundleOptions, type FromBundleParts, fromBundle } from './from-bundle.js';
export type { Ingested, RagDocument } from './passage-index.js';
export { type PruningOptions, type PruningParts, pruning } from './pruning.js';
export { type Rag, type RagOptions, type RagParts, rag } from './rag.js';
export type { FollowUp, Transformation } from './search-keys.js';
export { type QueryRewritingOptions, type QueryRewritingParts, withQueryRewriting } from './with-query-rewriting.js';
