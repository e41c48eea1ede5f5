export { ollamaModel } from './ollama-model.js';
export { openAiModel } from './openai-model.js';
