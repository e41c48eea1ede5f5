export { httpEmbedder } from './http-embedder.js';
