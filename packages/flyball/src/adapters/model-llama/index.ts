export { llamaModel } from './llama-model.js';
