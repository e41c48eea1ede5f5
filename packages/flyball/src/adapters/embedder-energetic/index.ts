export { type EnergeticOptions, energeticEmbedder } from './energetic-embedder.js';
