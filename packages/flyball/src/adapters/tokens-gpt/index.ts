export { gptTokens } from './gpt-tokens.js';
