export type { CountText } from '../../core/token-count.js';
export { type OllamaModelOptions, ollamaModel } from './ollama-model.js';
export { type OpenAiModelOptions, openAiModel } from './openai-model.js';
export type { HttpModelOptions } from './options.js';
