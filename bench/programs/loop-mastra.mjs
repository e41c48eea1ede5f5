// @ts-nocheck: its packages are installed by the benchmark, elsewhere
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { measureLoop } from './loop-harness.mjs';

await measureLoop(async ({ base, iterations, plusOne }) => {
  const addOne = createTool({
    id: 'add_one',
    description: 'Adds one.',
    inputSchema: z.object({ x: z.number() }),
    execute: async (input) => plusOne(input?.context ?? input),
  });
  const model = { id: 'fake/fake', url: base === '' ? 'http://fake.local/v1' : base, apiKey: 'x' };
  const agent = new Agent({ id: 'a', name: 'a', instructions: 'You call tools.', model, tools: { add_one: addOne } });
  return async () => (await agent.generate('go', { maxSteps: iterations + 5 })).text;
});
