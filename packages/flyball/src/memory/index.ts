export type { EmbedContext, Embedder } from '../ports/embedder.js';
export type { Retriever } from '../ports/retriever.js';
export { type DocumentsOptions, documentsRetriever, type RetrievedDocument } from '../retrieval/documents-retriever.js';
export { hashEmbedder } from '../retrieval/hash-embedder.js';
export { type CaptureOptions, capture, type ObservationCapture } from './capture.js';
export { MEMORY_KINDS, type MemoryKind, type NewItem, type NewItems } from './items.js';
export {
  type FullEntry,
  type IndexEntry,
  LEVELS,
  type Level,
  type Recalled,
  type RecalledAt,
  type SummaryEntry,
} from './levels.js';
export type { Listed, ListPage } from './lookup.js';
export { type Memory, type MemoryOptions, memory, withWorkingMemory } from './memory.js';
export {
  callObservation,
  markPrivate,
  type ObservationDraft,
  observe,
  type PrivateParts,
  replyObservation,
} from './observe.js';
export { recallSection, type SectionOptions } from './recall-section.js';
export { RECALL_TOOL, type RecallArguments } from './recall-tool.js';
export type { Reembedded } from './reembed.js';
export { type MemoryRetrieverOptions, memoryRetriever } from './retrievers-memory.js';
export type { Recall, RecallQuery } from './search.js';
export type { Remembered } from './write-items.js';
