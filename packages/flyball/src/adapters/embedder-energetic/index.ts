export { energeticEmbedder } from './energetic-embedder.js';
