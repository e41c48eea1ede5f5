import { describe, it } from 'vitest';
import { modelContract } from '../../testing/contracts/model-contract.js';
import { ollamaModel } from './ollama-model.js';

modelContract({ describe, it }, 'ollama [R3-OLLAMA-CHAT] [R11-N12-ADAPTERS]', {
  format: 'ollama',
  open: ({ baseUrl, apiKey }) => ollamaModel({ id: 'ollama/qwen3', baseUrl, apiKey }),
  cannot: [
    'call-ids',
    'tool-choice',
    'cache-markers',
    'cache-read',
    'cache-write',
    'reasoning-signature',
    'documents',
    'audio',
  ],
});
