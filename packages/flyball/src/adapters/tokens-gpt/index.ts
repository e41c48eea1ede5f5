export { type GptEncodingName, gptTokens } from './gpt-tokens.js';
