import { describe, it } from 'vitest';
import { modelContract } from '../../testing/contracts/model-contract.js';
import { openAiModel } from './openai-model.js';

modelContract({ describe, it }, 'openai [R3-OPENAI-CHAT]', {
  format: 'openai-chat',
  open: ({ baseUrl, apiKey }) =>
    openAiModel({ id: 'openai/gpt-4o', baseUrl, apiKey, capabilities: { promptCache: 'marked' } }),
  cannot: ['reasoning-signature'],
});
