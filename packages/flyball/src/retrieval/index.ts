export type { EmbedContext, Embedder } from '../ports/embedder.js';
export type { Retriever } from '../ports/retriever.js';
export type { VectorCache } from '../ports/vector-cache.js';
export { type AdaptiveAnswer, type AdaptiveParts, adaptiveRag } from './adaptive.js';
export { Bm25Index, type Bm25Options } from './bm25.js';
export {
  type AssembleOptions,
  assembleBundle,
  type Bundle,
  type BundleCache,
  type BundleField,
  bundleText,
  furtherNeed,
  type Principal,
} from './bundle.js';
export {
  type Authority,
  type BundleSpec,
  defineBundle,
  type FetchContext,
  type FieldShape,
  type FieldSpec,
  type IfMissing,
  type Primitive,
} from './bundle-spec.js';
export { type Citation, type Cited, citedAnswer, NOT_COVERED } from './citations.js';
export { type DecomposeOptions, decompose } from './decompose.js';
export { DenseIndex, type DenseOptions, type DenseReport, textKey } from './dense.js';
export { type DocumentsOptions, documentsRetriever, type RetrievedDocument } from './documents-retriever.js';
export { DocumentLinks, type Expanded, type ExpansionOptions } from './expansion.js';
export { type FusionOptions, fuse } from './fusion.js';
export { hashEmbedder } from './hash-embedder.js';
export { HybridIndex, type HybridOptions, type PassageHit, type SearchHow, type TitledDocument } from './hybrid.js';
export { identifiersIn, lostIdentifiers } from './identifiers.js';
export { memoryVectors } from './memory-vectors.js';
export { type Passage, type PassageOptions, passagesOf } from './passages.js';
export { type Ingested, type Rag, type RagDocument, type RagOptions, vanillaRag } from './rag.js';
export type { Ranked, SearchedDocument } from './ranked.js';
export { RATING, type RerankOptions, rerank } from './rerank.js';
export {
  type Found,
  type Question,
  retrieveByKeys,
  retrieveTransformed,
  type SearchKeys,
  type Transformation,
  type TransformOptions,
  transformQuery,
} from './transform.js';
