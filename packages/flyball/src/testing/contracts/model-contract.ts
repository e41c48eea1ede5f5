import { modelServer } from '../model-server/model-server.js';
import { failuresContract } from './model-failures.js';
import { API_KEY, type DeclareModelTest, type ModelUnderTest } from './model-fixture.js';
import { repliesContract } from './model-replies.js';
import { requestsContract } from './model-requests.js';
import { streamsContract } from './model-streams.js';
import type { ContractSuite } from './suite.js';

/**
 * What every model promises, as tests over real HTTP against a provider on loopback. An adapter's test file is one call:
 * `modelContract({ describe, it }, 'openai', { format: 'openai-chat', open: ({ baseUrl }) => … })`.
 */
export function modelContract(suite: ContractSuite, name: string, under: ModelUnderTest): void {
  const cannot = new Set(under.cannot);
  const test: DeclareModelTest = (title, replies, body, needs) => {
    if (needs !== undefined && cannot.has(needs)) return;
    suite.it(title, async () => {
      const server = await modelServer({ replies });
      try {
        const model = await under.open({ baseUrl: server.baseUrl(under.format), apiKey: API_KEY });
        await body({ model, server, can: (what) => !cannot.has(what) });
      } finally {
        await server.close();
      }
    });
  };
  const without = cannot.size === 0 ? '' : ` (left out, its wire has no words for it: ${[...cannot].join(', ')})`;
  suite.describe(`model contract: ${name}${without}`, () => {
    suite.describe('replies', () => repliesContract(test));
    suite.describe('requests', () => requestsContract(test));
    suite.describe('streams', () => streamsContract(test));
    suite.describe('failures', () => failuresContract(test));
  });
}
