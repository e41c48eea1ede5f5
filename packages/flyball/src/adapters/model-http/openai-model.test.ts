import { describe, it } from 'vitest';
import { modelContract } from '../../testing/contracts/model-contract.js';
import { openAiModel } from './openai-model.js';

const PORT = '[R3-PORT-MESSAGES] [R3-PORT-FINISH] [R3-PORT-USAGE] [R3-PORT-STREAM] [R3-PORT-REQUEST] [R3-PORT-CACHE]';

modelContract({ describe, it }, `openai [R3-OPENAI-CHAT] [R11-N12-ADAPTERS] [R3-PORT-REASONING] ${PORT}`, {
  format: 'openai-chat',
  open: ({ baseUrl, apiKey }) =>
    openAiModel({ id: 'openai/gpt-4o', baseUrl, apiKey, capabilities: { promptCache: 'marked' } }),
  cannot: ['reasoning-signature'],
});
