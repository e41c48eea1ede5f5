export { type TransformersOptions, transformersEmbedder } from './transformers-embedder.js';
