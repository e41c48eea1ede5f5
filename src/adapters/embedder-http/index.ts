export { type HttpEmbedderOptions, httpEmbedder } from './http-embedder.js';
